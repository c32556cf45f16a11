#include "allclear/trajectories/bernstein_span.h"

#include <gtest/gtest.h>

#include "allclear/core/assert.h"
#include "trajectories/curves.h"

namespace allclear {
namespace {

using test::Extended;
using test::Random32;

BernsteinSpan randomSpan(Random32& random, int least_degree = 0) {
  const int degree = least_degree + static_cast<int>(random() % 9);
  const double from = random.uniform(-10.0, 10.0);
  const Interval time{from, from + random.logUniform(1e-3, 1e2)};
  return {time, test::randomMatrix(random, 3, degree + 1) * random.logUniform(1e-3, 1e3)};
}

/// By the definition: sum of binomial(p, i) s^i (1 - s)^(p - i) b_i, in extended precision.
Extended bernsteinSum(const BernsteinSpan& span, int row, double t) {
  const int p = span.degree();
  const Extended s = (static_cast<Extended>(t) - span.time().lower) /
                     (static_cast<Extended>(span.time().upper) - span.time().lower);
  Extended sum = 0.0L, binomial = 1.0L;
  for (int i = 0; i <= p; ++i) {
    sum += binomial * std::pow(s, i) * std::pow(1.0L - s, p - i) * span.control()(row, i);
    binomial = binomial * (p - i) / (i + 1);
  }
  return sum;
}

TEST(BernsteinSpan, ValueIsTheBernsteinSum) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Random32 random(seed);
    const BernsteinSpan span = randomSpan(random);
    const double t = random.uniform(span.time().lower, span.time().upper);
    const double size = span.control().cwiseAbs().maxCoeff();
    for (int r = 0; r < 3; ++r) {
      ASSERT_NEAR(span.value(t)[r], static_cast<double>(bernsteinSum(span, r, t)), 1e-14 * size)
          << "seed " << seed;
    }
    EXPECT_EQ(span.value(span.time().lower), span.control().col(0));
    EXPECT_EQ(span.value(span.time().upper), span.control().rightCols(1));
  }
}

TEST(BernsteinSpan, ExtrapolatesThePolynomial) {
  const BernsteinSpan line({1.0, 3.0}, (MatX(1, 2) << 2.0, 6.0).finished());
  EXPECT_DOUBLE_EQ(line.value(5.0)[0], 10.0);
  EXPECT_DOUBLE_EQ(line.value(0.0, 1)[0], 2.0);
}

TEST(BernsteinSpan, DerivativesAgreeWithCentralDifferences) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random32 random(seed);
    const BernsteinSpan span = randomSpan(random);
    const double h = 1e-5 * span.time().length();
    const double t = random.uniform(span.time().lower, span.time().upper);
    for (int order = 1; order <= span.degree() + 1; ++order) {
      const double before = t - h, after = t + h;  // not 2 h apart, t being rounded
      const VecX difference =
          (span.value(after, order - 1) - span.value(before, order - 1)) / (after - before);
      const double scale = span.control().cwiseAbs().maxCoeff() *
                           std::pow(2.0 * std::max(1, span.degree()) / span.time().length(), order);
      ASSERT_LE((difference - span.value(t, order)).norm(), 1e-8 * scale) << "seed " << seed;
      ASSERT_LE((span.derivative(order).value(t) - span.value(t, order)).norm(), 1e-14 * scale);
    }
    EXPECT_EQ(span.derivative(span.degree() + 1).control(), MatX::Zero(3, 1));
    EXPECT_EQ(span.derivative(0).control(), span.control());
  }
}

TEST(BernsteinSpan, RestrictionIsTheSamePolynomialAndKeepsCommonEnds) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Random32 random(seed);
    const BernsteinSpan span = randomSpan(random);
    const double length = span.time().length() * random.logUniform(1e-8, 1.0);
    Interval part{span.time().lower, span.time().upper};
    if (seed % 3 != 0) part.lower = random.uniform(part.lower, part.upper - length);
    if (seed % 3 != 1) part.upper = std::min(part.upper, part.lower + length);
    const BernsteinSpan piece = span.restricted(part);
    EXPECT_EQ(piece.time().lower, part.lower);
    EXPECT_EQ(piece.time().upper, part.upper);
    if (seed % 3 == 0) {
      EXPECT_EQ(piece.control().col(0), span.control().col(0));
    }
    if (seed % 3 == 1) {
      EXPECT_EQ(piece.control().rightCols(1), span.control().rightCols(1));
    }
    const double size = span.control().cwiseAbs().maxCoeff();
    for (int n = 0; n < 5; ++n) {
      const double t = random.uniform(part.lower, part.upper);
      // The part is so short that the rounding of t within it counts.
      const double slack = 1e-15 * std::abs(t) / span.time().length() * span.degree();
      ASSERT_LE((piece.value(t) - span.value(t)).cwiseAbs().maxCoeff(), (1e-14 + slack) * size)
          << "seed " << seed;
    }
    EXPECT_EQ(span.restricted(span.time()).control(), span.control());
  }
}

TEST(BernsteinSpan, HullBoundsHold) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random32 random(seed);
    const BernsteinSpan span = randomSpan(random);
    for (int n = 0; n <= 50; ++n) {
      const double t = span.time().lower + span.time().length() * n / 50.0;
      for (int r = 0; r < 3; ++r) {
        const Extended value = bernsteinSum(span, r, std::min(t, span.time().upper));
        const Extended slack = 1e-17L * span.magnitudeBound()[r];  // the oracle's rounding
        ASSERT_LE(span.lowerBound()[r], value + slack) << "seed " << seed;
        ASSERT_GE(span.upperBound()[r], value - slack);
        ASSERT_GE(span.magnitudeBound()[r], std::abs(span.value(t)[r]));
      }
    }
  }
}

TEST(BernsteinSpan, AConstantMayLastNoTime) {
  const BernsteinSpan instant({2.0, 2.0}, MatX::Ones(3, 1));
  EXPECT_EQ(instant.value(2.0), VecX::Ones(3));
  EXPECT_EQ(instant.derivative().value(2.0), VecX::Zero(3));
  EXPECT_EQ(instant.restricted({1.0, 3.0}).control(), MatX::Ones(3, 1));
  EXPECT_THROW(BernsteinSpan({2.0, 2.0}, MatX::Ones(3, 2)), ContractViolation);
  EXPECT_THROW(BernsteinSpan({0.0, 1.0}, MatX::Ones(3, 2)).restricted({2.0, 3.0}),
               ContractViolation);
}

}  // namespace
}  // namespace allclear
