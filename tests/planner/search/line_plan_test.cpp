// Plans along lines, and with poses that are held.
#include <gtest/gtest.h>

#include <numbers>

#include "allclear/core/input_error.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/problem/pose_error.h"
#include "allclear/planner/seeds/line_motion.h"
#include "allclear/robot_models/kinematics.h"
#include "support/example_arm.h"
#include "support/random.h"

namespace allclear {
namespace {

const PlanOptions kPatient{.time_limit = 60.0};

std::vector<Pose> posesAt(const Problem& problem, const VecX& q) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  kinematics.linkPoses(problem.configuration(q), workspace, poses);
  return poses;
}

Problem armProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << 0.0, 0.5, 0.0, 1.6, 0.0, 1.0, 0.0;
  problem.goal = JointTarget{problem.planned, problem.start};
  return problem;
}

/// The line of the tool's tip from the start through these displacements [m] and turns [rad].
void goThrough(Problem& problem, const std::vector<KeepOnLine::Stretch>& stretches) {
  KeepOnLine line;
  line.link = problem.robot->findLink("tool");
  line.X_LP.p = Vec3(0.0, 0.0, 0.14);
  line.X_WA = posesAt(problem, problem.start)[line.link] * line.X_LP;
  line.stretches = stretches;
  goAlong(problem, line);
}

/// The larger share of a tolerance that the plan uses at the worst instant, by sampling, where the
/// stretches may come in any order.
double worstShare(const Problem& problem, const Trajectory& trajectory) {
  const LinePath path(*lineToGoal(problem));
  double most = 0.0;
  for (int i = 0; i <= 4000; ++i) {
    const VecX q = trajectory.value(trajectory.duration() * i / 4000);
    const Pose X = posesAt(problem, q)[path.line().link] * path.line().X_LP;
    double least = HUGE_VAL;
    for (int s = 0; s < path.count(); ++s) {
      least = std::min(least, path.shares(X, path.at(s, path.progress(s, X))).most());
    }
    most = std::max(most, least);
  }
  return most;
}

TEST(LinePlan, FollowsAStraightLineAndIsVerified) {
  Problem problem = armProblem();
  goThrough(problem, {{Vec3(0.05, 0.3, -0.05), Vec3::Zero()}});
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_LE(worstShare(problem, *plan.trajectory), 1.0);
  EXPECT_TRUE(verifyCertificate(problem, *plan.certificate).valid);
  // The same for the same seed, whatever the number of threads.
  PlanOptions other = kPatient;
  other.threads = 3;
  const Plan again = allclear::plan(problem, other);
  EXPECT_EQ(again.trajectory->duration(), plan.trajectory->duration());
  EXPECT_EQ(again.trajectory->value(0.5), plan.trajectory->value(0.5));
}

TEST(LinePlan, TurnsAboutThePointAndGoesAroundCorners) {
  for (const double turn : {0.0, 0.8}) {
    Problem problem = armProblem();
    goThrough(problem, {{Vec3(0.0, 0.15, 0.0), turn * Vec3::UnitZ()},
                        {Vec3::Zero(), 0.5 * Vec3::UnitX()},
                        {Vec3(-0.1, 0.0, 0.1), Vec3::Zero()}});
    const Plan plan = allclear::plan(problem, kPatient);
    ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
    EXPECT_LE(worstShare(problem, *plan.trajectory), 1.0);
  }
}

TEST(LinePlan, LeavesAFreeOrientationFree) {
  Problem problem = armProblem();
  goThrough(problem, {{Vec3(0.1, 0.3, 0.1), Vec3::Zero()}});
  std::get<PoseTarget>(problem.goal).angle_tolerance = HUGE_VAL;
  std::get<KeepOnLine>(problem.path_constraints[0]).angle_tolerance = HUGE_VAL;
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_LE(worstShare(problem, *plan.trajectory), 1.0);
}

TEST(LinePlan, SaysWhereALineCannotBeFollowedAndWhy) {
  Problem problem = armProblem();
  goThrough(problem, {{Vec3(1.5, 0.0, 0.0), Vec3::Zero()}});  // out of reach
  const Plan plan = allclear::plan(problem, kPatient);
  EXPECT_EQ(plan.status, PlanStatus::kNotFound);
  EXPECT_NE(plan.message.find("'tool' can follow the line for "), std::string::npos)
      << plan.message;
  EXPECT_NE(plan.message.find(" % of the way ("), std::string::npos) << plan.message;
  EXPECT_NE(plan.message.find(" cm of 150.0 cm): "), std::string::npos) << plan.message;
}

TEST(LinePlan, NamesTheJointWhoseLimitIsReached) {
  Problem problem = armProblem();
  problem.planned = {0};  // the base alone turns
  problem.goal = JointTarget{problem.planned, VecX::Zero(1)};
  KeepOnLine line;
  line.link = problem.robot->findLink("tool");
  line.X_WA = Pose();
  line.X_LP = posesAt(problem, problem.start.head(1))[line.link].inverse();
  line.stretches = {{Vec3::Zero(), 1.5 * Vec3::UnitZ()}, {Vec3::Zero(), 1.6 * Vec3::UnitZ()}};
  goAlong(problem, line);
  const Plan plan = allclear::plan(problem, kPatient);
  EXPECT_EQ(plan.status, PlanStatus::kNotFound);
  EXPECT_NE(plan.message.find("joint 'joint1' is at its limit 2.95"), std::string::npos)
      << plan.message;
  EXPECT_NE(plan.message.find(" rad of 3.10 rad)"), std::string::npos) << plan.message;
}

