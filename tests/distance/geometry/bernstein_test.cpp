#include "allclear/distance/geometry/bernstein.h"

#include <gtest/gtest.h>

#include "support/random.h"

namespace allclear::test {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
using Coefficients = std::array<double, kCount>;

double valueAt(const Coefficients& c, double s) {
  Coefficients work = c;
  for (int level = 1; level < kCount; ++level) {
    for (int i = 0; i < kCount - level; ++i) work[i] = (1.0 - s) * work[i] + s * work[i + 1];
  }
  return work[0];
}

TEST(Bernstein, CoefficientsOfAPartGiveTheSamePolynomial) {
  Random random(70);
  for (int round = 0; round < 500; ++round) {
    Coefficients c;
    for (double& x : c) x = random.uniform(-1.0, 1.0);
    const double s0 = random.chance(0.2) ? 0.0 : random.uniform(0.0, 0.9);
    const double s1 = random.chance(0.2) ? 1.0 : random.uniform(s0 + 0.01, 1.0);
    Coefficients part = c;
    mcd::restrictTo(s0, s1, &part);
    mcd::RestrictionWeights weights;
    mcd::restrictionWeights(s0, s1, weights);
    for (int i = 0; i < kCount; ++i) {
      double sum = 0.0, total = 0.0;
      for (int j = 0; j < kCount; ++j) {
        EXPECT_GE(weights[i][j], 0.0);
        total += weights[i][j];
        sum += weights[i][j] * c[j];
      }
      EXPECT_NEAR(total, 1.0,
                  1e-14);  // convex: coefficients of parts stay within those of the whole
      EXPECT_NEAR(sum, part[i], 1e-14);
    }
    for (double s : {0.0, 0.3, 0.8, 1.0}) {
      EXPECT_NEAR(valueAt(part, s), valueAt(c, s0 + s * (s1 - s0)), 1e-13);
    }
  }
}

}  // namespace
}  // namespace allclear::test
