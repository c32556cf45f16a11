#pragma once

#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"

namespace allclear::mesh {

/// How far p, relative to the body's centre, is below its surface (negative: above), rounded down;
/// -infinity for a convex core, which is not searched. `nearest` goes in as a triangle believed to
/// be near (negative: none) and comes out as the nearest one.
double depthBelowSurface(const MeshBody& body, const Vec3& p, int* nearest = nullptr);

/// Balls inside two bodies that overlap: what they prove about translations of A.
///
/// Let a ball of radius r_A about c be inside A, and one of radius r_B about the same c inside B. A
/// translation of A by t with |t| <= r_A + r_B moves the first ball onto the second: the bodies
/// still share a point. So r_A + r_B is a lower bound of the depth.
class OverlapBalls {
 public:
  /// Borrows the bodies.
  OverlapBalls(const MeshBody& A, const Pose& X_BA, const MeshBody& B);

  /// Adds the largest balls about c (relative to B's centre) and returns the lower bound of the
  /// depth that they prove, or 0. When c is outside one of the bodies by h, its radius is -h: the
  /// nearest point of that body is then a ball of radius 0 at the distance h.
  double addAt(const Vec3& c);

  /// True when A moved by t surely meets B: some point of a ball of one body is inside the other
  /// body then. False proves nothing.
  bool proveContactAt(const Vec3& t) const;

 private:
  struct Ball {
    Vec3 center;        ///< relative to B's centre
    double in_A, in_B;  ///< radii
  };

  const MeshBody& A_;
  const MeshBody& B_;
  Pose X_BA_;
  int nearest_A_ = -1, nearest_B_ = -1;
  std::vector<Ball> balls_;
};

}  // namespace allclear::mesh
