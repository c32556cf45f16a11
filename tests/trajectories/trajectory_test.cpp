#include "allclear/trajectories/trajectory.h"

#include <gtest/gtest.h>

#include "allclear/core/assert.h"
#include "trajectories/curves.h"

namespace allclear {
namespace {

using test::Extended;
using test::Random32;

/// The `order`-th derivative of the polynomial through the data of span i, from its closed form in
/// monomials, in extended precision.
Extended hermiteOracle(const HermiteCurve& curve, int row, int i, Extended t, int order) {
  const Extended h = static_cast<Extended>(curve.times()[i + 1]) - curve.times()[i];
  const Extended q0 = curve.positions()(row, i), q1 = curve.positions()(row, i + 1);
  const Extended u = (t - curve.times()[i]) / h;
  const auto sumOf = [&](std::initializer_list<Extended> c) {
    Extended sum = 0.0L;
    for (int k = order; k < static_cast<int>(c.size()); ++k) {
      Extended factor = 1.0L;
      for (int j = 0; j < order; ++j) factor *= k - j;
      sum += factor * c.begin()[k] * std::pow(u, k - order);
    }
    return sum * std::pow(h, -order);
  };
  if (curve.givenOrder() == 0) return sumOf({q0, q1 - q0});
  const Extended v0 = curve.velocities()(row, i) * h, v1 = curve.velocities()(row, i + 1) * h;
  const Extended d = q1 - q0;
  if (curve.givenOrder() == 1) return sumOf({q0, v0, 3 * d - 2 * v0 - v1, v0 + v1 - 2 * d});
  const Extended a0 = curve.accelerations()(row, i) * h * h;
  const Extended a1 = curve.accelerations()(row, i + 1) * h * h;
  return sumOf({q0, v0, a0 / 2, 10 * d - 6 * v0 - 4 * v1 - 1.5L * a0 + 0.5L * a1,
                -15 * d + 8 * v0 + 7 * v1 + 1.5L * a0 - a1,
                6 * d - 3 * (v0 + v1) - 0.5L * a0 + 0.5L * a1});
}

Extended truth(const Trajectory& curve, int row, Extended t, int order, Extended* noise) {
  if (const BSpline* spline = curve.bspline()) {
    const Extended value = test::oracle(*spline, row, t, order, noise);
    *noise *= 1e-17L;
    return value;
  }
  const HermiteCurve& hermite = *curve.hermite();
  const int i = hermite.spanAt(static_cast<double>(t));
  const Extended h = hermite.times()[i + 1] - hermite.times()[i];
  const auto largest = [](const MatX& rows) {
    return rows.size() > 0 ? rows.cwiseAbs().maxCoeff() : 0.0;
  };
  *noise = 1e-16L * std::pow(h, -order) *
           (largest(hermite.positions()) + h * largest(hermite.velocities()) +
            h * h * largest(hermite.accelerations()));
  return hermiteOracle(hermite, row, i, t, order);
}

/// Quintic, cubic or linear between its rows.
HermiteCurve randomRows(Random32& random) {
  const HermiteCurve all = test::randomHermite(random);
  const unsigned given = random() % 4;
  if (given == 0) return {all.times(), all.positions()};
  if (given == 1) return {all.times(), all.positions(), all.velocities()};
  return all;
}

Trajectory randomTrajectory(Random32& random) {
  if (random() % 3 == 0) return randomRows(random);
  BSpline spline = test::randomSpline(random, random() % 2 ? 5 : 2 + static_cast<int>(random() % 5),
                                      random() % 2, 1 + static_cast<int>(random() % 9));
  MatX control = spline.control();
  control.array() += random.logUniform(1e-3, 1e3);
  return spline.withControl(control);
}

Interval randomInterval(const Trajectory& curve, Random32& random) {
  const double T = curve.duration();
  const double length = T * random.logUniform(1e-9, 1.0);
  double from = random.uniform(0.0, T - length);
  const Interval span = curve.spanTime(static_cast<int>(random() % curve.spanCount()));
  if (random() % 4 == 0) from = span.lower;                          // begins at a joint
  if (random() % 4 == 0) from = std::max(0.0, span.upper - length);  // ends at one
  if (random() % 8 == 0) return {from, from};
  return {from, std::min(T, from + length)};
}

TEST(HermiteCurve, PassesThroughItsDataToTheBit) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Random32 random(seed);
    const HermiteCurve curve = test::randomHermite(random);
    for (int i = 0; i <= curve.spanCount(); ++i) {
      ASSERT_EQ(curve.value(curve.times()[i], 0), curve.positions().col(i));
      ASSERT_EQ(curve.value(curve.times()[i], 1), curve.velocities().col(i));
      ASSERT_EQ(curve.value(curve.times()[i], 2), curve.accelerations().col(i));
    }
    EXPECT_EQ(curve.value(-1.0), curve.positions().col(0)) << "times are clamped";
    EXPECT_EQ(curve.value(1e9, 2), curve.accelerations().rightCols(1));
  }
}

