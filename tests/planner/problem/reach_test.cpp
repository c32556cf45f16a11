#include "allclear/planner/problem/reach.h"

#include <gtest/gtest.h>

#include "allclear/robot_models/kinematics.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

using test::Random;

/// Random values within the limits; angles without limits anywhere.
VecX randomConfiguration(const Problem& problem, Random& random) {
  VecX q = problem.start;
  for (const int c : problem.planned) {
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    const bool is_limited = std::isfinite(coordinate.lower) && std::isfinite(coordinate.upper);
    q[c] =
        is_limited ? random.uniform(coordinate.lower, coordinate.upper) : random.uniform(-3.0, 3.0);
  }
  return q;
}

TEST(Reach, HoldsTheLinkInEveryConfigurationWhateverIsHeld) {
  int checked = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(900u + static_cast<unsigned>(seed));
    const auto robot = std::make_shared<const RobotModel>(test::randomRobot(random, {}));
    Problem problem;
    problem.robot = robot;
    for (int c = 0; c < robot->dimension(); ++c) {
      if (random.chance(0.7)) problem.planned.push_back(c);
    }
    problem.start = robot->neutralConfiguration();
    problem.start = randomConfiguration(problem, random);
    const int link = static_cast<int>(robot->links().size()) - 1;
    const Vec3 p_LQ = random.vector(0.3);
    const Reach reach = reachOf(problem, link, p_LQ);
    if (reach.joint.empty() || !std::isfinite(reach.radius)) continue;
    const Kinematics kinematics(*robot);
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    for (int i = 0; i < 50; ++i) {
      kinematics.linkPoses(randomConfiguration(problem, random), workspace, X_WL);
      EXPECT_LE((X_WL[link] * p_LQ - reach.center).norm(), reach.radius * (1.0 + 1e-12) + 1e-12);
      ++checked;
    }
  }
  EXPECT_GT(checked, 1000);
}

}  // namespace
}  // namespace allclear
