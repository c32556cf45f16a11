// Goals and waypoints as tasks write them: alternatives, tolerances by axis, directions, lists.
#include <gtest/gtest.h>

#include <cmath>

#include "allclear/core/input_error.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

std::string taskOf(const std::string& goal, const std::string& more = "") {
  return "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
         "start_state: {group_state: ready}\ngoal: " +
         goal + "\n" + more;
}

Target goalOf(const std::string& goal, const std::string& more = "") {
  return test::loadText(taskOf(goal, more)).goal;
}

/// What reading the task fails with; empty when it does not.
std::string errorOf(const std::string& text) {
  try {
    test::loadText(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expectError(const std::string& text, const std::string& words) {
  const std::string error = errorOf(text);
  EXPECT_NE(error.find(words), std::string::npos) << text << "\n" << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

TEST(Goals, HaveAlternativesOfAnyKindWithNames) {
  const auto any = std::get<AnyTarget>(
      goalOf("{any_of: [{joint_constraints: {elbow: 1}, name: bent}, {group_state: folded}, "
             "[0.1, 0.2, 0.3, 0.4], {pose: {link: hand, position: [0.3, 0, 0.5]}, name: top}, "
             "{poses: [{link: hand, position: [0.3, 0, 0.5]}], reference: {elbow: 1}}, "
             "{look_at: {link: hand, axis: x, point: [1, 2, 3]}}]}"));
  ASSERT_EQ(any.alternatives.size(), 6u);
  EXPECT_EQ(any.alternatives[0].name, "bent");
  // Joints that are not named end where they start.
  const auto& bent = std::get<JointTarget>(any.alternatives[0].target);
  EXPECT_EQ(bent.values, VecX(Eigen::Vector4d(0.1, 0.0, 1.0, 0.0)));
  EXPECT_EQ(std::get<JointTarget>(any.alternatives[2].target).values,
            VecX(Eigen::Vector4d(0.1, 0.2, 0.3, 0.4)));
  EXPECT_EQ(any.alternatives[3].name, "top");
  EXPECT_EQ(std::get<PostureTarget>(any.alternatives[4].target).reference.values[2], 1.0);
  const auto& look = std::get<PostureTarget>(any.alternatives[5].target).looks.at(0);
  EXPECT_EQ(look.point_W, Vec3(1, 2, 3));
}

TEST(Goals, KeepAnAlternativeBeyondLimitsForThePlannerToLeaveOut) {
  const Problem problem = test::loadText(taskOf(
      "{any_of: [{joint_constraints: {elbow: 9}}, {joint_constraints: {elbow: 2.500001}}]}"));
  const auto& all = std::get<AnyTarget>(problem.goal).alternatives;
  EXPECT_EQ(std::get<JointTarget>(all[0].target).values[2], 9.0);
  EXPECT_EQ(std::get<JointTarget>(all[1].target).values[2], 2.5);  // by rounding: moved
  expectError(taskOf("{joint_constraints: {elbow: 9}}"), "beyond its upper limit");
}

TEST(Goals, WithAlternativesRefuseWhatMeansNothing) {
  expectError(taskOf("{any_of: []}"), "goal.any_of: must have at least one goal");
  expectError(taskOf("{any_of: [{elbow: 1}]}"), "goal.any_of[0]");
  expectError(taskOf("{any_of: [{any_of: []}]}"), "goal.any_of[0]");
  expectError(taskOf("{any_of: [{group_state: ready, pose: {}}]}"), "not both");
  expectError(taskOf("{any_of: [{group_state: ready}], group_state: ready}"), "not both");
  expectError(taskOf("{any_of: [{group_state: ready}], reference: ready}"),
              "goes into the alternatives");
  expectError(taskOf("{any_of: [{group_state: ready, reference: ready}]}"),
              "goes with 'poses' or 'look_at'");
  expectError(taskOf("{any_of: [{group_state: ready, name: a}, {group_state: folded, name: a}]}"),
              "is that of another alternative");
  expectError(taskOf("{group_state: ready}", "waypoints: [{any_of: [{group_state: ready}]}]\n"),
              "waypoints[0]");
}

PoseTarget poseOf(const std::string& more) {
  return std::get<PoseTarget>(
      goalOf("{pose: {link: hand, position: [0.3, 0, 0.5], rpy: [0, 0, 1]" + more + "}}"));
}

TEST(Goals, HaveTolerancesTogetherOrByAxis) {
  const PoseTarget plain = poseOf("");
  EXPECT_TRUE(plain.position_axes.bindNothing() && plain.angle_axes.bindNothing());
  const PoseTarget listed =
      poseOf(", tolerance: {position: [0.01, .inf, 0.02], angle: [0.1, 0.2, 0.3]}");
  EXPECT_TRUE(std::isinf(listed.position_tolerance) && std::isinf(listed.angle_tolerance));
  EXPECT_EQ(listed.position_axes.most[0], 0.01);
  EXPECT_TRUE(listed.position_axes.is_free[1]);
  EXPECT_EQ(listed.angle_axes.most, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(listed.angle_axes.freeCount(), 0);
  EXPECT_FALSE(listed.hasFreePosition() || listed.hasFreeAngle());
  const PoseTarget free = poseOf(", tolerance: {angle: 0.05}, free: [x, rz]");
  EXPECT_EQ(free.angle_tolerance, 0.05);
  EXPECT_TRUE(free.position_axes.is_free[0] && free.angle_axes.is_free[2]);
  EXPECT_EQ(free.position_axes.freeCount() + free.angle_axes.freeCount(), 2);
  EXPECT_TRUE(poseOf(", free: rz").angle_axes.is_free[2]);
  EXPECT_TRUE(poseOf(", tolerance: {position: .inf}").hasFreePosition());
  EXPECT_TRUE(poseOf(", free: [rx, ry, rz]").hasFreeAngle());
}

TEST(Goals, RefuseTolerancesThatMeanNothing) {
  const auto expect = [](const std::string& more, const std::string& words) {
    expectError(taskOf("{pose: {link: hand, position: [0.3, 0, 0.5], rpy: [0, 0, 1]" + more + "}}"),
                words);
  };
  expect(", tolerance: {position: [0.1, 0.2]}", "a list of three");
  expect(", tolerance: {position: [0.1, 0, 0.2]}", "must be positive");
  expect(", tolerance: {angle: small}", "must be a number");
  expect(", free: [q]", "goal.pose.free[0]");
  expect(", free: [rx, ry]", "free one, or leave the orientation out");
  expect(", free: [x, y, z, rx, ry, rz]", "leaves both position and orientation free");
  expectError(taskOf("{pose: {link: hand, position: [0.3, 0, 0.5], free: [rz]}}"),
              "goes with 'orientation'");
}

TEST(Goals, LookAtPointsOfFramesAndAtObjects) {
  const std::string scene =
      "scene: {collision_objects: [{id: cup, type: sphere, dimensions: [0.1], pose: {position: "
      "[1, 2, 0.5]}}, {id: cart, type: cylinder, dimensions: [1.0, 0.3], motion: agv.csv}]}\n";
  const auto lookOf = [&](const std::string& look) {
    return std::get<PostureTarget>(goalOf("{look_at: {link: hand, axis: x, " + look + "}}", scene))
        .looks.at(0);
  };
  EXPECT_EQ(lookOf("object: cup").point_W, Vec3(1, 2, 0.5));
  EXPECT_EQ(lookOf("point: [1, 0, 0]").tolerance, 1e-2);
  EXPECT_EQ(lookOf("point: [1, 0, 0], tolerance: 0.1").tolerance, 0.1);
  const LookAtTarget camera =
      lookOf("point: [1, 0, 0], offset: {position: [0, 0, 0.1], rpy: [0, 0, 1.5707963267948966]}");
  EXPECT_EQ(camera.p_L, Vec3(0, 0, 0.1));
  EXPECT_LT((camera.axis_L - Vec3::UnitY()).norm(), 1e-12);
  const auto mixed = std::get<PostureTarget>(goalOf(
      "{poses: [{link: hand, position: [0.3, 0, 0.5]}, {look_at: {link: hand, axis: x, object: "
      "cup}}]}",
      scene));
  EXPECT_EQ(mixed.poses.size() + mixed.looks.size(), 2u);
  const auto expect = [&](const std::string& look, const std::string& words) {
    expectError(taskOf("{look_at: {link: hand, " + look + "}}", scene), words);
  };
  expect("point: [1, 0, 0]", "axis");
  expect("axis: x", "'point' or 'object'");
  expect("axis: x, object: cop", "cup");
  expect("axis: x, object: cart", "moves or bends");
  expect("axis: x, object: cup, frame: world", "goes with 'point'");
  expect("axis: w, point: [0, 0, 0]", "goal.look_at.axis");
}

TEST(Goals, WaypointsAndStartsMayBeListsOfValues) {
  const Problem problem = test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: [0.1, 0.2, 0.3, 0.4]\ngoal: [0.2, 0.1, 0.5, 0]\n"
      "waypoints:\n  - [0.1, 0.2, 0.3, 0.4]\n  - {joints: [0.2, 0.2, 0.3, 0.4], time: 2}\n"
      "  - {look_at: {link: hand, axis: x, point: [2, 0, 0]}}\n"
      "  - {poses: [{link: hand, position: [0.3, 0, 0.5]}]}\n");
  EXPECT_EQ(problem.plannedPart(problem.start), VecX(Eigen::Vector4d(0.1, 0.2, 0.3, 0.4)));
  EXPECT_EQ(std::get<JointTarget>(problem.goal).values, VecX(Eigen::Vector4d(0.2, 0.1, 0.5, 0)));
  ASSERT_EQ(problem.waypoints.size(), 4u);
  EXPECT_EQ(std::get<JointTarget>(problem.waypoints[1].target).values[0], 0.2);
  EXPECT_EQ(problem.waypoints[1].time, 2.0);
  EXPECT_EQ(std::get<PostureTarget>(problem.waypoints[2].target).looks.size(), 1u);
  const Problem moving = test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {joints: [0.1, 0.2, 0.3, 0.4], velocity: {elbow: 0.1}}\n"
      "goal: {joints: [0.2, 0.1, 0.5, 0], velocity: {elbow: 0.1}}\n");
  EXPECT_EQ(moving.start_velocity[2], 0.1);
  EXPECT_EQ(moving.goal_velocity[2], 0.1);
}

TEST(Goals, RefuseListsOfAnotherLengthOrOrder) {
  expectError(taskOf("[0.1, 0.2, 0.3]"),
              "has 3 values for 4 planned joints; they are, in this order: lift, shoulder, elbow, "
              "wrist");
  expectError(taskOf("[0.1, 0.2, 0.3, 0.4]", "waypoints: [[0.1, 0.2, 0.3, 0.4, 0.5]]\n"),
              "waypoints[0]: has 5 values for 4 planned joints");
  expectError(taskOf("[0.1, 0.2, 0.3, up]"), "goal[3]");
  const std::string head =
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\nstart_state: {group_state: ready}\n";
  expectError(head + "joints: [elbow, shoulder]\ngoal: [0.1, 0.2]\n",
              "(shoulder, elbow), which is not that of 'joints'");
  EXPECT_EQ(errorOf(head + "joints: [shoulder, elbow]\ngoal: [0.1, 0.2]\n"), "");
}

}  // namespace
}  // namespace allclear
