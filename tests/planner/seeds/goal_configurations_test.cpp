#include "allclear/planner/seeds/goal_configurations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allclear/planner/certificate/target_met.h"
#include "support/example_arm.h"

namespace allclear {
namespace {

/// The tool of the seven-joint arm reaches for the middle of a post from the side; z of the frame
/// that is placed is along the post.
Problem reachingProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -1.2, 0.6, 0.1, 1.2, -0.1, 0.8, 0.2;
  PoseTarget target;
  target.link = problem.robot->findLink("tool");
  target.X_LP = {Eigen::AngleAxisd(M_PI / 2, Vec3::UnitY()).toRotationMatrix(), Vec3(0, 0, 0.2)};
  target.X_WP.p = Vec3(0.55, 0.1, 0.5);
  problem.goal = target;
  return problem;
}

std::vector<VecX> metConfigurations(const Problem& problem) {
  const ClearanceEvaluator evaluator(problem);
  std::vector<VecX> found = goalConfigurations(evaluator);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  for (const VecX& q : found) {
    kinematics.linkPoses(q, workspace, X_WL);
    EXPECT_TRUE(faultsOf(askedOf(problem, problem.goal, q, X_WL), 0.0).empty());
  }
  return found;
}

Pose placedAt(const Problem& problem, const VecX& q) {
  const auto& target = std::get<PoseTarget>(problem.goal);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  return target.X_WP.inverse() * (X_WL[target.link] * target.X_LP);
}

TEST(GoalConfigurations, ComeFromManySidesWhereATurnIsFree) {
  Problem problem = reachingProblem();
  std::get<PoseTarget>(problem.goal).angle_axes.is_free[2] = true;
  const std::vector<VecX> found = metConfigurations(problem);
  ASSERT_GE(found.size(), 4u);
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const VecX& q : found) {
    const Mat3 R = placedAt(problem, q).R;
    const double turn = std::atan2(R(1, 0), R(0, 0));
    lowest = std::min(lowest, turn);
    highest = std::max(highest, turn);
  }
  EXPECT_GT(highest - lowest, 1.0);
  // With the turn held, as one of them has it, all have the same.
  auto& target = std::get<PoseTarget>(problem.goal);
  target.X_WP.R = target.X_WP.R * placedAt(problem, found.front()).R;
  target.angle_axes.is_free[2] = false;
  const std::vector<VecX> held = metConfigurations(problem);
  EXPECT_FALSE(held.empty());
  for (const VecX& q : held) {
    EXPECT_LT(Eigen::AngleAxisd(placedAt(problem, q).R).angle(), 1e-2);
  }
}

TEST(GoalConfigurations, AreAllOverWhatTolerancesByAxisAllow) {
  Problem problem = reachingProblem();
  auto& target = std::get<PoseTarget>(problem.goal);
  target.angle_axes.is_free = {true, true, true};
  target.position_tolerance = HUGE_VAL;
  target.position_axes.most = Vec3(0.002, 0.3, 0.1);
  const std::vector<VecX> found = metConfigurations(problem);
  ASSERT_GE(found.size(), 4u);
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const VecX& q : found) {
    lowest = std::min(lowest, placedAt(problem, q).p.y());
    highest = std::max(highest, placedAt(problem, q).p.y());
  }
  EXPECT_GT(highest - lowest, 0.1);
}

TEST(GoalConfigurations, OfAlternativesAreThoseOfEach) {
  Problem problem = reachingProblem();
  PoseTarget post = std::get<PoseTarget>(problem.goal);
  post.angle_axes.is_free[2] = true;
  const VecX there = VecX::Constant(7, 0.3);
  problem.goal = AnyTarget{{{"", JointTarget{problem.planned, there}}, {"", post}}};
  const ClearanceEvaluator evaluator(problem);
  const std::vector<VecX> found = goalConfigurations(evaluator);
  ASSERT_GE(found.size(), 2u);
  EXPECT_LT((found.front() - there).norm(), 1e-12);
}

}  // namespace
}  // namespace allclear