TEST(HermiteCurve, IsThePolynomialOfItsData) {
  for (unsigned seed = 0; seed < static_cast<unsigned>(test::samples(500, 5000)); ++seed) {
    Random32 random(seed);
    const HermiteCurve curve = randomRows(random);
    const int i = static_cast<int>(random() % curve.spanCount());
    const Interval span = curve.spanTime(i);
    const double t = random.uniform(span.lower, span.upper);
    for (int order = 0; order <= 6; ++order) {
      for (int r = 0; r < curve.dimension(); ++r) {
        const SpanCoefficients piece = curve.coefficients(i, order, r);
        Extended truth = order > curve.degree() ? 0.0L : hermiteOracle(curve, r, i, t, order);
        // Rounding of t within the span: the slope times an ulp.
        const double slope = curve.coefficients(i, order + 1, r).magnitude() * 1e-15 * span.upper;
        ASSERT_NEAR(curve.value(t, order)[r], static_cast<double>(truth),
                    2.0 * piece.error + 1e-14 * piece.magnitude() + slope)
            << "seed " << seed << " order " << order;
      }
    }
    ASSERT_LE((curve.span(i).value(t) - curve.value(t)).norm(),
              1e-13 * (curve.span(i).magnitudeBound().norm()));
  }
}

TEST(Trajectory, SpansAndDerivativeSpansAreTheCurve) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Random32 random(seed);
    const Trajectory curve = randomTrajectory(random);
    const int i = static_cast<int>(random() % curve.spanCount());
    const Interval span = curve.spanTime(i);
    const double t = random.uniform(span.lower, span.upper);
    ASSERT_EQ(curve.spanAt(t), i);
    ASSERT_EQ(curve.span(i).time().lower, span.lower);
    for (int order = 0; order <= 6; ++order) {
      const BernsteinSpan derivative = curve.derivativeSpan(i, order);
      const double slack =
          1e-14 * curve.duration() * curve.derivativeSpan(i, order + 1).magnitudeBound().norm();
      double noise = 0.0;
      for (int k = 0; k < curve.dimension(); ++k) {
        noise += curve.bspline() ? curve.bspline()->coefficients(i, order, k).error
                                 : curve.hermite()->coefficients(i, order, k).error;
      }
      ASSERT_LE((derivative.value(t) - curve.value(t, order)).norm(),
                1e-12 * derivative.magnitudeBound().norm() + slack + 10.0 * noise)
          << "seed " << seed << " order " << order;
    }
  }
}

