// Signed distances of a point to the primitives, in closed form but for the ellipsoid. Outside, the
// nearest point of the solid is on a face, an edge (rim) or a corner (apex), and which one follows
// from the signs of a few differences. Inside, the nearest face is the way out; where two faces are
// equally near (the medial axis) the gradient is not unique.
//
// Each formula takes differences from the nearest feature, so that points near the surface keep all
// digits. Points on the surface get the gradient of a face that they are on.

#include "allclear/distance/convex/point_distance.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// Of the solid's size: two ways out whose lengths differ by less are equally short, so that the
/// normal is not unique.
constexpr double kTie = 1e-9;

/// Of the root: a Newton step this small changes the last bit at most.
constexpr double kLastBit = 1e-16;

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
PointDistance fromCorner(const Vec3& away, const Vec3& if_zero) {
  const double d = away.norm();
  return {d, d > 0.0 ? Vec3(away / d) : if_zero, true};
}

}  // namespace

PointDistance pointToSegment(const Vec3& point, double half_length) {
  const Vec3 away(point.x(), point.y(),
                  point.z() - std::clamp(point.z(), -half_length, half_length));
  PointDistance out = fromCorner(away, Vec3::UnitX());
  out.unique = out.distance > 0.0;
  return out;
}

PointDistance pointToBox(const Vec3& point, const Vec3& half_size) {
  const Vec3 beyond = point.cwiseAbs() - half_size;
  // Outside: only the axes along which the point is beyond the box count.
  if ((beyond.array() > 0.0).any()) {
    Vec3 away = beyond.cwiseMax(0.0);
    for (int i = 0; i < 3; ++i) away[i] = std::copysign(away[i], point[i]);
    return fromCorner(away, Vec3::UnitX());
  }
  // Inside: out through the nearest face. It is unique unless the point is in the middle between
  // two opposite faces, or as near to a face of another axis (on the surface that is an edge, where
  // either normal is right).
  int axis = 0;
  const double depth = beyond.maxCoeff(&axis);
  const double tie = kTie * half_size.maxCoeff();
  PointDistance out{depth, Vec3::Zero(), std::abs(point[axis]) > tie};
  out.gradient[axis] = std::copysign(1.0, point[axis]);
  for (int i = 0; i < 3; ++i) {
    if (i != axis && beyond[i] >= depth - tie) out.unique = out.unique && depth >= -tie;
  }
  return out;
}

PointDistance pointToCylinder(const Vec3& point, double radius, double half_length) {
  const Polar polar(point);
  const double beyond_side = polar.rho - radius;
  const double beyond_cap = std::abs(point.z()) - half_length;
  const Vec3 up(0.0, 0.0, std::copysign(1.0, point.z()));
  if (beyond_side > 0.0 && beyond_cap > 0.0) {
    return fromCorner(beyond_side * polar.e + beyond_cap * up, up);
  }
  // Above a cap, beside the side, or inside: by whichever of the two is farther out.
  const double tie = kTie * std::max(radius, half_length);
  const bool by_side = beyond_side > beyond_cap;
  const bool inside = beyond_side < -tie && beyond_cap < -tie;
  const bool on_axis = by_side ? polar.rho <= tie : std::abs(point.z()) <= tie;
  const bool tied = std::abs(beyond_side - beyond_cap) <= tie;
  const bool unique = !(inside && (on_axis || tied));
  return by_side ? PointDistance{beyond_side, polar.e, unique}
                 : PointDistance{beyond_cap, up, unique};
}

// In the half-plane (rho, z) the cone is a right triangle: the base z = -h from the axis to the rim
// (r, -h), and the side from the rim to the apex (0, h), with outward normal (cosine, sine) and
// direction (sine, -cosine) from the apex. The regions are: inside; below the base; above the apex
// (seen along the side, before it); beside the side; else beyond the rim.
PointDistance pointToCone(const Vec3& point, double radius, double half_length) {
  const Polar polar(point);
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
  const double tie = kTie * slant;
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
    return fromCorner({point.x(), point.y(), below_apex}, side);
  }
  if (beyond_side > 0.0 && from_apex <= slant) return {beyond_side, side, true};
  return fromCorner((polar.rho - radius) * polar.e + Vec3(0.0, 0.0, above_base), side);
}

// Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid": the nearest
// point is x_i = e_i^2 y_i / (t + e_i^2) with the largest root t of sum (x_i / e_i)^2 = 1. Here
// s = t + e_min^2 is the unknown, so that points near the medial disc lose no digits, and Newton
// runs on 1 / |x / e|, which is nearly linear in s and convergent from the left.
//
// On the medial disc (the component of y along the least axis is 0, and y is well inside) no s > 0
// solves the equation: s = 0, and the missing part of the normal points along the least axis,
// either way.
PointDistance pointToEllipsoid(const Vec3& point, const Vec3& radii) {
  constexpr int kMostSteps = 60;  // quadratic in the end: far more than are needed
  int least = 0;
  const double e_min = radii.minCoeff(&least);
  const Vec3 y = point.cwiseAbs();
  Vec3 ey = radii.cwiseProduct(y);
  Vec3 beyond;  // e_i^2 - e_min^2
  for (int i = 0; i < 3; ++i) beyond[i] = (radii[i] - e_min) * (radii[i] + e_min);
  // No root is left of where one term alone is 1: e_i y_i = s + beyond_i.
  double s = std::max(0.0, (ey - beyond).maxCoeff());
  const auto term = [&](int i, double at) { return ey[i] > 0.0 ? ey[i] / (at + beyond[i]) : 0.0; };
  bool medial = false;
  if (s == 0.0) {
    // Only possible with the component along the least axis (and its equals) zero.
    const double sum2 =
        term(0, 0.0) * term(0, 0.0) + term(1, 0.0) * term(1, 0.0) + term(2, 0.0) * term(2, 0.0);
    medial = sum2 <= 1.0;
  }
  for (int i = 0; !medial && i < kMostSteps; ++i) {
    double sum2 = 0.0;
    double slope = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double x = term(k, s);
      sum2 += x * x;
      if (x > 0.0) slope += x * x / (s + beyond[k]);
    }
    const double norm = std::sqrt(sum2);
    const double step = (norm - 1.0) * sum2 / slope;
    if (!(std::abs(step) > kLastBit * s)) break;
    s += step;
  }
  Vec3 normal;  // x_i / e_i^2
  for (int i = 0; i < 3; ++i) normal[i] = y[i] > 0.0 ? y[i] / (s + beyond[i]) : 0.0;
  if (medial) {
    const double rest = 1.0 - normal.cwiseProduct(radii).squaredNorm();
    normal[least] = std::sqrt(std::max(0.0, rest)) / e_min;
  }
  const double length = normal.norm();
  const double t = s - e_min * e_min;
  PointDistance out{t * length, normal / length, !medial};
  for (int i = 0; i < 3; ++i) out.gradient[i] = std::copysign(out.gradient[i], point[i]);
  if (s <= kTie * e_min * e_min) out.unique = false;
  return out;
}

}  // namespace allclear
