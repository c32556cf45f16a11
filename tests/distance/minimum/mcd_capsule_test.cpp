#include "allclear/distance/minimum/capsule/capsule.h"

#include <gtest/gtest.h>

#include "allclear/distance/minimum/capsule/segments_kernel.h"
#include "distance/minimum/mcd_motions.h"
#include "distance/minimum/mcd_oracle.h"

namespace allclear {
namespace {

using test::ChainMotion;
using test::Random;
using test::samplesOf;

double pointSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 u = b - a;
  const double uu = u.squaredNorm();
  const double s = uu > 0.0 ? std::clamp((p - a).dot(u) / uu, 0.0, 1.0) : 0.0;
  return (a + s * u - p).norm();
}

/// Slower, surer: golden section of the convex distance from points of one segment to the other.
double segmentOracle(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  constexpr double kGolden = 0.3819660112501051;
  double low = 0.0, high = 1.0;
  const auto f = [&](double s) { return pointSegment(a0 + s * (a1 - a0), b0, b1); };
  double best = std::min(f(0.0), f(1.0));
  double x1 = kGolden, x2 = 1.0 - kGolden, f1 = f(x1), f2 = f(x2);
  for (int i = 0; i < 80; ++i) {
    best = std::min({best, f1, f2});
    if (f1 < f2) {
      high = x2, x2 = x1, f2 = f1;
      f1 = f(x1 = low + kGolden * (high - low));
    } else {
      low = x1, x1 = x2, f1 = f2;
      f2 = f(x2 = high - kGolden * (high - low));
    }
  }
  return best;
}

mcd::SegmentPair closest(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
  const Vec3 u = a1 - a0, v = b1 - b0, r = b0 - a0;
  return mcd::closestOfSegments(u.x(), u.y(), u.z(), v.x(), v.y(), v.z(), r.x(), r.y(), r.z());
}

TEST(SegmentDistance, EqualsConvexSearchOnDegenerateSegments) {
  Random draw(11);
  for (int i = 0; i < samplesOf(20000, 1000000); ++i) {
    const Vec3 a0 = draw.inBox(1.0);
    const Vec3 u = draw.direction() * (draw.chance(0.1) ? 0.0 : draw.logUniform(1e-9, 2.0));
    Vec3 v = draw.direction() * (draw.chance(0.1) ? 0.0 : draw.logUniform(1e-9, 2.0));
    if (draw.chance(0.3)) v = u * draw.uniform(-2.0, 2.0);
    if (draw.chance(0.3)) v += draw.direction() * draw.logUniform(1e-16, 1e-3) * u.norm();
    Vec3 b0 = a0 + draw.uniform(-0.5, 1.5) * u - draw.uniform(-0.5, 1.5) * v;
    if (!draw.chance(0.2)) b0 += draw.direction() * draw.logUniform(1e-12, 1.0);
    const mcd::SegmentPair pair = closest(a0, a0 + u, b0, b0 + v);
    const double oracle = segmentOracle(a0, a0 + u, b0, b0 + v);
    ASSERT_NEAR(std::sqrt(pair.squared), oracle, 2e-14) << "seed 11, sample " << i;
    ASSERT_NEAR((b0 + pair.tau * v - a0 - pair.sigma * u).norm(), std::sqrt(pair.squared), 2e-14);
  }
}

struct CapsuleMotion {
  ChainMotion chain;
  CapsuleAxis axis;

