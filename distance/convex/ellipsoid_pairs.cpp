// Two ellipsoids: decisions and starts from their gauge (ellipsoid_equation.h), the distance by
// Newton's iteration for the normal (ellipsoid_normal.h), from the cheapest on:
//
//  1. A limit: the gauge at a first guess bounds the distance from below without an iteration; then
//     the exact gauge, and the room along its normal, bound it from both sides.
//  2. Apart: Newton from the last normal of the cache, or from the gauge's.
//  3. Overlapping: the same, where the maximum that Newton finds is proven to be the global one.
//     Where not, the search of all convex pairs answers.

#include <algorithm>
#include <cmath>

#include "allclear/distance/convex/ellipsoid_equation.h"
#include "allclear/distance/convex/ellipsoid_normal.h"
#include "allclear/distance/convex/pairs.h"

namespace allclear {
namespace {

/// Error of a gauge at the widest ratios of radii: bounds leave so much room.
constexpr double kGaugeSlack = 1e-11;
/// Radii farther apart are left to the search of all convex pairs: gauges lose digits.
constexpr double kWidestRatio = 1e6;
/// Of the size: points that miss each other by more than this are no contact.
constexpr double kMostMiss = 1e-9;

/// The equation of the pair, in the units that it is solved in.
struct GaugeQuery {
  ellipsoid::Pair<double> pair;
  ellipsoid::Scale<double> size;
  ellipsoid::Equation<double> equation;

  explicit GaugeQuery(const EllipsoidsInA& in) {
    for (int i = 0; i < 3; ++i) {
      pair.a[i] = in.a[i];
      pair.b[i] = in.b[i];
      pair.n[i] = in.c[i];
      for (int j = 0; j < 3; ++j) pair.R[i][j] = in.R(i, j);
    }
    size = ellipsoid::normalise(&pair);
    equation = ellipsoid::equationOf(pair);
  }
  /// Distance of the centres at contact [m]: the exact one at the root, else an upper bound.
  double approachAt(double r) const {
    return size.size / std::sqrt(ellipsoid::contactFunction(equation, r));
  }
};

SignedDistance valueOnly(double distance) {
  SignedDistance out;
  out.distance = distance;
  return out;
}

/// Whether the bounds lower <= distance <= upper tell on which side of the limit it is; then the
/// answer, of which only the side counts. Never with a NaN for a limit.
bool decides(double lower, double upper, double limit, SignedDistance* out) {
  if (lower >= limit) *out = valueOnly(lower);
  if (upper < limit) *out = valueOnly(upper);
  return lower >= limit || upper < limit;
}

/// Lower and upper bound of the distance [m], from the exact distance of the centres at contact.
Interval boundsFrom(double centers, double approach, double least_radii) {
  const double over = centers / approach - 1.0;
  const double slack = kGaugeSlack * approach;
  const double near = over * least_radii, far = over * approach;
  return {std::min(near, far) - slack, std::max(near, far) + slack};
}

SignedDistance inWorld(const PairQuery& query, const EllipsoidNormal& at) {
  SignedDistance out;
  out.distance = at.room;
  out.normal = query.X_WA.R * at.n;
  // The witnesses must differ by exactly room * n: each is moved half of what rounding left.
  const Vec3 on_B = at.on_A + at.room * at.n + at.miss;
  const Vec3 middle = 0.5 * (at.on_A + on_B);
  out.witness_A = query.X_WA * Vec3(middle - 0.5 * at.room * at.n);
  out.witness_B = query.X_WA * Vec3(middle + 0.5 * at.room * at.n);
  // Apart the points are hypot(room, miss) from each other; inside, see `isProvenMaximum`.
  const double miss = at.miss.norm();
  out.gap = at.room > 0.0 ? std::min(miss, 0.5 * miss * miss / at.room) : miss;
  return out;
}

/// The normal to start from, of the gauge; or, with a limit, an answer that needs no more.
struct Start {
  EllipsoidNormal at;
  bool decided = false;
  SignedDistance answer;
};

Start startFromGauge(const EllipsoidsInA& pair, double limit) {
  Start out;
  const GaugeQuery gauge(pair);
  const double least_radii = pair.leastRadii(), centers = gauge.size.centers;
  const bool limited = !std::isnan(limit);
  if (limited) {
    // Any r gives a lower bound of the gauge. In penetration it says nothing about the depth.
    const double over = centers / gauge.approachAt(gauge.equation.start) - 1.0 - kGaugeSlack;
    out.decided = over > 0.0 && decides(over * least_radii, HUGE_VAL, limit, &out.answer);
    if (out.decided) return out;
  }
  double iterations = 0.0;
  const double r = ellipsoid::solve(gauge.equation, ellipsoid::kShortForValue, &iterations);
  if (limited) {
    const Interval bounds = boundsFrom(centers, gauge.approachAt(r), least_radii);
    out.decided = decides(bounds.lower, bounds.upper, limit, &out.answer);
    if (out.decided) return out;
  }
  Vec3 slope;
  ellipsoid::slopeOf(gauge.pair, gauge.equation, r, slope.data());
  out.at = normalAt(pair, slope.normalized());
  return out;
}

}  // namespace

SignedDistance ellipsoidEllipsoid(const PairQuery& query) {
  const EllipsoidsInA pair(std::get_if<Ellipsoid>(&query.A)->radii(), query.X_WA,
                           std::get_if<Ellipsoid>(&query.B)->radii(), query.X_WB);
  if (pair.scale > kWidestRatio * std::min(pair.a.minCoeff(), pair.b.minCoeff())) {
    return convexConvex(query);
  }
  SignedDistance decided;
  EllipsoidNormal at;
  at.room = -1.0;
  if (query.cache != nullptr && query.cache->valid) {
    at = normalAt(pair, query.cache->direction.normalized());
  }
  // With room along it the last normal leads to the one maximum there is.
  if (!(at.room > 0.0)) {
    const Start start = startFromGauge(pair, query.limit);
    if (start.decided) return start.answer;
    at = start.at;
  }
  const bool ended = climbRoom(pair, query.limit, &at);
  if (query.cache != nullptr) *query.cache = {at.n, true};
  if (decides(at.room, HUGE_VAL, query.limit, &decided)) return decided;
  const bool settled = ended && at.miss.norm() <= kMostMiss * pair.scale;
  if (settled && isProvenMaximum(pair, at)) return inWorld(query, at);
  return convexConvex(query);
}

}  // namespace allclear
