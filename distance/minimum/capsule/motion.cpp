#include "allclear/distance/minimum/capsule/motion.h"

#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/distance/minimum/capsule/segments_kernel.h"

namespace allclear::mcd {
namespace {

/// A cross product this small beside its factors has no direction left: the axes are parallel.
constexpr double kParallel = 1e-12;
/// Axes nearer than this share of their coordinates cross, up to rounding: w has no direction.
constexpr double kCrossing = 1e-14;

/// One of a_0, a_1, b_0, b_1 from a row (rows.h).
Vec3 pointOf(const double* x, int index) { return {x[index], x[4 + index], x[8 + index]}; }

/// Some unit vector perpendicular to u and v.
Vec3 commonNormal(const Vec3& u, const Vec3& v) {
  const Vec3 n = u.cross(v);
  if (n.norm() > kParallel * u.norm() * v.norm() && n.norm() > 0.0) return n.normalized();
  const Vec3& longer = u.squaredNorm() > v.squaredNorm() ? u : v;
  return longer.squaredNorm() > 0.0 ? longer.unitOrthogonal() : Vec3::UnitX();
}

}  // namespace

CapsuleMotion::CapsuleMotion(std::span<const CapsuleCurve> a, std::span<const CapsuleCurve> b)
    : a_(a.data()),
      b_(b.data()),
      a_step_(a.size() > 1 ? 1 : 0),
      b_step_(b.size() > 1 ? 1 : 0),
      cells_(static_cast<int>(std::max(a.size(), b.size()))),
      timed_by_b_(a.size() == 1 && (b.size() > 1 || a[0].still())) {
  ALLCLEAR_ASSERT(!a.empty() && !b.empty());
  ALLCLEAR_ASSERT(a.size() == b.size() || (a.size() == 1 && a[0].still()) ||
                  (b.size() == 1 && b[0].still()));
  radii_ = a[0].radius + b[0].radius;
  double a_error = 0.0, b_error = 0.0;
  for (const CapsuleCurve& curve : a) a_error = std::max(a_error, curve.error);
  for (const CapsuleCurve& curve : b) b_error = std::max(b_error, curve.error);
  error_ = a_error + b_error;
}

Instant CapsuleMotion::at(TimePoint when) const {
  CapsuleInstant axes;
  capsuleInstant(curveA(when.cell), curveB(when.cell), when.s, &axes);
  const Vec3 a0 = pointOf(axes.x, 0), u = pointOf(axes.x, 1) - a0;
  const Vec3 b0 = pointOf(axes.x, 2), v = pointOf(axes.x, 3) - b0;
  const Vec3 x_a = a0 + axes.sigma * u, x_b = b0 + axes.tau * v;
  Instant instant;
  const Interval time = cellTime(when.cell);
  instant.when = when;
  instant.t = when.s < 1.0 ? time.lower + when.s * time.length() : time.upper;
  instant.distance = instant.ceiling = axes.distance - radii_;
  instant.unique = axes.distance > kCrossing * (curveA(when.cell).scale + curveB(when.cell).scale);
  instant.normal = instant.unique ? Vec3((x_b - x_a).normalized()) : commonNormal(u, v);
  instant.witness_A = x_a + curveA(when.cell).radius * instant.normal;
  instant.witness_B = x_b - curveB(when.cell).radius * instant.normal;
  // The envelope theorem: the slope of the distance is that of the gap between the witnesses, held
  // fixed to their bodies.
  const Vec3 dx_a = (1.0 - axes.sigma) * pointOf(axes.dx, 0) + axes.sigma * pointOf(axes.dx, 1);
  const Vec3 dx_b = (1.0 - axes.tau) * pointOf(axes.dx, 2) + axes.tau * pointOf(axes.dx, 3);
  if (time.length() > 0.0) instant.slope = instant.normal.dot(dx_b - dx_a) / time.length();
  return instant;
}

bool CapsuleMotion::witnessIsUnique(const Instant& instant) const {
  if (!instant.unique) return false;
  CapsuleInstant axes;
  capsuleInstant(curveA(instant.when.cell), curveB(instant.when.cell), instant.when.s, &axes);
  const Vec3 a0 = pointOf(axes.x, 0), u = pointOf(axes.x, 1) - a0;
  const Vec3 v = pointOf(axes.x, 3) - pointOf(axes.x, 2);
  if (u.norm() == 0.0 || v.norm() == 0.0) return true;
  // Tilt A a little to both sides about its witness, in the plane of the axis and the normal. Along
  // parallel axes the nearest points then jump from one end of the overlap to the other; elsewhere
  // they move by about the angle. The threshold lies far from both.
  constexpr double kTilt = 1e-6;  // [rad]
  constexpr double kJump = 1e-3;  // in parameters of the axes, in [0, 1]
  const Vec3 center = a0 + axes.sigma * u;
  const Vec3 axis = instant.normal;
  double sigma[2], tau[2];
  const Vec3 side = axis.cross(u);
  for (int i = 0; i < 2; ++i) {
    const double angle = i == 0 ? kTilt : -kTilt;
    // Without a side the normal lies along the axis (the witness is an end): tilting changes
    // nothing.
    const Vec3 lift = side.norm() > 0.0 ? Vec3(angle * u.norm() * axis) : Vec3::Zero();
    const Vec3 tilted = u + lift;
    const Vec3 r = pointOf(axes.x, 2) - (center - axes.sigma * tilted);
    const SegmentPair pair = closestOfSegments(tilted.x(), tilted.y(), tilted.z(), v.x(), v.y(),
                                               v.z(), r.x(), r.y(), r.z());
    sigma[i] = pair.sigma;
    tau[i] = pair.tau;
  }
  return std::abs(sigma[0] - sigma[1]) < kJump && std::abs(tau[0] - tau[1]) < kJump;
}

}  // namespace allclear::mcd
