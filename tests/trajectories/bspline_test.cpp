#include "allclear/trajectories/bspline.h"

#include <gtest/gtest.h>

#include "allclear/core/assert.h"
#include "trajectories/curves.h"

namespace allclear {
namespace {

using test::Extended;
using test::Random32;

/// Runs `body(spline, random)` on random splines of all degrees from `least` on and both kinds of
/// knots.
template <class Body>
void onRandomSplines(unsigned seed, int count, int least, Body body) {
  for (int n = 0; n < count; ++n) {
    Random32 random(seed + static_cast<unsigned>(n));
    const int degree = n % 2 ? 5 : least + static_cast<int>(random() % 6);
    const BSpline spline =
        test::randomSpline(random, degree, n % 3 == 0, 1 + static_cast<int>(random() % 9));
    SCOPED_TRACE("seed " + std::to_string(seed + static_cast<unsigned>(n)) + ", degree " +
                 std::to_string(degree));
    body(spline, random);
    if (::testing::Test::HasFailure()) return;
  }
}

double randomTime(const BSpline& spline, Random32& random) {
  switch (random() % 8) {
    case 0:
      return 0.0;
    case 1:
      return spline.duration();
    case 2:
      return spline.spanTime(static_cast<int>(random() % spline.spanCount())).lower;
    default:
      return random.uniform(0.0, spline.duration());
  }
}

/// Largest value of the control points that shape the curve, over the shortest span to `order`.
double scaleOf(const BSpline& spline, int order) {
  double shortest = spline.duration();
  for (int i = 0; i < spline.spanCount(); ++i) {
    shortest = std::min(shortest, spline.spanTime(i).length());
  }
  return spline.control().cwiseAbs().maxCoeff() * std::pow(2.0 * spline.degree() / shortest, order);
}

TEST(BSpline, ValuesAndDerivativesAgreeWithTheRecursionThatDefinesThem) {
  onRandomSplines(1, test::samples(100, 1000), 1, [](const BSpline& spline, Random32& random) {
    for (int n = 0; n < 8; ++n) {
      // Not at joints, where the oracle's s and ours may round to different sides.
      const double t = random.uniform(0.0, spline.duration());
      for (int order = 0; order <= spline.degree(); ++order) {
        const VecX value = spline.value(t, order);
        for (int r = 0; r < spline.dimension(); ++r) {
          Extended scale;
          const Extended truth = test::oracle(spline, r, t, order, &scale);
          // The time's own rounding moves the value by the slope: covered by the
          // next order.
          Extended slope = 0.0L;
          if (order < spline.degree()) test::oracle(spline, r, t, order + 1, &slope);
          ASSERT_NEAR(value[r], static_cast<double>(truth),
                      static_cast<double>(2e-14L * scale + 1e-15L * t * slope))
              << "order " << order << " at " << t;
        }
      }
    }
  });
}

TEST(BSpline, StartsAndEndsInItsFirstAndLastControlPoint) {
  onRandomSplines(2, 50, 1, [](const BSpline& spline, Random32&) {
    EXPECT_EQ(spline.value(0.0), spline.control().col(0));
    const VecX last = spline.control().rightCols(1);
    EXPECT_LE((spline.value(spline.duration()) - last).norm(), 1e-15 * last.norm());
    EXPECT_EQ(spline.value(-1.0, 1), spline.value(0.0, 1)) << "times are clamped";
    EXPECT_EQ(spline.value(spline.duration() + 1.0, 1), spline.value(spline.duration(), 1));
  });
}

TEST(BSpline, DerivativesAgreeWithCentralDifferences) {
  onRandomSplines(3, 200, 3, [](const BSpline& spline, Random32& random) {
    const int span = static_cast<int>(random() % spline.spanCount());
    const Interval within = spline.spanTime(span);
    const double h = 1e-4 * within.length();
    const double t = random.uniform(within.lower + h, within.upper - h);
    for (int order = 1; order <= 3; ++order) {
      const VecX difference =
          (spline.value(t + h, order - 1) - spline.value(t - h, order - 1)) / (2.0 * h);
      const double scale = scaleOf(spline, order);
      // The shortest span makes the scale; within it the differences are good to h^2.
      EXPECT_LE((difference - spline.value(t, order)).norm(), 1e-6 * scale) << order << " at " << t;
    }
  });
}

TEST(BSpline, LinearMapTimesControlPointsIsTheValue) {
  onRandomSplines(4, 200, 1, [](const BSpline& spline, Random32& random) {
    const double t = randomTime(spline, random);
    const double T = spline.duration();
    for (int order = 0; order <= spline.degree() + 1; ++order) {
      const BasisWeights map = spline.linearMap(order, t);
      ASSERT_EQ(map.weights.size(), spline.degree() + 1);
      const VecX value = spline.control().middleCols(map.first, spline.degree() + 1) * map.weights;
      const double scale = scaleOf(spline, order);
      ASSERT_LE((value - spline.value(t, order)).norm(), 1e-13 * scale) << order;
      const MatX dense = spline.basis().matrix(order, VecX::Constant(1, t / T));
      const VecX from_dense = spline.control() * dense.transpose() / std::pow(T, order);
      ASSERT_LE((from_dense - value).norm(), 1e-13 * scale);
    }
  });
}

TEST(BSpline, BernsteinSpansAreTheCurve) {
  onRandomSplines(5, test::samples(200, 2000), 1, [](const BSpline& spline, Random32& random) {
    const double size = spline.control().cwiseAbs().maxCoeff();
    for (int i = 0; i < spline.spanCount(); ++i) {
      const BernsteinSpan span = spline.span(i);
      const double t = random.uniform(span.time().lower, span.time().upper);
      // A time near a short span's end is known only to the rounding of t.
      const double slack = 1.0 + t / span.time().length() * 0.01;
      ASSERT_LE((span.value(t) - spline.value(t)).cwiseAbs().maxCoeff(), 1e-13 * size * slack);
    }
  });
}

TEST(BSpline, SpansJoinWithDegreeMinusOneContinuousDerivatives) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random32 random(seed);
    const int degree = 1 + static_cast<int>(random() % 7);
    const BSpline spline = test::randomSpline(random, degree, true, 1 + static_cast<int>(seed % 9));
    for (int i = 1; i < spline.spanCount(); ++i) {
      const BernsteinSpan before = spline.span(i - 1), after = spline.span(i);
      for (int order = 0; order < degree; ++order) {
        const double t = after.time().lower;
        ASSERT_LE((before.value(t, order) - after.value(t, order)).norm(),
                  1e-13 * scaleOf(spline, order))
            << "seed " << seed << " order " << order;
      }
    }
    EXPECT_EQ(spline.span(0).time().lower, 0.0);
    EXPECT_EQ(spline.span(spline.spanCount() - 1).time().upper, spline.duration());
  }
}

