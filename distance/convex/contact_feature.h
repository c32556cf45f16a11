#pragma once

#include "allclear/distance/convex/core_pair.h"

namespace allclear {

/// Where a feature reaches along a normal n, and how that point moves with n.
struct FeatureReach {
  Vec3 point;               ///< of the feature's support set along n, at its start
  Vec3 around;              ///< rim: unit tangent at the point
  double bend = 0.0;        ///< rim: radius over the sine between n and the axis
  const Mat3* M = nullptr;  ///< ellipsoid: U diag(semi-axes^2) U'
  Vec3 from_center;         ///< ellipsoid
  double height = 0.0;      ///< ellipsoid: n . from_center

  /// Second derivative of the support function along s and t.
  double curvature(const Vec3& s, const Vec3& t) const {
    if (M != nullptr) {
      return (s.dot(*M * t) - from_center.dot(s) * from_center.dot(t)) / height;
    }
    return bend * around.dot(s) * around.dot(t);
  }
};

/// The part of a core's surface that takes part in a contact: a corner, edge or face of a polytope;
/// a rim, cap or line of the side of a cylinder or cone; an ellipsoid's surface. In the frame of A,
/// and B's mirrored at its origin: then both features of a pair are supported along the same n, and
/// their sum is a part of the surface of A - B.
class ContactFeature {
 public:
  enum class Form : unsigned char { kCorner, kEdge, kFace, kRim, kCap, kSide, kEllipsoid };

  /// The feature that `count` (1 to 4) support points of A (or of B, both in A's frame) name: as
  /// many corners as differ, or the part of the round surface that they are on. `n`: the normal
  /// that they are to support.
  ContactFeature(const CorePair& pair, bool of_B, const Vec3* points, int count, const Vec3& n);

  Form form() const { return form_; }
  /// Whether n is the only normal of the feature; then which.
  bool hasNormal(Vec3* n) const;
  /// Whether the feature's normals form a circle; then which.
  bool hasCircle(CreaseCircle* circle) const;
  FeatureReach reach(const Vec3& n) const;
  /// The lines that span the feature's support set from the point of its `reach` (none, one, or the
  /// two of a triangle). Returns how many.
  int lines(const Vec3& n, Vec3 out[2]) const;
  double radius() const { return radius_; }  ///< of a cap, about its `reach`

  /// Gives up the part of the feature that a contact at these shares of its lines is not on (below
  /// 0 or above 1). False where nothing is left to give up.
  bool drop(const double* share);
  void dropToRim() { form_ = Form::kRim; }
  /// Adds a support point that reaches farther along n than the feature. `share`: where on its
  /// lines the contact was. False when that is not possible.
  bool add(const Vec3& point, const double* share);

 private:
  void nameRound(const CorePair& pair, bool of_B, const Vec3* points, int count, const Vec3& n);
  bool isAtTop(const Vec3& point) const;
  Vec3 rimCenter() const { return top_ ? Vec3(base_ + length_ * axis_) : base_; }

  Form form_ = Form::kCorner;
  bool cone_ = false;
  bool top_ = false;  ///< of a rim or cap: the one at the far end of the axis
  int corners_ = 0;
  Vec3 corner_[3];
  Vec3 base_;  ///< cylinder, cone: centre of the base; ellipsoid: centre
  Vec3 axis_;  ///< unit, from there to the other end
  double radius_ = 0.0;
  double length_ = 0.0;
  Mat3 axes_;     ///< ellipsoid: U
  Vec3 squares_;  ///< ellipsoid: semi-axes^2
  Mat3 M_;        ///< ellipsoid: U diag(squares) U'
};

}  // namespace allclear
