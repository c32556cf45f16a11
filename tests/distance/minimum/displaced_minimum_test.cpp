// The minimum over time of the distance to a body that may be displaced, by an ellipsoid that
// changes with time, against dense sampling and against single motions of displaced bodies.
#include <gtest/gtest.h>

#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/support.h"
#include "distance/minimum/mcd_oracle.h"
#include "distance/minimum/mcd_shapes.h"

namespace allclear::test {
namespace {

constexpr Interval kSpan{0.0, 1.0};

Mat3 drawSpread(Random& draw, double size) {
  const Mat3 R = draw.rotation();
  Vec3 axes(draw.logUniform(0.02, 1.0), draw.logUniform(0.02, 1.0), draw.logUniform(0.02, 1.0));
  if (draw.chance(0.2)) axes[0] = 0.0;
  if (draw.chance(0.1)) axes.setZero();  // grows out of nothing: with an infinite slope
  return size * size * R * axes.cwiseAbs2().asDiagonal() * R.transpose();
}

struct DisplacedMotion {
  MovingSolid a, b;
  Spread spread;
  Mat3 at(double t) const { return spread.start + t * (spread.end - spread.start); }
  double distance(double t) const {
    const Mat3 K = at(t);
    DistanceOptions options;
    options.spread = &K;
    return signedDistance(a.shape, a.pose(t), b.shape, b.pose(t), nullptr, options).distance;
  }
};

DisplacedMotion drawMotion(Random& draw) {
  DisplacedMotion m;
  m.a = randomSolid(draw, draw.integer(0, 7));
  m.b = randomSolid(draw, draw.integer(0, 7));
  if (std::holds_alternative<HalfSpace>(m.b.shape)) m.b.shape = Sphere(0.1);
  if (std::holds_alternative<HalfSpace>(m.a.shape)) m.a.chain = ChainMotion{{}, draw.pose(0.5)};
  const double size = draw.logUniform(0.01, 0.5);
  m.spread.start = drawSpread(draw, size);
  m.spread.end =
      draw.chance(0.5) ? Mat3(m.spread.start + drawSpread(draw, size)) : drawSpread(draw, size);
  fitCurves(&m.a, &m.b, kSpan, 1e-6);
  return m;
}

TEST(DisplacedMinimum, BracketsTheTrueMinimum) {
  Random draw(51);
  int decided = 0;
  for (int i = 0; i < samplesOf(300, 6000); ++i) {
    const DisplacedMotion m = drawMotion(draw);
    const bool plane = std::holds_alternative<HalfSpace>(m.a.shape);
    const double error = errorOf(m.a, m.b) + 1e-6;
    const auto truth = trueMinimum([&](double t) { return m.distance(t); }, kSpan, 100);
    McdOptions options;
    options.tolerance = 1e-4;
    options.spread = &m.spread;
    const DistanceBracket bracket = minimumDistance(m.a.moving(), m.b.moving(), options);
    ASSERT_LE(bracket.lower, truth.value + error) << "case " << i;
    if (plane) continue;  // displaced by the most of both ends: below the truth
    ASSERT_GE(bracket.upper, truth.value - error) << "case " << i;
    ASSERT_EQ(bracket.status, McdStatus::kBracketed) << "case " << i;
    // With a threshold.
    options.threshold = truth.value + draw.uniform(-0.05, 0.05);
    const DistanceBracket decision = minimumDistance(m.a.moving(), m.b.moving(), options);
    if (*options.threshold < truth.value - error - 1e-5) {
      EXPECT_EQ(decision.status, McdStatus::kCertifiedAbove) << "case " << i;
      ++decided;
    } else if (*options.threshold > truth.value + error + 1e-5) {
      EXPECT_EQ(decision.status, McdStatus::kBelow) << "case " << i;
    }
  }
  EXPECT_GT(decided, 50);
}

/// Every motion of the displacement within its ellipsoid, however wild, keeps the proven distance.
TEST(DisplacedMinimum, HoldsForRandomMotionsWithin) {
  Random draw(52);
  double closest = HUGE_VAL;
  for (int i = 0; i < samplesOf(200, 4000); ++i) {
    const DisplacedMotion m = drawMotion(draw);
    McdOptions options;
    options.spread = &m.spread;
    const DistanceBracket bracket = minimumDistance(m.a.moving(), m.b.moving(), options);
    for (int k = 0; k < 100; ++k) {
      const double t = draw.uniform(0.0, 1.0);
      // Towards A half of the time: where it is nearest, or nearly.
      const Vec3 n = draw.chance(0.5) ? draw.direction() : bracket.normal;
      Pose X_B = m.b.pose(t);
      X_B.p -= farthestDisplacement(m.at(t), n) * (draw.chance(0.8) ? 1.0 : draw.uniform(0, 1));
      const double d = signedDistance(m.a.shape, m.a.pose(t), m.b.shape, X_B).distance;
      ASSERT_GE(d, bracket.lower - 1e-7) << "case " << i;
      closest = std::min(closest, d - bracket.lower);
    }
  }
  EXPECT_LT(closest, 1e-3);
}

/// The slope by time, by which searches divide intervals: the displacement does not turn with B,
/// but it grows.
TEST(DisplacedMinimum, SlopeIsTheDifference) {
  Random draw(53);
  int probed = 0;
  for (int i = 0; i < 400; ++i) {
    const DisplacedMotion m = drawMotion(draw);
    if (std::holds_alternative<HalfSpace>(m.a.shape)) continue;
    const auto curves_a = convexCurves(m.a.moving()), curves_b = convexCurves(m.b.moving());
    mcd::ConvexMotion motion(curves_a, curves_b, &m.spread);
    const double t = draw.uniform(0.1, 0.9), h = 1e-5;
    const auto at = [&](double time) { return motion.at(mcd::timePointAt(motion, time)); };
    const mcd::Instant here = at(t), before = at(t - h), after = at(t + h);
    // Where the normal jumps there is no slope.
    if (!here.unique || (before.normal - after.normal).norm() > 1e-2 || here.distance < 0.0)
      continue;
    const double reach = displacementReach(m.at(t), here.normal);
    if (reach < 1e-3) continue;
    ++probed;
    EXPECT_NEAR(here.slope, (after.distance - before.distance) / (2 * h), 2e-3) << "case " << i;
  }
  EXPECT_GT(probed, 100);
}

TEST(DisplacedMinimum, OfAMeshIsNeverTooLarge) {
  Random draw(54);
  const std::vector<Vec3> corners{{0, 0, 0}, {0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.3}};
  for (int i = 0; i < 60; ++i) {
    DisplacedMotion m = drawMotion(draw);
    m.a.shape = TriangleMesh(corners, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
    if (std::holds_alternative<ConvexMesh>(m.b.shape)) m.b.shape = Sphere(0.1);
    fitCurves(&m.a, &m.b, kSpan, 1e-5);
    const double error = errorOf(m.a, m.b) + 1e-4;
    McdOptions options;
    options.spread = &m.spread;
    const DistanceBracket bracket = minimumDistance(m.a.moving(), m.b.moving(), options);
    double seen = HUGE_VAL;
    for (int k = 0; k < 300; ++k) {
      const double t = k == 0 ? bracket.t_star : draw.uniform(0.0, 1.0);
      Pose X_B = m.b.pose(t);
      X_B.p -= farthestDisplacement(m.at(t), k == 0 ? bracket.normal : draw.direction());
      const double d = signedDistance(m.a.shape, m.a.pose(t), m.b.shape, X_B).distance;
      ASSERT_GE(d, bracket.lower - error) << "case " << i;
      // Of the places at t* this one, or B's own, is what was seen.
      if (k == 0)
        seen = std::min(d, signedDistance(m.a.shape, m.a.pose(t), m.b.shape, m.b.pose(t)).distance);
    }
    if (!bracket.evaluated || !(bracket.upper > 0.0)) continue;
    EXPECT_GE(bracket.upper, seen - error) << i;
  }
}

}  // namespace
}  // namespace allclear::test
