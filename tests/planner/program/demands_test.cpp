// Plans under waypoints, path constraints and torque limits.
#include <gtest/gtest.h>

#include "allclear/planner/planner.h"
#include "allclear/planner/program/state_rows.h"
#include "allclear/planner/search/refinement.h"
#include "allclear/planner/seeds/path_spline.h"
#include "allclear/robot_models/kinematics.h"
#include "support/example_arm.h"

namespace allclear {
namespace {

const PlanOptions kPatient{.time_limit = 60.0};

/// The arm turns past a post that stands in its way.
Problem postProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0;
  VecX goal(7);
  goal << 1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0;
  problem.goal = JointTarget{problem.planned, goal};
  problem.obstacles.push_back(
      {"post", {Mat3::Identity(), {0.7, 0.0, 0.4}}, {{Box({0.1, 0.1, 0.8}), {}}}, {}});
  return problem;
}

std::vector<Pose> posesAt(const Problem& problem, const VecX& q) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  kinematics.linkPoses(problem.configuration(q), workspace, poses);
  return poses;
}

TEST(Plan, PassesWaypointsInTheirOrder) {
  Problem problem = postProblem();
  VecX q(7);
  q << -0.6, 0.1, 0.3, 1.4, 0.2, 0.6, 0.1;
  problem.waypoints.push_back({JointTarget{problem.planned, q}, std::nullopt});
  VecX two(2);
  two << 0.2, 0.9;  // of joints 2 and 5; the others are free
  problem.waypoints.push_back({JointTarget{{2, 5}, two}, std::nullopt});
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  double first = HUGE_VAL, at = 0.0, second = HUGE_VAL;
  const double T = plan.trajectory->duration();
  for (int i = 0; i <= 20000; ++i) {
    const double away = (plan.trajectory->value(T * i / 20000) - q).cwiseAbs().maxCoeff();
    if (away < first) {
      first = away;
      at = T * i / 20000;
    }
  }
  for (int i = 0; i <= 20000; ++i) {
    const double t = at + (T - at) * i / 20000;
    const VecX here = plan.trajectory->value(t);
    second = std::min(second, std::max(std::abs(here[2] - 0.2), std::abs(here[5] - 0.9)));
  }
  EXPECT_LT(first, 1e-3);
  EXPECT_LT(second, 1e-3);
}

TEST(Plan, PassesAPoseAtItsTime) {
  Problem problem = postProblem();
  VecX q(7);
  q << -0.5, 0.1, 0.2, 1.4, 0.1, 0.6, 0.0;
  PoseTarget pose;
  pose.link = problem.robot->findLink("tool");
  pose.X_WP = posesAt(problem, q)[pose.link];
  problem.waypoints.push_back({pose, 1.5});
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  const Pose there = posesAt(problem, plan.trajectory->value(1.5))[pose.link];
  EXPECT_LE((there.p - pose.X_WP.p).norm(), pose.position_tolerance + 1e-9);
  EXPECT_LE(std::abs(Eigen::AngleAxisd(there.R.transpose() * pose.X_WP.R).angle()),
            pose.angle_tolerance + 1e-9);
}

TEST(Plan, KeepsTheToolUprightAtEveryInstant) {
  Problem problem = postProblem();
  const int tool = problem.robot->findLink("tool");
  const Vec3 up_L = posesAt(problem, problem.start)[tool].R.transpose() * Vec3::UnitZ();
  problem.path_constraints.push_back(KeepAxis{tool, up_L, Vec3::UnitZ(), 0.15});
  const auto tilt = [&](const VecX& q) {
    return std::acos(std::clamp((posesAt(problem, q)[tool].R * up_L).z(), -1.0, 1.0));
  };
  // Without the constraint the way over the post tilts the tool farther.
  Problem free = problem;
  free.path_constraints.clear();
  const auto most = [&](const Trajectory& trajectory) {
    double angle = 0.0;
    for (int i = 0; i <= 2000; ++i) {
      angle = std::max(angle, tilt(trajectory.value(trajectory.duration() * i / 2000)));
    }
    return angle;
  };
  EXPECT_GT(most(*allclear::plan(free, kPatient).trajectory), 0.16);
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_LE(most(*plan.trajectory), 0.15);
}

TEST(Plan, KeepsTorquesWithinTheirLimits) {
  Problem problem = postProblem();
  problem.limits.torque = true;
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  const VecX effort = plannedLimits(problem).effort;
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  double share = 0.0;
  for (int i = 0; i <= 2000; ++i) {
    const double t = plan.trajectory->duration() * i / 2000;
    VecX tau;
    kinematics.inverseDynamics(plan.trajectory->value(t), plan.trajectory->value(t, 1),
                               plan.trajectory->value(t, 2), workspace, tau);
    share = std::max(share, tau.cwiseQuotient(effort).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(share, 1.0);
}

TEST(Plan, KeepsItsLimitsInAFixedDurationThatTheFirstGuessIsTooFastFor) {
  Problem problem = postProblem();
  problem.obstacles.clear();
  const Plan free = allclear::plan(problem, kPatient);
  ASSERT_EQ(free.status, PlanStatus::kCertified) << free.message;
  // A whole number of nanoseconds, as the rows of a plan have it.
  const double fixed = std::round(1.02e9 * free.trajectory->duration()) / 1e9;
  problem.duration = {fixed, fixed};
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_EQ(plan.trajectory->duration(), fixed);
}

TEST(Refine, DoesNotCallClearWhatIsTooFastForItsLongestDuration) {
  Problem problem = postProblem();
  problem.obstacles.clear();
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  for (const bool fixed : {true, false}) {
    problem.duration = {fixed ? 0.8 : 0.1, 0.8};
    const ClearanceEvaluator evaluator(problem);
    const BSpline guess = straightSpline(problem.start, goal, 8, 0.8);
    const Refinement result = refine(evaluator, guess);
    EXPECT_FALSE(result.clear) << fixed;
  }
}

TEST(StateRows, CurvesAreLedThroughJointWaypointsExactly) {
  Problem problem = postProblem();
  problem.waypoints.push_back({JointTarget{{0, 3}, VecX(Eigen::Vector2d(0.1, 1.0))}, std::nullopt});
  problem.waypoints.push_back({JointTarget{{3}, VecX::Constant(1, 0.7)}, 1.3});
  const Kinematics kinematics(*problem.robot);
  StateRows rows(problem, kinematics, {0.4}, BSplineBasis::uniform(8));
  MatX control(7, 13);
  for (int l = 0; l < 13; ++l) {
    const double s = std::clamp((l - 2.0) / 8.0, 0.0, 1.0);
    control.col(l) = (1.0 - s) * problem.start + s * std::get<JointTarget>(problem.goal).values;
  }
  const BSpline curve(control, 2.0);
  EXPECT_GT(rows.targetViolation(curve), 0.1);
  const BSpline led = rows.throughWaypoints(curve);
  EXPECT_EQ(rows.targetViolation(led), 0.0);
  EXPECT_NEAR(led.value(0.8)[0], 0.1, 1e-12);
  EXPECT_NEAR(led.value(1.3)[3], 0.7, 1e-12);
  EXPECT_TRUE(led.control().leftCols(3).isApprox(control.leftCols(3)));
  EXPECT_TRUE(led.control().rightCols(3).isApprox(control.rightCols(3)));
}

}  // namespace
}  // namespace allclear
