// Lines and held poses in tasks.
#include <gtest/gtest.h>

#include <cmath>

#include "allclear/config/document/yaml.h"
#include "allclear/config/task/sections.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/problem/line.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

const std::string kArm =
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
    "start_state: {group_state: ready}\n";

Problem loaded(const std::string& more) { return test::loadText(kArm + more); }

Pose atStart(const Problem& problem, const char* link) {
  return Frames(*problem.robot, problem.start).link(problem.robot->findLink(link));
}

TEST(TaskMotions, ALinearGoalIsAPoseAndALine) {
  const Problem problem = loaded(
      "goal: {linear: {link: hand, by: [0, 0, 0.1], frame: tool, offset: {position: [0.1, 0, 0]}, "
      "tolerance: {position: 0.002, angle: free}}}\n");
  const Pose start = atStart(problem, "hand") * Pose{Mat3::Identity(), Vec3(0.1, 0.0, 0.0)};
  const KeepOnLine* line = lineToGoal(problem);
  ASSERT_NE(line, nullptr);
  ASSERT_EQ(line->stretches.size(), 1u);
  EXPECT_LT((line->X_WA.p - start.p).norm(), 1e-15);
  EXPECT_LT((line->stretches[0].way_W - 0.1 * start.R.col(2)).norm(), 1e-15);
  EXPECT_LT(line->stretches[0].turn_W.norm(), 1e-7);
  EXPECT_EQ(line->position_tolerance, 0.002);
  EXPECT_TRUE(std::isinf(line->angle_tolerance));
  const auto& goal = std::get<PoseTarget>(problem.goal);
  EXPECT_EQ(goal.position_tolerance, 0.002);
  EXPECT_TRUE(std::isinf(goal.angle_tolerance));
  EXPECT_LT((goal.X_WP.p - start.p - 0.1 * start.R.col(2)).norm(), 1e-15);
}

TEST(TaskMotions, PointsTakeWhatTheyLeaveOutFromTheOneBefore) {
  const Problem problem = loaded(
      "goal: {linear: {link: hand, points: [[0.7, 0, 0.6], {by: [0, 0.1, 0], rpy: [0, 0, 0.5]}, "
      "{rpy: [0, 0, 1]}]}}\n");
  const KeepOnLine* line = lineToGoal(problem);
  ASSERT_NE(line, nullptr);
  ASSERT_EQ(line->stretches.size(), 3u);
  const LinePath path(*line);
  EXPECT_LT((path.corner(1).p - Vec3(0.7, 0.0, 0.6)).norm(), 1e-15);
  EXPECT_LT((path.corner(1).R - line->X_WA.R).norm(), 1e-7);
  EXPECT_LT((path.corner(2).p - Vec3(0.7, 0.1, 0.6)).norm(), 1e-15);
  EXPECT_LT((path.corner(2).R - rotationFromRpy({0.0, 0.0, 0.5})).norm(), 1e-12);
  EXPECT_LT((line->stretches[2].turn_W - Vec3(0.0, 0.0, 0.5)).norm(), 1e-12);
  EXPECT_EQ(line->stretches[2].way_W, Vec3(0.0, 0.0, 0.0));
}

TEST(TaskMotions, PosesAreHeldInTheWorldOrRelativeToALink) {
  const Problem problem = loaded(
      "goal: {joint_constraints: {elbow: 0.4}}\n"
      "path_constraints:\n"
      "  - {link: hand, relative_to: forearm, pose: start}\n"
      "  - {link: hand, orientation: start, tolerance: 0.4}\n"
      "  - {link: hand, position: start, tolerance: 0.3}\n"
      "  - {link: hand, line: {by: [0.1, 0, 0]}, tolerance: {position: 0.5, angle: 0.5}}\n");
  ASSERT_EQ(problem.path_constraints.size(), 4u);
  const auto& relative = std::get<KeepPose>(problem.path_constraints[0]);
  EXPECT_EQ(relative.relative_to, problem.robot->findLink("forearm"));
  EXPECT_EQ(relative.position_tolerance, 2e-3);
  EXPECT_EQ(relative.angle_tolerance, 2e-2);
  const Pose expected = atStart(problem, "forearm").inverse() * atStart(problem, "hand");
  EXPECT_LT((relative.X_AP.p - expected.p).norm(), 1e-15);
  EXPECT_LT((relative.X_AP.R - expected.R).norm(), 1e-15);
  const auto& turned = std::get<KeepPose>(problem.path_constraints[1]);
  EXPECT_EQ(turned.relative_to, -1);
  EXPECT_TRUE(std::isinf(turned.position_tolerance));
  EXPECT_EQ(turned.angle_tolerance, 0.4);
  const auto& placed = std::get<KeepPose>(problem.path_constraints[2]);
  EXPECT_EQ(placed.position_tolerance, 0.3);
  EXPECT_TRUE(std::isinf(placed.angle_tolerance));
  EXPECT_EQ(std::get<KeepOnLine>(problem.path_constraints[3]).stretches.size(), 1u);
  EXPECT_EQ(lineToGoal(problem), nullptr);
}

TEST(TaskMotions, WhatTheStartIsOffIsSaidInNumbers) {
  try {
    loaded(
        "goal: {joint_constraints: {elbow: 0.4}}\n"
        "path_constraints: [{link: hand, orientation: [0, 0, 0, 1], tolerance: 0.01}]\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find(" rad away from this orientation, beyond 0.01"),
              std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace allclear
