// Clouds: their tree, their parts, and what is no cloud.
#include "allclear/distance/cloud.h"

#include <gtest/gtest.h>

#include <set>

#include "allclear/core/input_error.h"
#include "distance/cloud/cloud_scenes.h"

namespace allclear {
namespace {

using test::Random;

TEST(Cloud, EachNodeHoldsItsElementsAndEachElementIsInOneLeaf) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const bool boxes = random.chance(0.5);
    const Cloud cloud = boxes ? Cloud::boxes(test::randomBoxes(random, 500))
                              : Cloud::balls(test::randomPoints(random, 2000), 0.01);
    std::vector<int> seen(static_cast<std::size_t>(cloud.size()), 0);
    for (const Cloud::Node& node : cloud.nodes()) {
      for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
        for (int k = 0; k < 3; ++k) {
          ASSERT_LE(static_cast<double>(node.lower[k]), cloud.lower(i)[k]);
          ASSERT_GE(static_cast<double>(node.upper[k]), cloud.upper(i)[k]);
        }
        if (node.child < 0) ++seen[i];
      }
      if (node.child < 0) {
        ASSERT_LE(node.count, Cloud::kLeaf);
      } else {
        const Cloud::Node &a = cloud.nodes()[node.child], &b = cloud.nodes()[node.child + 1];
        ASSERT_EQ(a.first, node.first);
        ASSERT_EQ(b.first, a.first + a.count);
        ASSERT_EQ(a.count + b.count, node.count);
      }
    }
    EXPECT_EQ(*std::min_element(seen.begin(), seen.end()), 1);
    EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), 1);
  }
}

TEST(Cloud, PartsHaveEveryElementOnce) {
  Random random(1);
  const Cloud cloud = Cloud::balls(test::randomPoints(random, 3000), 0.01);
  for (const int most : {1, 2, 7, 16, 5000}) {
    std::int32_t count = 0;
    const auto parts = cloud.parts(most);
    for (const std::int32_t n : parts) count += cloud.nodes()[n].count;
    EXPECT_EQ(count, cloud.size());
    EXPECT_LE(static_cast<int>(parts.size()), most);
  }
}

TEST(Cloud, ItsBoxHoldsAllBalls) {
  Random random(2);
  const Cloud cloud = Cloud::balls(test::randomPoints(random, 300), 0.07);
  const Geometry box = cloud.boxAbout();
  const Vec3 half = std::get<Box>(box.shape).halfSize();
  for (std::int32_t i = 0; i < cloud.size(); ++i) {
    const Vec3 off = (cloud.center(i) - box.X_BG.p).cwiseAbs() + Vec3::Constant(0.07);
    EXPECT_TRUE((off.array() <= half.array()).all());
    EXPECT_LE(cloud.center(i).norm() + 0.07, cloud.farthest());
  }
}

TEST(Cloud, WithoutSomeHasTheOthers) {
  const Cloud cloud = Cloud::balls({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 0.5);
  std::vector<char> drop(3, 0);
  for (std::int32_t i = 0; i < 3; ++i) drop[i] = cloud.center(i).x() == 1.0 ? 1 : 0;
  const auto left = cloud.without(drop);
  ASSERT_NE(left, nullptr);
  std::set<double> xs;
  for (std::int32_t i = 0; i < left->size(); ++i) xs.insert(left->center(i).x());
  EXPECT_EQ(xs, (std::set<double>{0.0, 2.0}));
  EXPECT_EQ(left->radius(), 0.5);
  EXPECT_EQ(cloud.without({1, 1, 1}), nullptr);
}

TEST(Cloud, TakesFewBytesForAPoint) {
  std::vector<Vec3> points;
  Random random(3);
  for (int i = 0; i < 100000; ++i) points.push_back(random.inBox(1.0));
  const Cloud cloud = Cloud::balls(points, 0.01);
  EXPECT_LT(static_cast<double>(cloud.bytes()) / 100000, 48.0);
}

TEST(Cloud, RefusesWhatIsNone) {
  const double nan = std::nan("");
  EXPECT_THROW(Cloud::balls({}, 0.1), InputError);
  EXPECT_THROW(Cloud::balls({Vec3::Zero()}, 0.0), InputError);
  EXPECT_THROW(Cloud::balls({Vec3::Zero()}, nan), InputError);
  EXPECT_THROW(Cloud::balls({Vec3(nan, 0, 0)}, 0.1), InputError);
  EXPECT_THROW(Cloud::balls({Vec3(1e10, 0, 0)}, 0.1), InputError);
  EXPECT_THROW(Cloud::boxes({{Vec3::Ones(), Vec3::Zero()}}), InputError);
  EXPECT_THROW(Cloud::boxes({}), InputError);
}

TEST(Cloud, PointsThatAreAllTheSameAreNoTrouble) {
  const Cloud cloud = Cloud::balls(std::vector<Vec3>(5000, Vec3(1, 2, 3)), 0.1);
  EXPECT_NEAR(signedDistance(Sphere(0.1), Pose(), cloud, Pose()).distance,
              Vec3(1, 2, 3).norm() - 0.2, 1e-9);
}

}  // namespace
}  // namespace allclear
