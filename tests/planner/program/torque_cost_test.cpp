#include "allclear/planner/program/torque_cost.h"

#include <gtest/gtest.h>

#include "allclear/planner/planner.h"
#include "allclear/planner/program/trajectory_program.h"
#include "allclear/planner/search/plan_cost.h"
#include "allclear/planner/seeds/path_spline.h"
#include "planner/seeds/seed_scenes.h"
#include "support/example_arm.h"

namespace allclear {
namespace {

/// The arm of the shelf example lifts its tool.
Problem liftProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -1.2, 1.2, 0.0, 1.2, 0.0, 0.8, 0.0;
  VecX goal(7);
  goal << 0.9, 0.2, 0.5, 0.6, -0.4, 0.3, 0.7;
  problem.goal = JointTarget{problem.planned, goal};
  problem.objective = {.duration = 1.0, .jerk = 0.0, .torque = 1.0};
  return problem;
}

BSpline guessOf(const Problem& problem) {
  return straightSpline(problem.start, std::get<JointTarget>(problem.goal).values, 8, 1.7);
}

TEST(TorqueEnergy, IsTheIntegralOfTheSquaredShares) {
  const Problem problem = liftProblem();
  const BSpline curve = guessOf(problem);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  constexpr int kSamples = 20000;
  double sum = 0.0;
  VecX tau;
  for (int i = 0; i < kSamples; ++i) {
    const double t = curve.duration() * (i + 0.5) / kSamples;
    kinematics.inverseDynamics(curve.value(t), curve.value(t, 1), curve.value(t, 2), workspace,
                               tau);
    for (int j = 0; j < 7; ++j) {
      const double share = tau[j] / problem.robot->coordinates()[j].effort;
      sum += share * share * curve.duration() / kSamples;
    }
  }
  ASSERT_GT(sum, 1e-4);
  EXPECT_NEAR(TorqueEnergy(problem).value(curve), sum, 1e-4 * sum);
}

TEST(TorqueEnergy, HasTheGradientOfItsDifferences) {
  Problem problem = liftProblem();
  problem.start_velocity = VecX::Constant(7, 0.2);
  problem.start_acceleration = VecX::Constant(7, -0.1);
  for (const bool pose_goal : {false, true}) {
    const BSpline guess = guessOf(problem);
    Problem asked = problem;
    if (pose_goal) asked.goal = PoseTarget{7, Pose(), Pose()};
    const CurveVariables variables(asked, guess);
    TorqueEnergy energy(asked);
    test::Random random(5);
    VecX x = variables.pointOf(guess);
    x += random.vectorX(static_cast<int>(x.size()), 0.1);
    const BSpline curve = variables.curveAt(x);
    VecX gradient = VecX::Zero(x.size());
    energy.addGradient(3.0, variables, curve, variables.fixedPart(curve.duration(), 1), gradient);
    const double largest = gradient.cwiseAbs().maxCoeff();
    constexpr double kStep = 1e-5;
    for (int i = 0; i < x.size(); ++i) {
      const VecX step = kStep * VecX::Unit(x.size(), i);
      const double slope =
          3.0 *
          (energy.value(variables.curveAt(x + step)) - energy.value(variables.curveAt(x - step))) /
          (2.0 * kStep);
      EXPECT_NEAR(gradient[i], slope, 1e-6 * largest) << i << (pose_goal ? ", pose goal" : "");
    }
  }
}

/// The same motion time, with and without a weight on torques.
TEST(Plan, NeedsLessTorqueWhereTheObjectiveWeighsIt) {
  Problem problem = liftProblem();
  problem.duration = {2.0, 2.0};
  TorqueEnergy energy(problem);
  problem.objective = {.duration = 0.0, .jerk = 1.0};
  const Plan smooth = allclear::plan(problem, {.time_limit = 60.0});
  problem.objective = {.duration = 0.0, .jerk = 0.01, .torque = 1.0};
  const Plan light = allclear::plan(problem, {.time_limit = 60.0});
  ASSERT_EQ(smooth.status, PlanStatus::kCertified) << smooth.message;
  ASSERT_EQ(light.status, PlanStatus::kCertified) << light.message;
  EXPECT_LT(energy.value(*light.trajectory), 0.8 * energy.value(*smooth.trajectory));
}

TEST(TorqueWeight, IsRefusedWhereNoJointHasAnEffortLimit) {
  Problem problem = liftProblem();
  EXPECT_TRUE(validate(problem).empty());
  RobotModel::Data data = problem.robot->data();
  for (Coordinate& coordinate : data.coordinates) coordinate.effort = HUGE_VAL;
  problem.robot = std::make_shared<const RobotModel>(data);
  const std::vector<Finding> findings = validate(problem);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].what, "objective: torque") << findings[0].message;
}

TEST(PlanCost, CountsTorquesWhereTheObjectiveWeighsThem) {
  Problem problem = liftProblem();
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const BSpline curve = guessOf(problem);
  problem.objective = {.duration = 0.0, .jerk = 0.0, .torque = 2.0};
  const PlanCost cost(problem, {goal});
  EXPECT_NEAR(cost(curve), 2.0 * TorqueEnergy(problem).value(curve) / cost.leastTime(), 1e-12);
}

}  // namespace
}  // namespace allclear
