#pragma once

// Signed distances of a point to the primitives, in closed form but for the ellipsoid
// (point_distance.cpp). Outside, the nearest point of the solid is on a face, an edge (rim) or a
// corner (apex), and which one follows from the signs of a few differences. Inside, the nearest
// face is the way out; where two faces are equally near (the medial axis) the gradient is not
// unique.
//
// Each formula takes differences from the nearest feature, so that points near the surface keep all
// digits. Points on the surface get the gradient of a face that they are on.
//
// The closed forms are inline: a call would cost as much again, for its arguments cross memory.

#include <algorithm>
#include <cmath>

#include "allclear/core/types.h"

namespace allclear {

/// Signed distance of a point to a solid in the solid's frame, negative inside.
struct PointDistance {
  double distance;
  Vec3 gradient;       ///< unit, outward; point - distance * gradient is the nearest surface point
  bool unique = true;  ///< false on the solid's medial axis
};

PointDistance pointToEllipsoid(const Vec3& point, const Vec3& radii);

namespace point_distance {

/// Of the solid's size: two ways out whose lengths differ by less are equally short, so that the
/// normal is not unique.
inline constexpr double kTie = 1e-9;

/// A point in the half-plane of a solid of revolution: at distance rho from z, in direction e.
struct Polar {
  double rho;
  Vec3 e;

  explicit Polar(const Vec3& point)
      : rho(std::sqrt(point.x() * point.x() + point.y() * point.y())) {
    e = rho > 0.0 ? Vec3(point.x() / rho, point.y() / rho, 0.0) : Vec3(Vec3::UnitX());
  }
};

/// The distance to a corner or rim: `away` leads from there to the query point. On it, the gradient
/// is `if_zero`.
inline PointDistance fromCorner(const Vec3& away, const Vec3& if_zero) {
  const double d = away.norm();
  return {d, d > 0.0 ? Vec3(away / d) : if_zero, true};
}

}  // namespace point_distance

inline PointDistance pointToSegment(const Vec3& point, double half_length) {
  const Vec3 away(point.x(), point.y(),
                  point.z() - std::clamp(point.z(), -half_length, half_length));
  PointDistance out = point_distance::fromCorner(away, Vec3::UnitX());
  out.unique = out.distance > 0.0;
  return out;
}

inline PointDistance pointToBox(const Vec3& point, const Vec3& half_size) {
  // Outside: only the axes along which the point is beyond the box count.
  const auto beyondBy = [&](int i) {
    return point[i] - std::clamp(point[i], -half_size[i], half_size[i]);
  };
  const Vec3 away(beyondBy(0), beyondBy(1), beyondBy(2));
  if (away.x() != 0.0 || away.y() != 0.0 || away.z() != 0.0) {
    return point_distance::fromCorner(away, Vec3::UnitX());
  }
  // Inside: out through the nearest face. It is unique unless the point is in the middle between
  // two opposite faces, or as near to a face of another axis (on the surface that is an edge, where
  // either normal is right).
  const Vec3 beyond = point.cwiseAbs() - half_size;
  int axis = 0;
  const double depth = beyond.maxCoeff(&axis);
  const double tie = point_distance::kTie * half_size.maxCoeff();
  PointDistance out{depth, Vec3::Zero(), std::abs(point[axis]) > tie};
  out.gradient[axis] = std::copysign(1.0, point[axis]);
  for (int i = 0; i < 3; ++i) {
    if (i != axis && beyond[i] >= depth - tie) out.unique = out.unique && depth >= -tie;
  }
  return out;
}

inline PointDistance pointToCylinder(const Vec3& point, double radius, double half_length) {
  const point_distance::Polar polar(point);
  const double beyond_side = polar.rho - radius;
  const double beyond_cap = std::abs(point.z()) - half_length;
  const Vec3 up(0.0, 0.0, std::copysign(1.0, point.z()));
  if (beyond_side > 0.0 && beyond_cap > 0.0) {
    return point_distance::fromCorner(beyond_side * polar.e + beyond_cap * up, up);
  }
  // Above a cap, beside the side, or inside: by whichever of the two is farther out.
  const double tie = point_distance::kTie * std::max(radius, half_length);
  const bool by_side = beyond_side > beyond_cap;
  const bool inside = beyond_side < -tie && beyond_cap < -tie;
  const bool on_axis = by_side ? polar.rho <= tie : std::abs(point.z()) <= tie;
  const bool tied = std::abs(beyond_side - beyond_cap) <= tie;
  const bool unique = !(inside && (on_axis || tied));
  return by_side ? PointDistance{beyond_side, polar.e, unique}
                 : PointDistance{beyond_cap, up, unique};
}

/// Base at -half_length, apex at +half_length.
//
// In the half-plane (rho, z) the cone is a right triangle: the base z = -h from the axis to the rim
// (r, -h), and the side from the rim to the apex (0, h), with outward normal (cosine, sine) and
// direction (sine, -cosine) from the apex. The regions are: inside; below the base; above the apex
// (seen along the side, before it); beside the side; else beyond the rim.
inline PointDistance pointToCone(const Vec3& point, double radius, double half_length) {
  const point_distance::Polar polar(point);
  const double slant = std::hypot(radius, 2.0 * half_length);
  const double sine = radius / slant;
  const double cosine = 2.0 * half_length / slant;
  const Vec3 side = cosine * polar.e + Vec3(0.0, 0.0, sine);  // outward normal of the side
  // Measured from whichever end of the side is nearer, so that nothing cancels.
  const double below_apex = point.z() - half_length;
  const double above_base = point.z() + half_length;
  const bool near_base = above_base < half_length;
  const double beyond_side = near_base ? cosine * (polar.rho - radius) + sine * above_base
                                       : cosine * polar.rho + sine * below_apex;
  const double from_apex = sine * polar.rho - cosine * below_apex;  // along the side
  const double tie = point_distance::kTie * slant;
  if (beyond_side <= 0.0 && above_base >= 0.0) {
    const bool by_side = beyond_side > -above_base;
    const bool deep = beyond_side < -tie && above_base > tie;
    const bool tied = std::abs(beyond_side + above_base) <= tie;
    const bool unique = !(deep && (tied || (by_side && polar.rho <= tie)));
    return by_side ? PointDistance{beyond_side, side, unique}
                   : PointDistance{-above_base, -Vec3::UnitZ(), unique};
  }
  if (above_base < 0.0 && polar.rho <= radius) return {-above_base, -Vec3::UnitZ(), true};
  if (beyond_side > 0.0 && from_apex <= 0.0) {
    return point_distance::fromCorner({point.x(), point.y(), below_apex}, side);
  }
  if (beyond_side > 0.0 && from_apex <= slant) return {beyond_side, side, true};
  return point_distance::fromCorner((polar.rho - radius) * polar.e + Vec3(0.0, 0.0, above_base),
                                    side);
}

}  // namespace allclear
