#include "allclear/planner/problem/ground_pairs.h"

#include <gtest/gtest.h>

#include "allclear/planner/clearance/collision_model.h"
#include "allclear/planner/problem/standing_points.h"
#include "support/biped.h"

namespace allclear {
namespace {

TEST(GroundPairs, AreThoseOfTheFeetWithWhatTheyStandOn) {
  Problem problem = standOn(test::bipedProblem());
  // A step beside the feet, a slab that touches the left sole, and a cart on its way over both.
  problem.obstacles.push_back(
      {"step", {Mat3::Identity(), {0.5, 0, 0.1}}, {{Box({0.4, 1, 0.2}), {}}}, {}});
  problem.obstacles.push_back(
      {"slab", {Mat3::Identity(), {0.0, 0.1, -0.012}}, {{Box({0.1, 0.1, 0.02}), {}}}, {}});
  Obstacle cart{"cart", {}, {{Box({0.1, 0.1, 0.1}), {}}}, {}};
  cart.motion = {{0.0, {Mat3::Identity(), {0, 0.1, 0}}}, {1.0, {Mat3::Identity(), {0, -0.1, 0}}}};
  problem.obstacles.push_back(cart);
  const int left = problem.contacts[0].link, right = problem.contacts[1].link;
  const std::vector<GroundPair> pairs = groundPairs(problem);
  EXPECT_EQ(pairs.size(), 3u);
  EXPECT_TRUE(isGroundPair(pairs, left, 0));
  EXPECT_TRUE(isGroundPair(pairs, right, 0));
  EXPECT_TRUE(isGroundPair(pairs, left, 2));
  EXPECT_FALSE(isGroundPair(pairs, left, 1));
  EXPECT_FALSE(isGroundPair(pairs, right, 2));
}

TEST(GroundPairs, ArePairsOfNeitherThePlannerNorTheCertificate) {
  const Problem problem = standOn(test::bipedProblem());
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
  int with_floor = 0;
  for (const auto& pair : model.pairs) {
    if (model.bodies[pair.b].name != "floor") continue;
    ++with_floor;
    EXPECT_NE(model.bodies[pair.a].name, "l_foot");
    EXPECT_NE(model.bodies[pair.a].name, "r_foot");
  }
  EXPECT_GT(with_floor, 5);
}

TEST(StandingPoints, AreTheLowestOfAShape) {
  // A tilted box stands on a corner; a ball on the point below its middle.
  const Mat3 R = rotationFromRpy({0.3, 0.2, 0.1});
  const auto lowest = [&](const Shape& shape) {
    double z = HUGE_VAL;
    for (const Vec3& p : standingPoints(shape, R)) z = std::min(z, (R * p).z());
    return z;
  };
  const Vec3 size(0.2, 0.1, 0.3);
  EXPECT_NEAR(lowest(Box(size)), -0.5 * R.row(2).cwiseAbs().dot(size), 1e-12);
  EXPECT_NEAR(lowest(Sphere(0.2)), -0.2, 1e-12);
  EXPECT_TRUE(standingPoints(HalfSpace(), R).empty());
}

}  // namespace
}  // namespace allclear
