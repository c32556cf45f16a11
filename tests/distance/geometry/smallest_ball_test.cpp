#include "allclear/distance/geometry/smallest_ball.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"

namespace allclear::test {
namespace {

using fitting::SmallestBall;
using fitting::SmallestBallFinder;

SmallestBall<3> ballOf(const std::vector<Vec3>& points) {
  return SmallestBallFinder<3>::find(points);
}

TEST(SmallestBall, HoldsAllPointsAndNoBallOfAPartOfThemIsLarger) {
  Random random(60);
  for (int round = 0; round < 300; ++round) {
    std::vector<Vec3> points;
    const Vec3 stretch(1.0, random.logUniform(1e-9, 1.0), random.logUniform(1e-9, 1.0));
    const int count = random.integer(1, 60);
    for (int i = 0; i < count; ++i) points.push_back(stretch.cwiseProduct(random.inBox(1.0)));
    const SmallestBall<3> ball = ballOf(points);
    // The centre is in the hull of the points on the rim: no direction leads away from all of them.
    // That is what makes it the smallest.
    std::vector<Vec3> rim;
    for (const Vec3& p : points) {
      ASSERT_LE((p - ball.center).norm(), ball.radius * (1.0 + 1e-14));
      if ((p - ball.center).norm() > ball.radius * (1.0 - 1e-9)) rim.push_back(p - ball.center);
    }
    for (int k = 0; k < 200 && ball.radius > 0.0; ++k) {
      const Vec3 n = random.direction();
      double most = -ball.radius;
      for (const Vec3& w : rim) most = std::max(most, n.dot(w));
      ASSERT_GE(most, -1e-6 * ball.radius) << "seed 60, round " << round;
    }
  }
}

TEST(SmallestBall, OfFewOrDegeneratePointsIsKnown) {
  EXPECT_EQ(ballOf({}).radius, -1.0);
  EXPECT_EQ(ballOf({Vec3(1, 2, 3)}).radius, 0.0);
  const SmallestBall<3> line = ballOf({Vec3(-1, 0, 0), Vec3(0.3, 0, 0), Vec3(1, 0, 0)});
  EXPECT_NEAR(line.radius, 1.0, 1e-15);
  EXPECT_LT(line.center.norm(), 1e-15);
  const std::vector<Vec2> square{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  EXPECT_NEAR(SmallestBallFinder<2>::find(square).radius, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(ballOf(std::vector<Vec3>(7, Vec3(4, 4, 4))).radius, 0.0, 1e-15);
}

}  // namespace
}  // namespace allclear::test
