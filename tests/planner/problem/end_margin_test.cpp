#include "allclear/planner/problem/end_margin.h"

#include <gtest/gtest.h>

#include "allclear/planner/clearance/collision_model.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

TEST(EndMargin, IsTheDistanceLessWhatBoundsNeed) {
  EXPECT_EQ(marginAtEnd(1e-3, 2e-3, 1e-4), 1e-3);
  EXPECT_EQ(marginAtEnd(1e-3, 1e-3, 1e-4), 1e-3);
  EXPECT_DOUBLE_EQ(marginAtEnd(1e-3, 0.9e-3, 1e-4), 0.5e-3);
  EXPECT_DOUBLE_EQ(marginAtEnd(1e-3, 0.2e-3, 1e-4), 0.1e-3);
  // Contact is not relaxed, nor is what is not a number.
  EXPECT_EQ(marginAtEnd(1e-3, 0.0, 1e-4), 1e-3);
  EXPECT_EQ(marginAtEnd(1e-3, -1e-4, 1e-4), 1e-3);
  EXPECT_EQ(marginAtEnd(1e-3, std::nan(""), 1e-4), 1e-3);
}

/// The wall lies `gap` below the first link, which points along x at the start.
Problem nearWall(double gap) {
  Problem problem = test::wallProblem();
  problem.start = Vec3(0.0, 0.5, 0.5);
  problem.goal = JointTarget{{0, 1, 2}, Vec3(0.8, 0.5, 0.5)};
  problem.obstacles[0].geometry = {{Box(Vec3(0.3, 0.04, 0.4)), Pose()}};
  problem.obstacles[0].X_WO.p = Vec3(0.2, -0.045 - gap, 0.0);
  problem.collision.end_margin = EndMargin::kRelax;
  return problem;
}

TEST(EndMargin, IsThatOfThePairAndTheEndThatAreTooNear) {
  const Problem problem = nearWall(0.6e-3);
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
  int relaxed = 0;
  for (const CollisionPair& pair : model.pairs) {
    const bool is_it = model.bodies[pair.a].name == "link0" && model.bodies[pair.b].name == "wall";
    relaxed += pair.isRelaxed();
    EXPECT_EQ(pair.isRelaxed(), is_it);
    EXPECT_EQ(pair.ends.goal, pair.margin);
    if (is_it) {
      EXPECT_NEAR(pair.ends.start, 0.3e-3, 1e-9);
    }
  }
  EXPECT_EQ(relaxed, 1);
}

TEST(EndMargin, IsTheMarginWhereNothingIsRelaxed) {
  Problem problem = nearWall(0.6e-3);
  const auto isRelaxed = [&] {
    const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
    return std::any_of(model.pairs.begin(), model.pairs.end(),
                       [](const CollisionPair& pair) { return pair.isRelaxed(); });
  };
  EXPECT_TRUE(isRelaxed());
  problem.collision.end_margin = EndMargin::kStrict;
  EXPECT_FALSE(isRelaxed());
  problem = nearWall(-1e-3);  // in contact
  EXPECT_FALSE(isRelaxed());
  problem = nearWall(0.6e-3);
  problem.obstacles[0].motion = {{0.0, problem.obstacles[0].X_WO},
                                 {1.0, problem.obstacles[0].X_WO}};
  EXPECT_EQ(isRelaxed(), !problem.obstacles[0].moves());
}

}  // namespace
}  // namespace allclear