TEST(Trajectory, DerivativeBoundsDominateDenseSamplesAndAreTight) {
  const unsigned count = static_cast<unsigned>(test::samples(3000, 100000));
  std::array<double, 5> tightest{};
  for (unsigned seed = 0; seed < count; ++seed) {
    Random32 random(seed);
    const Trajectory curve = randomTrajectory(random);
    const Interval part = randomInterval(curve, random);
    for (int order = 0; order <= 4; ++order) {
      const VecX bound = curve.derivativeBound(order, part);
      const Trajectory::Bounds range = curve.bounds(order, part);
      ASSERT_TRUE(bound.allFinite() && range.lower.allFinite() && range.upper.allFinite());
      Extended greatest = 0.0L;
      for (int n = 0; n <= 10; ++n) {
        const Extended t = part.lower + (static_cast<Extended>(part.upper) - part.lower) * n / 10;
        Extended noise;
        const Extended value = truth(curve, 0, t, order, &noise);
        ASSERT_GE(bound[0], std::abs(value) - noise)
            << "seed " << seed << " order " << order << " at " << static_cast<double>(t);
        ASSERT_LE(range.lower[0], value + noise) << "seed " << seed << " order " << order;
        ASSERT_GE(range.upper[0], value - noise) << "seed " << seed << " order " << order;
        greatest = std::max(greatest, std::abs(value));
      }
      if (bound[0] > 0.0) {
        tightest[order] = std::max(tightest[order], static_cast<double>(greatest) / bound[0]);
      }
    }
  }
  for (int order = 0; order <= 4; ++order) {
    EXPECT_GE(tightest[order], 0.9999) << "order " << order << ": the bound is vacuous";
    EXPECT_LE(tightest[order], 1.0 + 1e-10);
  }
}

TEST(Trajectory, BoundsOfShortIntervalsAreTightNearlyAlways) {
  int tight = 0, total = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Random32 random(seed);
    const Trajectory curve = test::randomSpline(random, 5, true);
    const double length = 0.1 * curve.spanTime(0).length();
    const double from = random.uniform(0.0, curve.duration() - length);
    for (int order = 1; order <= 3; ++order) {
      double greatest = 0.0;
      for (int n = 0; n <= 10; ++n) {
        greatest = std::max(greatest, std::abs(curve.value(from + length * n / 10.0, order)[0]));
      }
      tight += greatest >= 0.95 * curve.derivativeBound(order, {from, from + length})[0];
      ++total;
    }
  }
  EXPECT_GE(tight, total * 95 / 100);
}

TEST(Trajectory, ARestingCurveFarFromZeroHasZeroDerivativeBounds) {
  const Trajectory rest = BSpline(MatX::Constant(7, 13, 1234.5678), 3.0);
  for (int order = 1; order <= 3; ++order) {
    EXPECT_EQ(rest.derivativeBound(order, {0.1, 2.0}), VecX::Zero(7));
  }
  const HermiteCurve hermite({0.0, 0.3, 0.5}, MatX::Constant(2, 3, 1234.5678), MatX::Zero(2, 3),
                             MatX::Zero(2, 3));
  EXPECT_EQ(Trajectory(hermite).derivativeBound(3, {0.0, 0.5}), VecX::Zero(2));
}

TEST(Trajectory, BoundsOutsideTheCurveAreThoseOfItsEnds) {
  Random32 random(5);
  const Trajectory curve = test::randomSpline(random, 5, true);
  const Trajectory::Bounds after = curve.bounds(0, {curve.duration() + 1.0, 1e9});
  EXPECT_NEAR(after.lower[0], curve.value(curve.duration())[0], 1e-12);
  EXPECT_NEAR(after.upper[0], curve.value(curve.duration())[0], 1e-12);
  EXPECT_THROW(curve.derivativeBound(1, {1.0, 0.0}), ContractViolation);
  EXPECT_THROW(curve.derivativeBound(1, {NAN, 1.0}), ContractViolation);
}

