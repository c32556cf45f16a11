#include "allclear/planner/program/ground_dynamics.h"

#include <gtest/gtest.h>

#include "support/random_robot.h"

namespace allclear::test {
namespace {

// Against the torques and the ground's reaction that `Kinematics` gives for the robot as it is, for
// robots of all kinds of joints, on the world or floating.
TEST(GroundDynamics, GiveTheTorquesAndTheGroundsReaction) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    Problem problem;
    problem.robot = std::make_shared<const RobotModel>(
        randomRobot(random, {.joints = 8, .floating_base = seed % 2 == 0}));
    problem.start = randomConfiguration(random, *problem.robot);
    for (int c = 0; c < problem.robot->dimension(); ++c) {
      if (random.chance(0.7)) problem.planned.push_back(c);
    }
    const int n = problem.plannedCount();
    const VecX q = problem.plannedPart(randomConfiguration(random, *problem.robot));
    const VecX v = random.vectorX(n, 1.0), a = random.vectorX(n, 3.0);
    VecX all_v = VecX::Zero(problem.robot->dimension()), all_a = all_v;
    for (int k = 0; k < n; ++k) {
      all_v[problem.planned[k]] = v[k];
      all_a[problem.planned[k]] = a[k];
    }
    const Kinematics kinematics(*problem.robot);
    auto workspace = kinematics.makeWorkspace();
    VecX tau;
    kinematics.inverseDynamics(problem.configuration(q), all_v, all_a, workspace, tau);
    const Wrench ground =
        kinematics.groundReaction(problem.configuration(q), all_v, all_a, workspace);
    VecX wanted(n + 6);
    wanted << problem.plannedPart(tau), ground.force, ground.moment;
    GroundDynamics dynamics(problem, *problem.robot);
    const double scale = 1.0 + wanted.cwiseAbs().maxCoeff();
    EXPECT_LT((dynamics.values(q, v, a) - wanted).cwiseAbs().maxCoeff(), 1e-11 * scale) << seed;
  }
}

}  // namespace
}  // namespace allclear::test
