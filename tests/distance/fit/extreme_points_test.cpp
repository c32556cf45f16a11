#include "allclear/distance/fit/extreme_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace allclear::fitting {
namespace {

TEST(ExtremePoints, HoldTheCornersOfABox) {
  std::vector<Vec3> points;
  for (int i = 0; i < 27; ++i) points.emplace_back(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
  EXPECT_EQ(extremePoints(points, 200), (std::vector<int>{0, 2, 6, 8, 18, 20, 24, 26}));
}

TEST(ExtremePoints, AreTheFirstOfEqualOnes) {
  // Against a search of all points along all directions; many points are repeated.
  std::mt19937 random(7);
  std::uniform_int_distribution<int> grid(-3, 3);
  for (int count : {1, 2, 7, 50, 400}) {
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) points.emplace_back(grid(random), grid(random), grid(random));
    if (count > 2) points[2] = -0.0 * points[1];
    std::set<int> expected;
    for (int k = 0; k < 60; ++k) {
      const Vec3 d = fanDirection(k, 60);
      const auto below = [&](const Vec3& a, const Vec3& b) { return d.dot(a) < d.dot(b); };
      expected.insert(
          static_cast<int>(std::min_element(points.begin(), points.end(), below) - points.begin()));
      expected.insert(
          static_cast<int>(std::max_element(points.begin(), points.end(), below) - points.begin()));
    }
    EXPECT_EQ(extremePoints(points, 60), std::vector<int>(expected.begin(), expected.end()))
        << count;
  }
}

}  // namespace
}  // namespace allclear::fitting
