// The parts that curves are made of: bases, span coefficients with their error, Hermite pieces.
#include <gtest/gtest.h>

#include "allclear/trajectories/bernstein_span.h"
#include "allclear/trajectories/bspline.h"
#include "allclear/trajectories/hermite.h"
#include "allclear/trajectories/named_trajectory.h"
#include "trajectories/curves.h"

namespace allclear {
namespace {

TEST(BSplineBasis, IsAPartitionOfUnityWithoutNegativeWeights) {
  test::Random32 random(41);
  for (int i = 0; i < 200; ++i) {
    const int degree = 1 + static_cast<int>(random() % 7);
    const BSplineBasis basis(test::randomKnots(random, 1 + static_cast<int>(random() % 9), degree),
                             degree);
    for (int k = 0; k < 20; ++k) {
      const double s = k == 0 ? 0.0 : k == 1 ? 1.0 : random.uniform(0.0, 1.0);
      const BasisWeights value = basis.weights(0, s);
      ASSERT_NEAR(value.weights.sum(), 1.0, 1e-13);
      ASSERT_GE(value.weights.minCoeff(), -1e-15);
      // The derivative of the constant 1.
      const BasisWeights slope = basis.weights(1, s);
      const double steepest =
          degree / basis.span(basis.spanAt(s)).length();  // of a Bernstein basis
      ASSERT_NEAR(slope.weights.sum(), 0.0, 1e-12 * steepest);
    }
  }
}

TEST(BSplineBasis, NamesTheDefectOfKnots) {
  EXPECT_EQ(BSplineBasis::defect({0, 0, 1, 1}, 1), "");
  EXPECT_NE(BSplineBasis::defect({0, 0, 1}, 1), "");
  EXPECT_NE(BSplineBasis::defect({0, 0, 0.6, 0.4, 1, 1}, 1), "");
  EXPECT_NE(BSplineBasis::defect({0, 0, 0.5, 0.5, 0.5, 1, 1}, 1), "");
  EXPECT_NE(BSplineBasis::defect({0, 0, 1, 1}, 16), "");
}

TEST(BSplineBasis, EnergyIsTheIntegralOfTheSquaredDerivative) {
  test::Random32 random(42);
  const BSplineBasis basis(test::randomKnots(random, 5, 5), 5);
  const VecX x = test::randomMatrix(random, basis.controlCount(), 1);
  for (int order = 0; order <= 3; ++order) {
    // Midpoints on each span: exact in the limit, 1e-5 relative with 1000 points.
    double integral = 0.0;
    for (int i = 0; i < basis.spanCount(); ++i) {
      const Interval span = basis.span(i);
      for (int k = 0; k < 1000; ++k) {
        const double s = span.lower + span.length() * (k + 0.5) / 1000;
        const BasisWeights w = basis.weights(order, s);
        const double value = w.weights.dot(x.segment(w.first, 6));
        integral += value * value * span.length() / 1000;
      }
    }
    EXPECT_NEAR(x.dot(basis.energy(order) * x), integral, 1e-4 * integral) << order;
  }
}

// The same steps in long double are the truth that the error must cover.
TEST(SpanCoefficients, ErrorCoversTheRoundingOfDerivativesAndParts) {
  test::Random32 random(43);
  for (int i = 0; i < 2000; ++i) {
    SpanCoefficients span;
    span.coefficient.fill(0.0);
    span.degree = 1 + static_cast<int>(random() % 8);
    span.length = random.logUniform(1e-3, 1e2);
    const double offset = random.uniform(-1e3, 1e3);  // cancels in the derivative
    std::vector<long double> exact;
    for (int j = 0; j <= span.degree; ++j) {
      span.coefficient[j] = offset + random.uniform(-1.0, 1.0);
      exact.push_back(span.coefficient[j]);
    }
    const double u0 = random.uniform(0.0, 0.5), u1 = random.uniform(0.5, 1.0);
    const long double length = span.length;
    const int degree = span.degree;
    span.differentiate();
    for (int j = 0; j < degree; ++j) exact[j] = (exact[j + 1] - exact[j]) * degree / length;
    exact.pop_back();
    span.restrict(u0, u1, 0.0);
    ASSERT_EQ(span.degree, degree - 1);
    const auto value = [&](long double u) {
      std::vector<long double> b = exact;
      for (std::size_t n = b.size(); n > 1; --n) {
        for (std::size_t j = 0; j + 1 < n; ++j) b[j] = (1 - u) * b[j] + u * b[j + 1];
      }
      return b[0];
    };
    for (int k = 0; k <= 10; ++k) {
      const long double u = u0 + (static_cast<long double>(u1) - u0) * k / 10;
      ASSERT_LE(span.lower(), value(u));
      ASSERT_GE(span.upper(), value(u));
      ASSERT_GE(span.magnitude(), std::fabs(value(u)));
    }
    // Not looser than rounding of the derivative, whatever the offset.
    ASSERT_LT(span.error, 1e-13 * 2.0 * degree / static_cast<double>(length));
  }
}

TEST(HermiteCurve, ReturnsItsDataToTheBitAndIsTwiceContinuous) {
  test::Random32 random(44);
  for (int i = 0; i < 100; ++i) {
    const HermiteCurve curve = test::randomHermite(random);
    for (std::size_t k = 0; k < curve.times().size(); ++k) {
      const double t = curve.times()[k];
      EXPECT_EQ(curve.value(t, 0), curve.positions().col(k));
      EXPECT_EQ(curve.value(t, 1), curve.velocities().col(k));
      EXPECT_EQ(curve.value(t, 2), curve.accelerations().col(k));
      if (k == 0) continue;
      // From the span before.
      const BernsteinSpan before = curve.span(static_cast<int>(k) - 1);
      const VecX expected = curve.accelerations().col(k);
      const double scale = before.control().cwiseAbs().maxCoeff() /
                           (before.time().length() * before.time().length());
      EXPECT_LT((before.value(t, 2) - expected).norm(), 1e-11 * (scale + expected.norm()));
    }
  }
}

TEST(NamedTrajectory, ArrangesCoordinatesByName) {
  MatX control(2, 6);
  control << 0, 0, 0, 1, 1, 1, 5, 5, 5, 7, 7, 7;
  const NamedTrajectory found{BSpline(control, 2.0), {"elbow", "wrist"}, {"read so"}};
  const InputPlace place{"t.csv", 1, "joints", ""};
  const NamedTrajectory same = arranged(found, {"wrist", "elbow"}, place);
  EXPECT_EQ(same.trajectory.value(0.5)[0], found.trajectory.value(0.5)[1]);
  EXPECT_EQ(same.trajectory.value(0.5)[1], found.trajectory.value(0.5)[0]);
  EXPECT_EQ(same.warnings, found.warnings);
  EXPECT_THROW(arranged(found, {"elbow"}, place), InputError);
  EXPECT_THROW(arranged(found, {"elbow", "wrist", "hand"}, place), InputError);
  EXPECT_THROW(requireJointNames({"a", "b", "a"}, place), InputError);
  EXPECT_THROW(requireJointNames({"a\n"}, place), InputError);
  EXPECT_NO_THROW(requireJointNames({"a", "b"}, place));
}

}  // namespace
}  // namespace allclear