TEST(BSpline, CoefficientsAreWithinTheirErrorBound) {
  double worst = 0.0;
  onRandomSplines(6, test::samples(100, 1000), 1, [&](const BSpline& spline, Random32& random) {
    MatX control = spline.control();
    control.array() += random.logUniform(1e-3, 1e5);
    const BSpline far = spline.withControl(control);
    const int i = static_cast<int>(random() % far.spanCount());
    const Interval s = far.basis().span(i);
    for (int order = 0; order <= far.degree(); ++order) {
      const SpanCoefficients piece = far.coefficients(i, order, 0);
      const Extended u = random.uniform(0.01, 0.99);
      std::array<Extended, 16> b;
      for (int j = 0; j <= piece.degree; ++j) b[j] = piece.coefficient[j];
      for (int level = piece.degree; level > 0; --level) {
        for (int j = 0; j < level; ++j) b[j] += u * (b[j + 1] - b[j]);
      }
      const Extended t =
          far.duration() * (s.lower + u * (static_cast<Extended>(s.upper) - s.lower));
      Extended noise;
      const Extended truth = test::oracle(far, 0, t, order, &noise);
      // The oracle's own rounding, in extended precision.
      const Extended error = std::abs(b[0] - truth) - 1e-17L * noise;
      ASSERT_LE(static_cast<double>(error), piece.error) << "order " << order;
      worst = std::max(worst, static_cast<double>(error) / piece.error);
    }
  });
  EXPECT_GT(worst, 0.01) << "the bound is not vacuous";
}

TEST(BSpline, DerivativeSplineIsTheDerivative) {
  onRandomSplines(7, 100, 1, [](const BSpline& spline, Random32& random) {
    const BSpline derivative = spline.derivative();
    for (int n = 0; n < 10; ++n) {
      const double t = randomTime(spline, random);
      ASSERT_LE((derivative.value(t) - spline.value(t, 1)).norm(), 1e-13 * scaleOf(spline, 1));
    }
  });
}

TEST(BSpline, InsertedKnotsLeaveTheCurveAsItIs) {
  onRandomSplines(8, 200, 2, [](const BSpline& spline, Random32& random) {
    std::vector<double> inserted;
    for (int n = 0; n < 5; ++n) inserted.push_back(random.uniform(0.01, 0.99));
    inserted.push_back(inserted.back());
    if (spline.spanCount() > 1 && spline.basis().knots()[spline.degree() + 1] !=
                                      spline.basis().knots()[spline.degree() + 2]) {
      inserted.push_back(spline.basis().knots()[spline.degree() + 1]);
    }
    const BSpline finer = spline.withInsertedKnots(inserted);
    EXPECT_EQ(finer.control().cols(),
              spline.control().cols() + static_cast<Eigen::Index>(inserted.size()));
    const double size = spline.control().cwiseAbs().maxCoeff();
    EXPECT_LE(finer.control().cwiseAbs().maxCoeff(), size * (1.0 + 1e-14)) << "cuts corners";
    for (int n = 0; n < 10; ++n) {
      const double t = randomTime(spline, random);
      ASSERT_LE((finer.value(t) - spline.value(t)).cwiseAbs().maxCoeff(), 1e-13 * size) << t;
    }
  });
}

