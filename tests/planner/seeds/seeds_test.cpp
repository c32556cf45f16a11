#include "allclear/planner/seeds/seed_maker.h"

#include <gtest/gtest.h>

#include "allclear/planner/run/random_stream.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/planner/seeds/goal_configurations.h"
#include "allclear/planner/seeds/path_shortcut.h"
#include "allclear/planner/seeds/rrt_connect.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

VecX goalOf(const Problem& problem) { return std::get<JointTarget>(problem.goal).values; }

/// Every segment of the path keeps the margin at dense samples.
void expectClear(const ClearanceEvaluator& evaluator, const std::vector<VecX>& path) {
  ClearanceEvaluator::Workspace workspace(evaluator);
  for (std::size_t i = 1; i < path.size(); ++i) {
    for (int s = 0; s <= 500; ++s) {
      const VecX q = path[i - 1] + s / 500.0 * (path[i] - path[i - 1]);
      const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
      ASSERT_GE(worst.upper, evaluator.model().pairs[worst.pair].margin) << q.transpose();
    }
  }
}

TEST(Seeds, FindAWayAroundAWall) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const VecX start = problem.plannedPart(problem.start);
  EXPECT_FALSE(makeSeed(evaluator, goalOf(problem), 0)->certified_path);
  for (int attempt = 1; attempt <= 10; ++attempt) {
    SCOPED_TRACE("attempt " + std::to_string(attempt));
    const RunContext context = RunContext().endingAfter(60.0);
    const auto seed = makeSeed(evaluator, goalOf(problem), attempt, context);
    ASSERT_TRUE(seed.has_value());
    EXPECT_TRUE(seed->certified_path);
    EXPECT_EQ(seed->path.front(), start);
    EXPECT_EQ(seed->path.back(), goalOf(problem));
    expectClear(evaluator, seed->path);
    EXPECT_LT((seed->curve.value(0.0) - start).norm(), 1e-12);
    EXPECT_LT((seed->curve.value(seed->curve.duration()) - goalOf(problem)).norm(), 1e-12);
    for (int order : {1, 2}) {
      EXPECT_LT(seed->curve.value(0.0, order).norm(), 1e-9);
      EXPECT_LT(seed->curve.value(seed->curve.duration(), order).norm(), 1e-9);
    }
    EXPECT_LE(seed->unclear_share, 0.1);
  }
}

TEST(Seeds, SameStreamGivesTheSameSeedAndAnotherStreamAnother) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const RunContext context = RunContext().endingAfter(60.0);
  const auto one = makeSeed(evaluator, goalOf(problem), 1, context);
  const auto again = makeSeed(evaluator, goalOf(problem), 1, context);
  const auto other = makeSeed(evaluator, goalOf(problem), 2, context);
  ASSERT_TRUE(one && again && other);
  EXPECT_EQ(one->curve.control(), again->curve.control());
  EXPECT_NE(one->path, other->path);
}

TEST(Seeds, StraightLineIsTheSmoothStepWithTheGivenEnds) {
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  const VecX start = problem.start;
  const VecX goal = goalOf(problem);
  const auto seed = makeSeed(ClearanceEvaluator(problem), goal, 0);
  EXPECT_TRUE(seed->certified_path);
  EXPECT_EQ(seed->unclear_share, 0.0);
  const double T = seed->curve.duration();
  for (double s : {0.0, 0.1, 0.3, 0.5, 0.9, 1.0}) {
    const double step = s * s * s * (10.0 + s * (6.0 * s - 15.0));
    EXPECT_LT((seed->curve.value(s * T) - start - step * (goal - start)).norm(), 1e-9) << s;
  }
  problem.start_velocity = Vec3(0.1, -0.2, 0.3);
  problem.goal_acceleration = Vec3(0.5, 0.0, -0.5);
  const auto moving = makeSeed(ClearanceEvaluator(problem), goal, 0);
  EXPECT_LT((moving->curve.value(0.0, 1) - problem.start_velocity).norm(), 1e-9);
  EXPECT_LT((moving->curve.value(moving->curve.duration(), 2) - problem.goal_acceleration).norm(),
            1e-9);
}

TEST(Seeds, ClosedInStartEndsTheSearchWithoutAPath) {
  Problem problem = test::wallProblem();
  problem.start = Vec3(0.0, 0.0, 0.0);  // inside the wall
  const ClearanceEvaluator evaluator(problem);
  EXPECT_FALSE(makeSeed(evaluator, goalOf(problem), 1).has_value());
}

