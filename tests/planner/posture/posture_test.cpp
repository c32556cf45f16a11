#include "allclear/planner/posture/posture.h"

#include <gtest/gtest.h>

#include <limits>

#include "allclear/config/task_file.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/posture/posture_program.h"
#include "allclear/planner/posture/posture_rows.h"
#include "allclear/planner/posture/posture_solver.h"
#include "planner/seeds/seed_scenes.h"
#include "support/data.h"

namespace allclear {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();

Problem twoArms() { return loadTask(test::sourceFolder() / "examples/two_arms/task.yaml").problem; }

std::vector<Pose> linkPoses(const Problem& problem, const VecX& q_planned) {
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> poses;
  kinematics.linkPoses(problem.configuration(q_planned), workspace, poses);
  return poses;
}

/// The poses that the hands of the two arms have at `q`, with the start as the reference.
PostureTarget handsAt(const Problem& problem, const VecX& q, double angle_tolerance = 1e-2) {
  PostureTarget target;
  const std::vector<Pose> poses = linkPoses(problem, q);
  for (const char* name : {"left_tool", "right_tool"}) {
    const int link = problem.robot->findLink(name);
    Pose X_LP;
    X_LP.p = Vec3(0.0, 0.0, 0.1);
    target.poses.push_back({link, X_LP, poses[link] * X_LP, 1e-3, angle_tolerance});
  }
  target.reference = {problem.planned, problem.plannedPart(problem.start)};
  target.weights = VecX::Ones(problem.plannedCount());
  return target;
}

/// The goal's joint values.
VecX jointGoal(const Problem& problem) { return std::get<JointTarget>(problem.goal).values; }

/// Checks by kinematics and distances alone.
void expectMet(const Problem& problem, const PostureTarget& target, const VecX& q) {
  const std::vector<Pose> poses = linkPoses(problem, q);
  for (const PoseTarget& pose : target.poses) {
    const Pose X_WP = poses[pose.link] * pose.X_LP;
    EXPECT_LE((X_WP.p - pose.X_WP.p).norm(), pose.position_tolerance);
    EXPECT_LE(Eigen::AngleAxisd(X_WP.R.transpose() * pose.X_WP.R).angle(), pose.angle_tolerance);
  }
  const PlannedLimits limits = plannedLimits(problem);
  EXPECT_TRUE((q.array() >= limits.lower.array()).all());
  EXPECT_TRUE((q.array() <= limits.upper.array()).all());
  const ClearanceEvaluator evaluator(problem);
  ClearanceEvaluator::Workspace workspace(evaluator);
  const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
  EXPECT_GE(worst.upper, worst.demand);
}

TEST(PostureRows, HaveTheJacobianOfTheirDifferences) {
  Problem problem = twoArms();
  problem.limits.torque = true;
  problem.path_constraints.push_back(KeepAxis{problem.robot->findLink("left_tool")});
  const PostureTarget target = handsAt(problem, jointGoal(problem));
  const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
  PostureRows rows(evaluator, target);
  test::Random random(3);
  constexpr double kStep = 1e-6;
  for (int i = 0; i < 5; ++i) {
    const VecX x = target.reference.values + random.vectorX(rows.joints(), 0.4);
    rows.place(x);
    const MatX jacobian = rows.jacobian();
    for (int k = 0; k < rows.variables(); ++k) {
      const VecX step = kStep * VecX::Unit(x.size(), k);
      rows.place(x + step);
      const VecX above = rows.values();
      rows.place(x - step);
      const VecX by_difference = (above - rows.values()) / (2.0 * kStep);
      EXPECT_LE((by_difference - jacobian.col(k)).cwiseAbs().maxCoeff(), 2e-6) << i << " " << k;
    }
  }
}

TEST(PostureProgram, HasTheGradientOfItsSoftCost) {
  const Problem problem = twoArms();
  const PostureTarget target = handsAt(problem, jointGoal(problem));
  const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
  PostureRows rows(evaluator, target);
  PostureProgram program(rows, target);
  test::Random random(4);
  const int last = static_cast<int>(rows.parts().size()) - 1;
  for (const std::vector<int>& soft : {std::vector<int>{}, {0}, {1, last}}) {
    program.setSoft(soft, PostureProgram::Soft::kLeastMissed);
    const VecX x = target.reference.values + random.vectorX(rows.joints(), 2.5);
    VecX gradient(x.size());
    program.setPoint(x);
    program.costGradient(gradient);
    for (int k = 0; k < x.size(); ++k) {
      const VecX step = 1e-6 * VecX::Unit(x.size(), k);
      program.setPoint(x + step);
      const double above = program.cost();
      program.setPoint(x - step);
      const double scale = std::max(1.0, gradient.cwiseAbs().maxCoeff());
      EXPECT_NEAR((above - program.cost()) / 2e-6, gradient[k], 1e-6 * scale);
    }
  }
}

TEST(PostureSolver, StartsAtTheReferenceThenFartherAndFartherAway) {
  const Problem problem = twoArms();
  const PostureTarget target = handsAt(problem, jointGoal(problem));
  const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
  const RunContext context;
  const PostureOptions options;
  const PostureSolver solver(evaluator, target, context, options);
  const auto distance = [&](int i) {
    return (solver.start(i) - target.reference.values).cwiseAbs().maxCoeff();
  };
  EXPECT_EQ(distance(0), 0.0);
  for (int i = 1; i < options.tries; ++i) EXPECT_LE(distance(i), 0.6 * (1 + (i - 1) / 4));
  EXPECT_GT(distance(options.tries - 1), distance(1));
  EXPECT_EQ(solver.start(3), PostureSolver(evaluator, target, context, options).start(3));
}

TEST(Posture, MeetsSeveralPosesAtOnce) {
  const Problem problem = twoArms();
  const ClearanceEvaluator evaluator(problem);
  test::Random random(11);
  int found = 0;
  for (int i = 0; i < 6; ++i) {
    const VecX q = jointGoal(problem) + random.vectorX(problem.plannedCount(), 0.2);
    const PostureTarget target = handsAt(problem, q, i % 2 == 0 ? 1e-2 : kFree);
    const std::vector<Posture> postures = findPostures(evaluator, target);
    if (postures.empty()) continue;
    ++found;
    expectMet(problem, target, postures.front().q);
  }
  EXPECT_GE(found, 5);
}

/// Where no row but those of the poses is active, the cost does not fall along the self-motion.
TEST(Posture, IsNearestToItsReference) {
  Problem problem = twoArms();
  problem.collision.margin = 0.0;
  const PostureTarget target = handsAt(problem, problem.plannedPart(problem.start), kFree);
  PostureTarget moved = target;
  for (PoseTarget& pose : moved.poses) pose.X_WP.p.z() += 0.1;
  const ClearanceEvaluator evaluator(problem);
  const std::vector<Posture> postures = findPostures(evaluator, moved);
  ASSERT_FALSE(postures.empty());
  const VecX q = postures.front().q;
  MatX J(6, q.size());
  for (int k = 0; k < q.size(); ++k) {
    const VecX step = 1e-6 * VecX::Unit(q.size(), k);
    const auto above = linkPoses(problem, q + step), below = linkPoses(problem, q - step);
    for (int i = 0; i < 2; ++i) {
      const PoseTarget& pose = moved.poses[i];
      J.block<3, 1>(3 * i, k) =
          ((above[pose.link] * pose.X_LP).p - (below[pose.link] * pose.X_LP).p) / 2e-6;
    }
  }
  const VecX gradient = q - target.reference.values;
  const VecX along = gradient - J.transpose() * (J * J.transpose()).ldlt().solve(J * gradient);
  EXPECT_GT(gradient.norm(), 0.05);
  EXPECT_LE(along.norm(), 1e-3 * gradient.norm());
}

TEST(Posture, IsAGoalOfAPlan) {
  Problem problem = twoArms();
  const PostureTarget target = handsAt(problem, jointGoal(problem));
  problem.goal = target;
  ASSERT_TRUE(validate(problem).empty());
  const Plan plan = allclear::plan(problem, {.time_limit = 100.0});
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  expectMet(problem, target, plan.trajectory->value(plan.trajectory->duration()));
}

TEST(Posture, SaysWhichPoseIsOutOfReach) {
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  PostureTarget target;
  PoseTarget tip{3, Pose(), Pose(), 1e-3, kFree};
  tip.X_LP.p = Vec3(0.4, 0.0, 0.0);
  tip.X_WP.p = Vec3(0.9, 1.2, 0.0);  // 1.5 m away; the arm is 1.2 m long
  target.poses = {tip};
  target.reference = {problem.planned, problem.start};
  target.weights = VecX::Ones(3);
  problem.goal = target;
  const Plan plan = allclear::plan(problem, {.time_limit = 100.0});
  EXPECT_EQ(plan.status, PlanStatus::kNotFound);
  EXPECT_NE(
      plan.message.find("the position for 'link2' is 1.499 m from joint 'joint0', and 'link2' "
                        "gets no farther than 1.2 m from there"),
      std::string::npos)
      << plan.message;
  // What the program says of it, where nothing is known beforehand.
  const ClearanceEvaluator evaluator(problem);
  const std::string fault = postureFault(evaluator, target);
  EXPECT_NE(fault.find("Without the pose of link 'link2' there is one, in which link 'link2' is "
                       "0.3 m off."),
            std::string::npos)
      << fault;
}

TEST(Posture, SaysThatClearancesAreInTheWay) {
  Problem problem = test::wallProblem();
  PostureTarget target;
  PoseTarget tip{3, Pose(), Pose(), 1e-3, kFree};
  tip.X_LP.p = Vec3(0.4, 0.0, 0.0);
  tip.X_WP.p = Vec3(0.85, 0.0, 0.0);  // the middle of the wall
  target.poses = {tip};
  target.reference = {problem.planned, problem.start};
  target.weights = VecX::Ones(3);
  const ClearanceEvaluator evaluator(problem);
  EXPECT_TRUE(findPostures(evaluator, target, {}, {.tries = 4}).empty());
  const std::string fault = postureFault(evaluator, target);
  EXPECT_NE(fault.find("Without the clearances there is one"), std::string::npos) << fault;
  EXPECT_NE(fault.find("'wall' overlap by"), std::string::npos) << fault;
}

TEST(Posture, SaysThatATorqueIsTooLittle) {
  Problem problem = twoArms();
  RobotModel::Data data = problem.robot->data();
  data.coordinates[problem.robot->findCoordinate("left_joint2")].effort = 0.5;
  problem.robot = std::make_shared<const RobotModel>(data);
  problem.limits.torque = true;
  const PostureTarget target = handsAt(problem, jointGoal(problem));
  const ClearanceEvaluator evaluator(problem);
  EXPECT_TRUE(findPostures(evaluator, target, {}, {.tries = 4}).empty());
  const std::string fault = postureFault(evaluator, target);
  EXPECT_NE(fault.find("'left_joint2': torque is missed by"), std::string::npos) << fault;
}

// Where bodies are all that is in the way there is a posture without them; where poses contradict
// each other, or are too far away, there is none.
TEST(PostureWithoutBodies, TellsGeometryFromPoses) {
  Problem problem = twoArms();
  PostureTarget target = handsAt(problem, jointGoal(problem));
  Obstacle block;
  block.id = "block";
  block.geometry = {{Box(Vec3(4.0, 4.0, 4.0)), Pose()}};
  problem.obstacles.push_back(block);
  const ClearanceEvaluator evaluator(problem);
  EXPECT_TRUE(findPostures(evaluator, target, {}, {.tries = 2}).empty());
  EXPECT_TRUE(hasPostureWithoutBodies(evaluator, target));
  // One hand in two places.
  PostureTarget torn = target;
  torn.poses.push_back(target.poses[0]);
  torn.poses.back().X_WP.p += Vec3(0.0, 0.0, 0.1);
  EXPECT_FALSE(hasPostureWithoutBodies(evaluator, torn));
  target.poses[1].X_WP.p += Vec3(5.0, 0.0, 0.0);
  EXPECT_FALSE(hasPostureWithoutBodies(evaluator, target));
}

}  // namespace
}  // namespace allclear
