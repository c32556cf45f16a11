#include "allclear/planner/retiming/fastest_pace.h"

#include <gtest/gtest.h>

#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

BSpline randomCurve(test::Random& random) {
  MatX control(3, 14);
  for (int i = 0; i < 14; ++i) control.col(i) = random.vectorX(3, 1.0);
  return {control, 5.0};
}

PlannedLimits limitsOf(double v, double a, double j) {
  PlannedLimits limits = plannedLimits(test::wallProblem());
  limits.velocity.setConstant(v);
  limits.acceleration.setConstant(a);
  limits.jerk.setConstant(j);
  return limits;
}

/// The rows are the derivatives of the retimed curve over their limits: by differences.
TEST(PaceRows, AreTheDerivativesByNewTime) {
  test::Random random(21);
  const BSplineBasis basis = BSplineBasis::uniform(6, 2);
  const BSpline curve = randomCurve(random);
  const double v = 3.0, a = 2.0, j = 7.0;
  const PaceRows rows(curve, limitsOf(v, a, j), basis, {}, {});
  VecX c(basis.controlCount());
  for (int i = 0; i < c.size(); ++i) c[i] = random.uniform(0.5, 2.0);
  const BSpline pace(std::make_shared<const BSplineBasis>(basis), c.transpose(), 5.0);
  for (const PaceSample& sample : rows.samples()) {
    if (std::fmod(sample.t, 5.0 / 6.0) < 1e-3 || std::fmod(sample.t, 5.0 / 6.0) > 0.83) continue;
    // s at the new time h from the sample on, by its Taylor series: exact for quadratic b.
    const double b = pace.value(sample.t)[0], b1 = pace.value(sample.t, 1)[0];
    const double b2 = pace.value(sample.t, 2)[0];
    const auto at = [&](double h) {
      const double p = std::sqrt(b);
      return sample.t + p * h + 0.25 * b1 * h * h + b2 * p * h * h * h / 12.0;
    };
    constexpr double kStep = 2e-3;
    const VecX q2 = curve.value(at(2 * kStep)), q1 = curve.value(at(kStep));
    const VecX q0 = curve.value(sample.t);
    const VecX p1 = curve.value(at(-kStep)), p2 = curve.value(at(-2 * kStep));
    const VecX acceleration = (q1 - 2.0 * q0 + p1) / (kStep * kStep);
    const VecX jerk = (q2 - 2.0 * q1 + 2.0 * p1 - p2) / (2.0 * kStep * kStep * kStep);
    const Vec3 here = c.segment<3>(sample.first);
    ASSERT_EQ(sample.row_count, 6);
    for (int k = 0; k < 3; ++k) {
      const PaceRow& row = rows.rows()[sample.row + 2 * k];
      EXPECT_NEAR(row.weights.dot(here), acceleration[k] / a, 1e-3 * (1.0 + jerk.norm()));
      const PaceRow& jerk_row = rows.rows()[sample.row + 2 * k + 1];
      EXPECT_NEAR(jerk_row.weights.dot(here) * std::sqrt(b), jerk[k] / j,
                  1e-2 * (1.0 + jerk.norm()));
    }
    EXPECT_NEAR(sample.cap, std::pow(v / curve.value(sample.t, 1).cwiseAbs().maxCoeff(), 2),
                1e-9 * sample.cap);
  }
}

/// No small change of the result that stays inside of the limits is much faster.
TEST(FastestPace, IsALocalOptimum) {
  test::Random random(22);
  for (int trial = 0; trial < 10; ++trial) {
    const BSplineBasis basis = BSplineBasis::uniform(20, 2);
    const BSpline curve = randomCurve(random);
    const PaceRows rows(curve, limitsOf(3.0, 5.0, 30.0), basis, {}, {});
    VecX start = VecX::Ones(basis.controlCount());
    start *= rows.feasibleShare(start);
    const FastestPace found = fastestPace(rows, start);
    ASSERT_GT(found.coefficients.size(), 0);
    EXPECT_LT(found.steps, 120);
    EXPECT_TRUE(rows.isInside(found.coefficients, 0.0));
    const auto duration = [&](const VecX& c) {
      double sum = 0.0;
      for (const PaceSample& s : rows.samples()) {
        sum += s.step / std::sqrt(s.value.dot(c.segment<3>(s.first)));
      }
      return sum;
    };
    EXPECT_LT(duration(found.coefficients), duration(start));
    for (int change = 0; change < 300; ++change) {
      const VecX other = found.coefficients.cwiseProduct(
          (VecX::Ones(start.size()) +
           random.logUniform(1e-4, 0.1) * random.vectorX(static_cast<int>(start.size()), 1.0)));
      if (!rows.isInside(other, 0.0)) continue;
      EXPECT_GT(duration(other), 0.99 * duration(found.coefficients));
    }
  }
}

TEST(FastestPace, RefusesAStartBeyondALimit) {
  test::Random random(23);
  const BSplineBasis basis = BSplineBasis::uniform(6, 2);
  const PaceRows rows(randomCurve(random), limitsOf(1e-3, 1e-3, 1e-3), basis, {}, {});
  EXPECT_EQ(fastestPace(rows, VecX::Ones(basis.controlCount())).coefficients.size(), 0);
  EXPECT_GT(rows.feasibleShare(VecX::Ones(basis.controlCount())), 0.0);
}

}  // namespace
}  // namespace allclear
