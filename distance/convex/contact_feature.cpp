// Features of contacts. Which feature supports a normal follows from support points alone:
//
//   core       support points                     feature    normals      support set
//   polytope   one, two, three that differ        corner     all          the corner
//                                                 edge       a circle     the edge
//                                                 face       one          the triangle
//   cylinder   on one rim                         rim        all          a point of the rim
//              on one rim, n along the axis       cap        one          the disc
//              on both rims                       side       a circle     a line
//   cone       on the rim, or rim and n = -axis   rim, cap   as above
//              apex                               corner
//              rim and apex                       side       a circle     a line
//   ellipsoid  any                                ellipsoid  all          a point
//
// A feature named wrongly (two corners that no edge joins, say) is not noticed here: its normal
// turns out not to support the core, and `add` mends it.

#include "allclear/distance/convex/contact_feature.h"

namespace allclear {
namespace {

using Kind = ConvexCore::Kind;

/// [rad] A normal this near to the axis of a cylinder is tried as the cap's first. A cap is found
/// exactly by three points of its rim; on the rim itself such normals are rare, and mended.
constexpr double kCapAngle = 0.01;

/// [rad] A normal nearer than this to an axis has no direction across it but that of rounding.
constexpr double kLeastAcross = 1e-14;

/// The part of the unit vector n across a unit axis: its direction, and its size in `rho` (0 where
/// it has none: then any direction). The second projection takes off what rounding left along the
/// axis: near the axis that could be all of it, and a point of a rim would stand off its plane.
Vec3 directionAcross(const Vec3& n, const Vec3& axis, double* rho) {
  Vec3 away = n - axis.dot(n) * axis;
  away -= axis.dot(away) * axis;
  *rho = away.norm();
  if (*rho > kLeastAcross) return away / *rho;
  *rho = 0.0;
  return axis.unitOrthogonal();
}

}  // namespace

ContactFeature::ContactFeature(const CorePair& pair, bool of_B, const Vec3* points, int count,
                               const Vec3& n) {
  const ConvexCore& core = of_B ? pair.B : pair.A;
  const double sign = of_B ? -1.0 : 1.0;
  // An ellipsoid is one feature, whatever the points; B's is mirrored at A's origin.
  if (core.kind == Kind::kEllipsoid) {
    form_ = Form::kEllipsoid;
    if (of_B) {
      base_ = -pair.p;
      axes_ = pair.R;
    } else {
      base_.setZero();
      axes_.setIdentity();
    }
    squares_ = core.size.cwiseAbs2();
    M_.noalias() = axes_ * squares_.asDiagonal() * axes_.transpose();
  } else if (core.kind == Kind::kCylinder || core.kind == Kind::kCone) {
    nameRound(pair, of_B, points, count, n);
  } else {
    for (int i = 0; i < count; ++i) {
      const Vec3 point = sign * points[i];
      bool known = corners_ == 3;
      for (int k = 0; k < corners_; ++k) known = known || corner_[k] == point;
      if (!known) corner_[corners_++] = point;
    }
    form_ = corners_ == 1 ? Form::kCorner : corners_ == 2 ? Form::kEdge : Form::kFace;
  }
}

void ContactFeature::nameRound(const CorePair& pair, bool of_B, const Vec3* points, int count,
                               const Vec3& n) {
  const ConvexCore& core = of_B ? pair.B : pair.A;
  const double half = core.size.z();
  cone_ = core.kind == Kind::kCone;
  radius_ = core.size.x();
  length_ = 2.0 * half;
  if (of_B) {
    axis_ = -pair.R.col(2);
    base_ = -(pair.p - half * pair.R.col(2));
  } else {
    axis_ = Vec3::UnitZ();
    base_ = Vec3(0.0, 0.0, -half);
  }
  // On which rim the points are tells rim or side; a cone's top is its apex.
  int at_top = 0;
  for (int i = 0; i < count; ++i) {
    if (isAtTop(of_B ? Vec3(-points[i]) : points[i])) ++at_top;
  }
  top_ = at_top > 0;
  if (at_top > 0 && at_top < count) {
    form_ = Form::kSide;
    return;
  }
  if (cone_ && top_) {
    form_ = Form::kCorner;
    corners_ = 1;
    corner_[0] = rimCenter();
    return;
  }
  const double along = (top_ ? 1.0 : -1.0) * axis_.dot(n);
  const bool is_cap = along > 0.0 && 1.0 - along * along < kCapAngle * kCapAngle;
  form_ = is_cap ? Form::kCap : Form::kRim;
}

bool ContactFeature::isAtTop(const Vec3& point) const {
  return axis_.dot(point - base_) > 0.5 * length_;
}

bool ContactFeature::hasNormal(Vec3* n) const {
  if (form_ == Form::kCap) {
    *n = top_ ? axis_ : Vec3(-axis_);
    return true;
  }
  if (form_ != Form::kFace) return false;
  // On the side of the normal asked about.
  const Vec3 across = (corner_[1] - corner_[0]).cross(corner_[2] - corner_[0]).normalized();
  *n = across.dot(*n) < 0.0 ? Vec3(-across) : across;
  return true;
}

bool ContactFeature::hasCircle(CreaseCircle* circle) const {
  if (form_ == Form::kEdge) {
    *circle = {(corner_[1] - corner_[0]).normalized(), 0.0, 1.0};
    return true;
  }
  if (form_ != Form::kSide) return false;
  const double slant = cone_ ? std::sqrt(radius_ * radius_ + length_ * length_) : 1.0;
  *circle = {axis_, cone_ ? radius_ / slant : 0.0, cone_ ? length_ / slant : 1.0};
  return true;
}

FeatureReach ContactFeature::reach(const Vec3& n) const {
  FeatureReach out;
  switch (form_) {
    case Form::kCorner:
    case Form::kEdge:
    case Form::kFace:
      out.point = corner_[0];
      out.around.setZero();
      break;
    case Form::kCap:
      out.point = rimCenter();
      out.around.setZero();
      break;
    // Both reach to a circle's point along the part of n across the axis.
    case Form::kRim:
    case Form::kSide: {
      double rho;
      const Vec3 e = directionAcross(n, axis_, &rho);
      out.point = (form_ == Form::kRim ? rimCenter() : base_) + radius_ * e;
      out.around = axis_.cross(e);
      out.bend = rho > 0.0 ? radius_ / rho : 0.0;
      break;
    }
    case Form::kEllipsoid: {
      // By its own axes: in M the squares of long ones drown those of short ones.
      const Vec3 own = axes_.transpose() * n;
      const Vec3 scaled = squares_.cwiseProduct(own);
      out.M = &M_;
      out.height = std::sqrt(own.dot(scaled));
      out.from_center = axes_ * (scaled / out.height);
      out.point = base_ + out.from_center;
      break;
    }
  }
  return out;
}

int ContactFeature::lines(const Vec3& n, Vec3 out[2]) const {
  switch (form_) {
    case Form::kFace:
      out[0] = corner_[1] - corner_[0];
      out[1] = corner_[2] - corner_[0];
      return 2;
    case Form::kEdge:
      out[0] = corner_[1] - corner_[0];
      return 1;
    case Form::kSide:
      out[0] = length_ * axis_;
      if (cone_) {
        double rho;
        out[0] -= radius_ * directionAcross(n, axis_, &rho);
      }
      return 1;
    default:
      return 0;
  }
}

bool ContactFeature::drop(const double* share) {
  switch (form_) {
    case Form::kEdge:
      if (share[0] > 0.5) corner_[0] = corner_[1];
      corners_ = 1;
      form_ = Form::kCorner;
      return true;
    case Form::kFace: {
      // The corner of least weight goes.
      const double weight[3] = {1.0 - share[0] - share[1], share[0], share[1]};
      const int least =
          weight[0] < weight[1] ? (weight[0] < weight[2] ? 0 : 2) : (weight[1] < weight[2] ? 1 : 2);
      for (int k = least; k < 2; ++k) corner_[k] = corner_[k + 1];
      corners_ = 2;
      form_ = Form::kEdge;
      return true;
    }
    case Form::kSide:
      top_ = share[0] > 0.5;
      form_ = Form::kRim;
      if (cone_ && top_) {
        form_ = Form::kCorner;
        corners_ = 1;
        corner_[0] = rimCenter();
      }
      return true;
    default:
      return false;
  }
}

bool ContactFeature::add(const Vec3& point, const double* share) {
  if (radius_ > 0.0) {
    if (form_ != Form::kRim && form_ != Form::kCorner) return false;
    if (isAtTop(point) == top_) return false;
    form_ = Form::kSide;
    return true;
  }
  if (form_ == Form::kEllipsoid) return false;
  if (form_ == Form::kFace) drop(share);
  corner_[corners_++] = point;
  form_ = corners_ == 2 ? Form::kEdge : Form::kFace;
  return true;
}

}  // namespace allclear