TEST(LinePlan, NamesWhoIsInTheWay) {
  Problem problem = armProblem();
  const Vec3 tip =
      (posesAt(problem, problem.start)[problem.robot->findLink("tool")] * Vec3(0.0, 0.0, 0.14));
  goThrough(problem, {{Vec3(0.0, 0.4, 0.0), Vec3::Zero()}});
  problem.obstacles.push_back(
      {"box", {Mat3::Identity(), tip + Vec3(0.0, 0.2, 0.0)}, {{Box({0.1, 0.06, 0.1}), {}}}, {}});
  const Plan plan = allclear::plan(problem, kPatient);
  EXPECT_NE(plan.status, PlanStatus::kCertified);
  EXPECT_NE(plan.message.find("Along the line, at "), std::string::npos) << plan.message;
  EXPECT_NE(plan.message.find("'box'"), std::string::npos) << plan.message;
}

// What the line leaves free is used: the elbow goes around a post that stands where the least
// motion has it.
TEST(LinePlan, TakesAnotherPostureWhereOneIsBlocked) {
  Problem problem = armProblem();
  goThrough(problem, {{Vec3(0.1, 0.25, 0.0), Vec3::Zero()}});
  const ClearanceEvaluator free(problem);
  const LineMotions motions = motionsAlong(free, *lineToGoal(problem), {});
  ASSERT_GT(motions.motions.size(), 2u);
  const auto least = std::find_if(motions.motions.begin(), motions.motions.end(),
                                  [](const LineMotion& motion) { return motion.origin == "line"; });
  ASSERT_NE(least, motions.motions.end());
  const VecX end = least->curve.value(least->curve.duration());
  // A ball inside of the elbow's place at the end of the least motion, and not at the start.
  const Vec3 elbow = posesAt(problem, end)[problem.robot->findLink("link4")].p;
  problem.obstacles.push_back(
      {"ball", {Mat3::Identity(), elbow + Vec3(0.0, 0.1, 0.0)}, {{Sphere(0.06), {}}}, {}});
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_LE(worstShare(problem, *plan.trajectory), 1.0);
}

TEST(LinePlan, RefusesWhatALineCannotHave) {
  Problem problem = armProblem();
  goThrough(problem, {{Vec3(0.0, 0.1, 0.0), Vec3::Zero()}});
  Problem moving = problem;
  moving.start_velocity = VecX::Constant(7, 0.1);
  EXPECT_THROW(allclear::plan(moving, kPatient), InputError);
  Problem passing = problem;
  passing.waypoints.push_back({JointTarget{passing.planned, passing.start}, std::nullopt});
  EXPECT_THROW(allclear::plan(passing, kPatient), InputError);
}

TEST(HeldPosePlan, KeepsTheOrientationBetweenStartAndGoal) {
  Problem problem = armProblem();
  KeepPose keep;
  keep.link = problem.robot->findLink("tool");
  keep.X_AP = posesAt(problem, problem.start)[keep.link];
  keep.position_tolerance = HUGE_VAL;
  keep.angle_tolerance = 0.03;
  problem.path_constraints = {keep};
  problem.goal = PoseTarget{keep.link, {}, {keep.X_AP.R, keep.X_AP.p + Vec3(0.0, 0.3, 0.1)}};
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  for (int i = 0; i <= 2000; ++i) {
    const VecX q = plan.trajectory->value(plan.trajectory->duration() * i / 2000);
    const Mat3 off = keep.X_AP.R.transpose() * posesAt(problem, q)[keep.link].R;
    EXPECT_LE(rotationVector(off).norm(), 0.03 + 1e-6);
  }
}

TEST(HeldPosePlan, SaysByHowMuchAGoalIsOff) {
  Problem problem = armProblem();
  KeepPose keep;
  keep.link = problem.robot->findLink("tool");
  keep.relative_to = problem.robot->findLink("link0");
  const auto poses = posesAt(problem, problem.start);
  keep.X_AP = poses[keep.relative_to].inverse() * poses[keep.link];
  keep.position_tolerance = HUGE_VAL;
  problem.path_constraints = {keep};
  VecX goal = problem.start;
  goal[0] = 0.25;  // the tool turns with the base
  problem.goal = JointTarget{problem.planned, goal};
  const Plan plan = allclear::plan(problem, kPatient);
  EXPECT_NE(plan.status, PlanStatus::kCertified);
  EXPECT_NE(
      plan.message.find("at the goal, a path constraint is not kept: 'tool': held orientation "
                        "is off by 0.25 rad, beyond its tolerance of 0.02"),
      std::string::npos)
      << plan.message;
}

}  // namespace
}  // namespace allclear
