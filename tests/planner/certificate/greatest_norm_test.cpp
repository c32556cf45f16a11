#include "allclear/planner/certificate/greatest_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/random.h"

namespace allclear {
namespace {

/// The value of Bernstein coefficients at s, in long double, by de Casteljau's scheme.
long double normAt(const MatX& coefficient, long double s) {
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> b = coefficient.cast<long double>();
  for (Eigen::Index level = b.cols() - 1; level > 0; --level) {
    for (Eigen::Index k = 0; k < level; ++k) b.col(k) = (1 - s) * b.col(k) + s * b.col(k + 1);
  }
  return b.col(0).norm();
}

TEST(GreatestNorm, IsAboveEveryValueByLittle) {
  test::Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const int rows = random.chance(0.5) ? 3 : 9;
    GreatestNorm greatest;
    long double most = 0;
    for (int piece = random.integer(1, 3); piece > 0; --piece) {
      MatX coefficient(rows, BodyCurve::kDegree + 1);
      const double size = random.logUniform(1e-9, 10.0);
      for (Eigen::Index k = 0; k < coefficient.cols(); ++k) {
        coefficient.col(k) = random.vectorX(rows, size);
      }
      // In the middle alone: both ends are zero.
      if (random.chance(0.3)) coefficient.col(0).setZero(), coefficient.rightCols(1).setZero();
      greatest.add({{0.0, 2.0}, coefficient}, 0.0);
      for (int i = 0; i <= 400; ++i) most = std::max(most, normAt(coefficient, i / 400.0L));
    }
    EXPECT_GE(greatest.upper, static_cast<double>(most) * (1.0 - 1e-12));
    EXPECT_LE(greatest.upper, 1.02 * static_cast<double>(most));
    EXPECT_LE(greatest.reached, static_cast<double>(most) * (1.0 + 1e-6));
  }
}

TEST(GreatestNorm, CountsErrorsAndRefusesWhatIsNoNumber) {
  MatX zero = MatX::Zero(3, BodyCurve::kDegree + 1);
  GreatestNorm greatest;
  greatest.add({{0.0, 1.0}, zero}, 0.25);
  EXPECT_EQ(greatest.upper, 0.25);
  zero(1, 3) = std::numeric_limits<double>::quiet_NaN();
  greatest.add({{0.0, 1.0}, zero}, 0.0);
  EXPECT_TRUE(std::isinf(greatest.upper));
}

TEST(GreatestNorm, HalvesMeetAndKeepTheCurve) {
  test::Random random(6);
  MatX coefficient(3, BodyCurve::kDegree + 1);
  for (Eigen::Index k = 0; k < 8; ++k) coefficient.col(k) = random.vectorX(3, 1.0);
  const auto parts = halves({{1.0, 3.0}, coefficient});
  EXPECT_EQ(parts.first.time.upper, 2.0);
  EXPECT_EQ(parts.second.time.lower, 2.0);
  for (double s : {0.0, 0.3, 1.0}) {
    const auto half = static_cast<long double>(0.5 * s);
    EXPECT_NEAR(static_cast<double>(normAt(parts.first.coefficient, s)),
                static_cast<double>(normAt(coefficient, half)), 1e-14);
    EXPECT_NEAR(static_cast<double>(normAt(parts.second.coefficient, s)),
                static_cast<double>(normAt(coefficient, 0.5L + half)), 1e-14);
  }
}

}  // namespace
}  // namespace allclear
