#pragma once

#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"

namespace allclear::mesh {

/// How far p, relative to the body's centre, is below its surface (negative: above), rounded down;
/// -infinity for a convex core (not sought). `nearest`: a triangle believed to be near (negative:
/// none) becomes the nearest one.
double depthBelowSurface(const MeshBody& body, const Vec3& p, int* nearest = nullptr);

/// Balls within two bodies that meet, and what they prove of translations of A.
class InnerBalls {
 public:
  /// Borrows the bodies.
  InnerBalls(const MeshBody& A, const Pose& X_BA, const MeshBody& B);

  /// Lower bound of the depth of A and B; 0 when c gives none. c: relative to B's centre. A ball
  /// about c within A and one within B share a point until one of the bodies has moved by the sum
  /// of their radii. Above the surface of one of them the point of that surface nearest to c serves
  /// instead of a ball. The balls are kept.
  double add(const Vec3& c);

  /// A moved by t surely meets B, for some point of a ball kept is in the other body then; false
  /// when they do not say.
  bool meetAt(const Vec3& t) const;

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
