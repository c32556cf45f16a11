#include "allclear/core/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/random.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed through a real call

namespace allclear::test {
namespace {

TEST(Pack4, ComputesAsVectorsDo) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 a = random.vector(1.0), b = random.vector(1.0);
    EXPECT_LT((unpack(cross(pack(a), pack(b))) - a.cross(b)).norm(), 1e-15);
    EXPECT_NEAR(dot(pack(a), pack(b)), a.dot(b), 1e-15);
    EXPECT_EQ(unpack(pack(a.data())), a);
    const Mat3 R = random.rotation();
    const Columns4 columns{{pack(Vec3(R.col(0))), pack(Vec3(R.col(1))), pack(Vec3(R.col(2)))}};
    EXPECT_LT((unpack(columns * pack(a)) - R * a).norm(), 1e-15);
  }
}

TEST(Lanes, GiveInEachLaneWhatASingleFloatGives) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    float b0[8], b1[8], b2[8];
    for (int l = 0; l < 8; ++l) {
      b0[l] = static_cast<float>(random.uniform(-1.0, 1.0));
      b1[l] = static_cast<float>(random.uniform(-1.0, 1.0));
      b2[l] = random.chance(0.2) ? b1[l] : static_cast<float>(random.uniform(-1.0, 1.0));
    }
    const simd::Lanes x = simd::lanesOf(b0), y = simd::lanesOf(b1), z = simd::lanesOf(b2);
    const simd::Lanes least = simd::leastOfQuadratic(x, y, z);
    const unsigned below = simd::lanesBelow(x, 0.25F);
    for (int l = 0; l < 8; ++l) {
      EXPECT_EQ(least[l], simd::leastOfQuadratic(b0[l], b1[l], b2[l]));
      EXPECT_EQ(below >> l & 1U, simd::lanesBelow(b0[l], 0.25F));
    }
    EXPECT_EQ(simd::leastLane(x), *std::min_element(b0, b0 + 8));
  }
}

TEST(Lanes, TakeNanAsBelowEveryCutoff) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float x[8] = {1.0F, nan, 3.0F, -1.0F, nan, 2.0F, 2.0F, 2.0F};
  EXPECT_EQ(simd::lanesBelow(simd::lanesOf(x), 0.0F), 0b00011010U);
  EXPECT_EQ(simd::lanesBelow(nan, 0.0F), 1U);
}

TEST(Quadratic, BoundsItsValuesFromBelow) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto draw = [&] { return static_cast<float>(random.uniform(-1.0, 1.0)); };
    const float b0 = draw(), b1 = draw(), b2 = draw();
    const float least = simd::leastOfQuadratic(b0, b1, b2);
    float sampled = std::numeric_limits<float>::infinity();
    for (int k = 0; k <= 100; ++k) {
      const float s = 0.01F * static_cast<float>(k);
      const float value = (1 - s) * (1 - s) * b0 + 2 * s * (1 - s) * b1 + s * s * b2;
      sampled = std::min(sampled, value);
    }
    EXPECT_LE(least, sampled + 1e-6F);
    EXPECT_GE(least, sampled - 1e-3F);
  }
}

}  // namespace
}  // namespace allclear::test
