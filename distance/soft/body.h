#pragma once

#include <vector>

#include "allclear/distance/soft/support.h"

namespace allclear {

/// A convex solid prepared for `softDistance`: unit directions fixed to it, and its hard supports
/// along them. Directions and supports are in the frame C of its core.
struct SoftPiece {
  SoftCore body;
  Pose X_BC;  ///< of C in the body's frame B
  bool is_half_space = false;
  Columns own;  ///< outward normals of its faces, or a ring of them where it is round
  Columns fan;  ///< directions spread evenly over the sphere, followed by `own`
  std::vector<double> own_supports, fan_supports;  ///< of the core, without its ball
  /// The soft supports exceed the hard ones by at most this times their softness.
  double log_corners = 0.0;

  double reach() const { return body.core.extent + body.core.radius; }
};

/// Every direction lies within the angle of this cosine of one of any piece's `fan` (a test
/// measures it; half-spaces excepted).
inline constexpr double kFanCosine = 0.985;
/// The `fan` of one piece and the `own` of another one have at most so many directions together.
inline constexpr int kMostPairDirections = 384 + 2 * 64;

/// A body of one or several convex solids, prepared. Immutable: share it freely.
class SoftBody {
 public:
  /// A triangle mesh is represented by its cover, convex pieces that enclose it
  /// (`TriangleMesh::cover`).
  explicit SoftBody(const Shape& shape) : SoftBody(std::vector<Geometry>{{shape, Pose()}}) {}
  /// All solids, in the body's frame.
  explicit SoftBody(const std::vector<Geometry>& solids);

  const std::vector<SoftPiece>& pieces() const { return pieces_; }

 private:
  std::vector<Geometry> solids_;  ///< the cores borrow their points
  std::vector<SoftPiece> pieces_;
};

}  // namespace allclear
