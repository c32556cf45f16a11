#include <gtest/gtest.h>

#include "allclear/distance/signed_distance.h"
#include "distance/convex/signed_distance_oracle.h"

namespace allclear {
namespace {

using test::Random;

TEST(DistanceTolerance, LosesNoMoreThanItAllowsAndGivesNothingAway) {
  Random draw(51);
  constexpr int kKinds = 8;
  for (int i = 0; i < 4000; ++i) {
    const int kind_A = draw.index(kKinds), kind_B = draw.index(kKinds);
    if (kind_A == test::kHalfSpaceIndex && kind_B == test::kHalfSpaceIndex) continue;
    const Shape A = test::drawShape(kind_A, &draw, 100.0);
    const Shape B = test::drawShape(kind_B, &draw, 100.0);
    const Pose X_WA{draw.rotation(), draw.inBox(1.0)};
    const Pose X_WB{draw.rotation(), X_WA.p + draw.logUniform(1e-3, 2.0) * draw.direction()};
    const SignedDistance exact = signedDistance(A, X_WA, B, X_WB);
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      const SignedDistance found = signedDistance(A, X_WA, B, X_WB, nullptr, {tolerance});
      const char* names[] = {test::kConvexNames[kind_A], test::kConvexNames[kind_B]};
      constexpr double kRounding = 1e-12;  // of sizes up to 3 m
      // The exact search, too, may stop early: its gap says so.
      EXPECT_LE(found.distance, exact.distance + exact.gap + kRounding)
          << names[0] << " and " << names[1] << ", pair " << i;
      EXPECT_GE(found.distance + found.gap, exact.distance - kRounding)
          << names[0] << " and " << names[1] << ", pair " << i;
      if (found.converged) {
        EXPECT_GE(found.distance, exact.distance - tolerance - kRounding)
            << names[0] << " and " << names[1] << ", pair " << i;
      }
      EXPECT_LT((found.witness_B - found.witness_A - found.distance * found.normal).norm(), 1e-13);
      EXPECT_NEAR(found.normal.norm(), 1.0, 1e-12);
    }
  }
}

/// Of a curved shape and a polytope the bracket itself is that narrow, apart and overlapping.
TEST(DistanceTolerance, ProvesItsBracketOfACurvedShapeAndAPolytope) {
  Random draw(53);
  int deep = 0;
  for (int i = 0; i < 2000; ++i) {
    const int polytopes[] = {1, 2, 7};
    const Shape A = test::drawShape(3 + draw.index(3), &draw, 5.0);
    const Shape B = test::drawShape(polytopes[draw.index(3)], &draw, 5.0);
    const Pose X_WA{draw.rotation(), Vec3::Zero()};
    const Pose X_WB{draw.rotation(), draw.inBox(1.0)};
    constexpr double kTolerance = 1e-6;
    const SignedDistance found = signedDistance(A, X_WA, B, X_WB, nullptr, {kTolerance});
    EXPECT_TRUE(found.converged) << i;
    EXPECT_LE(found.gap, 1.001 * kTolerance) << i;
    if (found.distance < 0.0) ++deep;
  }
  EXPECT_GE(deep, 500);
}

TEST(DistanceTolerance, ChangesNothingWhereItIsZero) {
  Random draw(52);
  for (int i = 0; i < 500; ++i) {
    const Shape A = test::drawShape(3 + draw.index(3), &draw, 10.0);
    const Shape B = test::drawShape(7, &draw, 10.0);
    const Pose X_WB{draw.rotation(), draw.inBox(1.0)};
    EXPECT_EQ(signedDistance(A, Pose(), B, X_WB, nullptr, {0.0}).distance,
              signedDistance(A, Pose(), B, X_WB).distance);
  }
}

}  // namespace
}  // namespace allclear