TEST(Seeds, StopAndIterationsEndTheSearch) {
  Problem problem = test::wallProblem();
  problem.obstacles[0].geometry = {{Box(Vec3(4.0, 0.04, 0.4)), Pose()}};
  problem.obstacles[0].X_WO.p = Vec3(2.1, 0.0, 0.0);  // no way but through the base's other side
  Obstacle other = problem.obstacles[0];
  other.id = "other";
  other.X_WO.p.x() = -2.1;
  problem.obstacles.push_back(other);
  const ClearanceEvaluator evaluator(problem);
  SeedOptions options;
  options.work = 200;
  EXPECT_FALSE(makeSeed(evaluator, goalOf(problem), 1, {}, options).has_value());
  options.work = 1 << 30;
  int calls = 0;
  RunContext context;
  context.stop = [&] { return ++calls > 50; };
  EXPECT_FALSE(makeSeed(evaluator, goalOf(problem), 1, context, options).has_value());
  EXPECT_EQ(calls, 51);
}

TEST(Seeds, WrappingJointsTakeTheShorterArc) {
  Problem problem = test::wallProblem(true);
  problem.obstacles.clear();
  problem.start = Vec3(3.0, 0.3, 0.0);
  const VecX goal = Vec3(-3.0, 0.0, 0.3);
  const auto seed = makeSeed(ClearanceEvaluator(problem), goal, 1);
  ASSERT_TRUE(seed.has_value());
  EXPECT_EQ(seed->path.size(), 2u);
  EXPECT_NEAR(seed->path.back()[0], 2.0 * M_PI - 3.0, 1e-12);
}

TEST(Shortcuts, NeverLengthenAndKeepTheEnds) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  SegmentCertifier certifier(problem, evaluator.model());
  const VecX start = problem.start;
  const VecX goal = goalOf(problem);
  const ConfigurationSpace space(problem, goal, certifier.reach(start));
  for (int stream = 0; stream < 20; ++stream) {
    SCOPED_TRACE("stream " + std::to_string(stream));
    RandomStream random(7, stream);
    FreeMotion motion(space, certifier, 0.0);
    const auto path = rrtConnect(motion, start, {goal}, {}, {}, random).path;
    ASSERT_TRUE(path.has_value());
    const auto shorter = shortened(motion, *path, {}, {}, random);
    EXPECT_LE(pathLength(space, shorter), pathLength(space, *path) * (1.0 + 1e-12));
    EXPECT_EQ(shorter.front(), start);
    EXPECT_EQ(shorter.back(), goal);
    expectClear(evaluator, shorter);
  }
}

TEST(GoalConfigurations, MeetThePoseWithinLimitsAndClear) {
  Problem problem = test::wallProblem();
  PoseTarget target;
  target.link = 3;
  target.X_LP.p = Vec3(0.38, 0.0, 0.0);
  target.X_WP.p = Vec3(0.55, 0.45, 0.0);
  target.angle_tolerance = std::numeric_limits<double>::infinity();
  problem.goal = target;
  const ClearanceEvaluator evaluator(problem);
  ClearanceEvaluator::Workspace workspace(evaluator);
  const auto goals = goalConfigurations(evaluator);
  ASSERT_GE(goals.size(), 2u);
  for (const VecX& q : goals) {
    std::vector<Pose> poses;
    evaluator.builder().kinematics().linkPoses(q, workspace.curves.kinematics, poses);
    EXPECT_LE((poses[3] * target.X_LP.p - target.X_WP.p).norm(), target.position_tolerance);
    EXPECT_LE(q.cwiseAbs().maxCoeff(), 2.8);
    const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
    EXPECT_GE(worst.upper, evaluator.model().pairs[worst.pair].margin);
  }
  // Out of reach: none.
  target.X_WP.p = Vec3(3.0, 0.0, 0.0);
  problem.goal = target;
  EXPECT_TRUE(goalConfigurations(ClearanceEvaluator(problem)).empty());
}

TEST(GoalConfigurations, OfWrappingJointsAreTheNearestTurns) {
  Problem problem = test::wallProblem(true);
  problem.start = Vec3(3.0, 0.0, 0.0);
  problem.goal = JointTarget{{0, 1, 2}, Vec3(-3.0, 4.0, 0.5)};
  const auto goals = goalConfigurations(ClearanceEvaluator(problem));
  ASSERT_EQ(goals.size(), 1u);
  EXPECT_LT((goals[0] - Vec3(2.0 * M_PI - 3.0, 4.0 - 2.0 * M_PI, 0.5)).norm(), 1e-12);
}

}  // namespace
}  // namespace allclear