  double reach() const { return std::max(axis.p0.norm(), axis.p1.norm()); }
};

CapsuleMotion randomCapsule(Random& draw) {
  CapsuleMotion motion;
  const double turn = draw.chance(0.15) ? 6.0 : draw.logUniform(0.01, 3.0);
  motion.chain = test::randomChain(draw, draw.integer(0, 4), turn, draw.logUniform(0.05, 1.5));
  motion.axis.p0 = draw.inBox(0.2);
  motion.axis.p1 = motion.axis.p0;
  if (!draw.chance(0.2)) motion.axis.p1 += draw.direction() * draw.logUniform(1e-4, 0.6);
  motion.axis.radius = draw.logUniform(1e-3, 0.15);
  return motion;
}

double trueDistance(const CapsuleMotion& a, const CapsuleMotion& b, double t) {
  const Pose X_A = a.chain.pose(t), X_B = b.chain.pose(t);
  const mcd::SegmentPair pair =
      closest(X_A * a.axis.p0, X_A * a.axis.p1, X_B * b.axis.p0, X_B * b.axis.p1);
  return std::sqrt(pair.squared) - a.axis.radius - b.axis.radius;
}

std::vector<CapsuleCurve> curvesOf(const CapsuleMotion& motion, Interval span, int cells) {
  const std::vector<BodyCurve> bodies = motion.chain.curves(span, cells);
  std::vector<CapsuleCurve> curves(bodies.size());
  capsuleCurves(bodies, motion.axis, curves);
  return curves;
}

TEST(CapsuleMinimum, BracketsTheTrueMinimumOfRandomMotions) {
  int within = 0, total = 0;
  for (int i = 0; i < samplesOf(1500, 1000000); ++i) {
    Random draw(1000 + i);
    const CapsuleMotion a = randomCapsule(draw);
    const CapsuleMotion b = draw.chance(0.05) ? a : randomCapsule(draw);
    const Interval span{0.0, draw.chance(0.05) ? 0.0 : draw.uniform(0.1, 1.0)};
    CapsuleQuery query;
    query.tolerance = draw.logUniform(1e-6, 1e-2);
    // Coarse cells now and then, so that the remainders matter.
    const double wanted = draw.chance(0.3) ? 1e-2 : query.tolerance / 20.0;
    const int cells = std::max(a.chain.cellsFor(span, wanted, a.reach(), 20),
                               b.chain.cellsFor(span, wanted, b.reach(), 20));
    const auto a_curves = curvesOf(a, span, cells), b_curves = curvesOf(b, span, cells);
    const CapsuleBracket bracket = capsuleMinimum(a_curves, b_curves, query);
    const auto truth =
        test::trueMinimum([&](double t) { return trueDistance(a, b, t); }, span, 100);
    ASSERT_LE(bracket.lower, truth.value) << "seed " << 1000 + i;
    const double t_star = span.lower + (bracket.cell + bracket.s) / cells * span.length();
    ASSERT_GE(bracket.upper, trueDistance(a, b, t_star)) << "seed " << 1000 + i;
    double a_error = 0.0, b_error = 0.0;
    for (const auto& c : a_curves) a_error = std::max(a_error, c.error);
    for (const auto& c : b_curves) b_error = std::max(b_error, c.error);
    const double width = std::max(query.tolerance, query.tolerance / 2 + 2 * (a_error + b_error));
    ASSERT_EQ(bracket.status, McdStatus::kBracketed) << "seed " << 1000 + i;
    ASSERT_LE(bracket.upper - bracket.lower, width * (1 + 1e-9)) << "seed " << 1000 + i;
    ++total;
    within += bracket.upper - bracket.lower <= query.tolerance;
  }
  EXPECT_GT(within, total / 2);
}

TEST(CapsuleMinimum, ErrorsWidenTheKernelsBracket) {
  for (int i = 0; i < 200; ++i) {
    Random draw(7000 + i);
    const CapsuleMotion a = randomCapsule(draw), b = randomCapsule(draw);
    auto a_curves = curvesOf(a, {0.0, 1.0}, 2), b_curves = curvesOf(b, {0.0, 1.0}, 2);
    for (auto* curves : {&a_curves, &b_curves}) {
      for (CapsuleCurve& curve : *curves) curve.error = 0.0;
    }
    const CapsuleBracket exact = capsuleMinimum(a_curves, b_curves, {});
    a_curves[1].error = draw.logUniform(2e-3, 1e-1);
    b_curves[0].error = draw.logUniform(2e-3, 1e-1);
    const double sum = a_curves[1].error + b_curves[0].error;
    const CapsuleBracket bracket = capsuleMinimum(a_curves, b_curves, {});
    ASSERT_LE(bracket.lower, exact.upper - sum) << "seed " << 7000 + i;
    ASSERT_GE(bracket.upper, exact.lower + sum) << "seed " << 7000 + i;
  }
}

}  // namespace
}  // namespace allclear