TEST(ControllerRows, AreAtTheJointsAndAtTheRateBetweenThem) {
  Random32 random(6);
  for (double T : {0.5, 1.0, 0.9999, 1.00001, 1e-3, 1.7320508}) {
    for (const double rate : {0.0, 250.0, 999.0}) {
      const BSpline curve = test::randomSpline(random, 5, true).withDuration(T);
      const HermiteCurve rows = controllerRows(curve, rate);
      EXPECT_EQ(rows.times().front(), 0.0);
      EXPECT_NEAR(rows.times().back(), T, 0.5e-9);
      if (rate == 0.0) {
        EXPECT_EQ(rows.spanCount(), curve.spanCount());
      }
      for (std::size_t i = 1; i < rows.times().size(); ++i) {
        const double t = rows.times()[i];
        EXPECT_EQ(t, std::round(t * 1e9) / 1e9) << "a whole nanosecond";
        const double step = t - rows.times()[i - 1];
        EXPECT_LE(step, (rate > 0.0 ? 1.1 / rate : T) + 1e-9);
        if (rate > 0.0 && curve.spanTime(0).length() > 1.0 / rate) {
          EXPECT_GE(step, 0.1 / rate - 1e-9);
        }
        EXPECT_EQ(rows.velocities().col(static_cast<Eigen::Index>(i)),
                  curve.value(i + 1 < rows.times().size() ? t : T, 1));
      }
      for (int i = 0; i < curve.spanCount(); ++i) {
        const double joint = std::round(curve.spanTime(i).lower * 1e9) / 1e9;
        EXPECT_EQ(std::count(rows.times().begin(), rows.times().end(), joint), 1) << joint;
      }
    }
  }
}

TEST(ControllerRows, OfAQuinticSplineAreTheSpline) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random32 random(seed);
    BSpline curve = test::randomSpline(random, 5, true).withDuration(1.0 + 0.1234567890123);
    MatX control = curve.control();  // to rest: there a nanosecond more or less changes nothing
    const Eigen::Index last = control.cols() - 1;
    control.col(last - 2) = control.col(last - 1) = control.col(last);
    curve = curve.withControl(control);
    for (const double rate : {0.0, 100.0}) {
      const Trajectory rows = controllerRows(curve, rate);
      double scale[4];
      for (int order = 0; order < 4; ++order) {
        scale[order] = Trajectory(curve).derivativeBound(order, {0.0, 2.0}).maxCoeff();
      }
      const double last_joint = curve.spanTime(curve.spanCount() - 1).lower;
      for (double t = 0.0; t < 1.12; t += 0.00713) {
        // The last span comes to rest at the whole nanosecond.
        const double late = t > last_joint - 1e-9 ? 1e-9 : 0.0;
        for (int order = 0; order < 3; ++order) {
          EXPECT_LE((rows.value(t, order) - curve.value(t, order)).norm(),
                    std::pow(1e3, order) * 1e-14 * scale[order] + late * scale[order + 1])
              << "seed " << seed << ", t = " << t << ", order " << order;
        }
      }
    }
  }
}

TEST(HermiteCurve, OfFewerRowsIsLinearOrCubic) {
  Random32 random(7);
  const HermiteCurve all = test::randomHermite(random);
  const HermiteCurve line(all.times(), all.positions());
  const HermiteCurve cubic(all.times(), all.positions(), all.velocities());
  EXPECT_EQ(line.span(0).degree(), 1);
  EXPECT_EQ(cubic.span(0).degree(), 3);
  EXPECT_EQ(line.value(all.duration()), all.positions().rightCols(1));
  EXPECT_EQ(line.value(0.5 * all.times()[1], 2), VecX::Zero(3));
  EXPECT_EQ(cubic.value(all.duration(), 1), all.velocities().rightCols(1));
}

TEST(HermiteCurve, RefusesBrokenContracts) {
  const MatX two = MatX::Zero(1, 2);
  EXPECT_THROW(HermiteCurve({0.0}, MatX::Zero(1, 1), MatX::Zero(1, 1), MatX::Zero(1, 1)),
               ContractViolation);
  EXPECT_THROW(HermiteCurve({0.0, 0.0}, two, two, two), ContractViolation);
  EXPECT_THROW(HermiteCurve({1.0, 2.0}, two, two, two), ContractViolation);
  EXPECT_THROW(HermiteCurve({0.0, 1.0}, two, two, MatX::Constant(1, 2, NAN)), ContractViolation);
  EXPECT_THROW(HermiteCurve({0.0, 1.0}, two, two, MatX::Zero(2, 2)), ContractViolation);
  EXPECT_THROW(HermiteCurve({0.0, 1.0}, two, MatX(), two), ContractViolation);
}

}  // namespace
}  // namespace allclear