TEST(BSpline, RestrictionIsThePartOfTheCurve) {
  onRandomSplines(9, 200, 1, [](const BSpline& spline, Random32& random) {
    const double T = spline.duration();
    const double length = T * random.logUniform(1e-4, 1.0);
    const double from = random.uniform(0.0, T - length);
    const BSpline part = spline.restricted({from, from + length});
    const double size = spline.control().cwiseAbs().maxCoeff();
    EXPECT_LE(part.control().cwiseAbs().maxCoeff(), size * (1.0 + 1e-13));
    for (int n = 0; n < 10; ++n) {
      const double t = randomTime(part, random);
      ASSERT_LE((part.value(t) - spline.value(from + t)).cwiseAbs().maxCoeff(),
                1e-13 * size + 1e-14 * T * scaleOf(spline, 1));
    }
  });
}

TEST(BSpline, DurationScalesTimeOnly) {
  onRandomSplines(10, 100, 3, [](const BSpline& spline, Random32& random) {
    const double factor = random.logUniform(1e-2, 1e2);
    const BSpline slow = spline.withDuration(spline.duration() * factor);
    const double t = random.uniform(0.0, spline.duration());
    for (int order = 0; order <= 3; ++order) {
      const VecX expected = spline.value(t, order) / std::pow(factor, order);
      ASSERT_LE((slow.value(t * factor, order) - expected).norm(), 1e-12 * scaleOf(slow, order));
    }
  });
}

TEST(BSpline, EnergyIsTheIntegralOfTheSquaredDerivative) {
  // Gauss-Legendre with 8 nodes, exact to degree 15.
  constexpr double kNode[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                              0.9602898564975363};
  constexpr double kWeight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                0.1012285362903763};
  onRandomSplines(11, 100, 1, [&](const BSpline& spline, Random32&) {
    const double T = spline.duration();
    for (int order = 0; order <= std::min(4, spline.degree()); ++order) {
      const MatX Q = spline.basis().energy(order);
      EXPECT_EQ(Q, Q.transpose());
      const double cost = std::pow(T, 1 - 2 * order) *
                          (spline.control() * Q * spline.control().transpose()).trace();
      double integral = 0.0;
      for (int i = 0; i < spline.spanCount(); ++i) {
        const BernsteinSpan span = spline.span(i).derivative(order);
        for (int k = 0; k < 4; ++k) {
          for (double sign : {-1.0, 1.0}) {
            const double t = span.time().middle() + sign * kNode[k] * 0.5 * span.time().length();
            integral += 0.5 * span.time().length() * kWeight[k] * span.value(t).squaredNorm();
          }
        }
      }
      ASSERT_NEAR(cost, integral, 1e-9 * integral) << "order " << order;
    }
  });
}

TEST(BSplineBasis, WeightsArePositiveAndSumToOne) {
  onRandomSplines(12, 100, 1, [](const BSpline& spline, Random32& random) {
    const BasisWeights w = spline.basis().weights(0, random.uniform(0.0, 1.0));
    EXPECT_GE(w.weights.minCoeff(), 0.0);
    EXPECT_NEAR(w.weights.sum(), 1.0, 1e-15 * (2 + spline.degree()));
  });
}

TEST(BSplineBasis, NamesTheDefectOfItsKnots) {
  EXPECT_EQ(BSplineBasis::defect({0, 0, 0.5, 1, 1}, 1), "");
  EXPECT_EQ(BSplineBasis::defect({0, 0, 0.5, 0.5, 1, 1}, 1), "");
  for (const std::vector<double>& knots :
       std::vector<std::vector<double>>{{},
                                        {0, 0, 1},
                                        {0, 0, 0, 1, 1},
                                        {0, 0, 1, 1, 1},
                                        {0, 0.1, 1, 1},
                                        {0, 0, 0.9, 1},
                                        {0, 0, 0.6, 0.5, 1, 1},
                                        {0, 0, NAN, 1, 1},
                                        {0, 0, 0.5, 0.5, 0.5, 1, 1}}) {
    EXPECT_NE(BSplineBasis::defect(knots, 1), "");
  }
  EXPECT_NE(BSplineBasis::defect({0, 1}, -1), "");
  EXPECT_NE(BSplineBasis::defect(std::vector<double>(40, 0.0), 16), "");
}

TEST(BSpline, WithoutKnotsHasEqualSpans) {
  const BSpline curve(MatX::Ones(2, 9), 2.0);
  EXPECT_EQ(curve.spanCount(), 4);
  EXPECT_EQ(curve.spanTime(1).upper, 1.0);
  EXPECT_EQ(curve.degree(), 5);
}

TEST(BSpline, RefusesBrokenContracts) {
  EXPECT_THROW(BSpline(MatX::Zero(2, 5), 1.0), ContractViolation) << "too few control points";
  EXPECT_THROW(BSpline(MatX::Zero(2, 8), 0.0), ContractViolation);
  EXPECT_THROW(BSpline(MatX::Constant(2, 8, NAN), 1.0), ContractViolation);
  EXPECT_THROW(BSpline(MatX::Zero(2, 8), 1.0).value(NAN), ContractViolation);
  EXPECT_THROW(BSpline(MatX::Zero(2, 8), 1.0).withInsertedKnots({0.0}), ContractViolation);
}

}  // namespace
}  // namespace allclear
