#include "allclear/config/scene_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allclear/config/document/yaml.h"
#include "allclear/config/values/scene.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/load_robot.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

class SceneFile : public testing::Test {
 protected:
  SceneFile() : robot_(loadRobot(source())) {}

  static RobotSource source() {
    RobotSource source;
    source.urdf = test::robotFolder() / "arm.urdf";
    source.srdf = test::robotFolder() / "arm.srdf";
    return source;
  }
  Scene load(const std::string& text) {
    return loadScene(folder_.write("s.yaml", text), robot_, VecX::Zero(robot_.dimension()));
  }

  test::TaskFolder folder_;
  RobotModel robot_;
};

TEST_F(SceneFile, MayBeABareListOfObjects) {
  const Scene scene = load(
      "- {id: a, type: sphere, dimensions: [1], pose: {position: [3, 0, 0]}}\n"
      "- {id: b, primitives: [{type: box, dimensions: [1, 2, 3]}]}\n");
  ASSERT_EQ(scene.obstacles.size(), 2U);
  EXPECT_EQ(scene.obstacles[0].X_WO.p, Vec3(3, 0, 0));
  EXPECT_EQ(std::get<Box>(scene.obstacles[1].geometry[0].shape).size(), Vec3(1, 2, 3));
}

TEST_F(SceneFile, PrimitiveTypesAreRosNumbersOrNames) {
  const Scene scene = load(
      "- {id: a, primitives: [{type: 1, dimensions: [1, 2, 3]}]}\n"
      "- {id: b, primitives: [{type: 2, dimensions: [1]}]}\n"
      "- {id: c, primitives: [{type: 3, dimensions: [2, 0.5]}]}\n"
      "- {id: d, primitives: [{type: 4, dimensions: [2, 0.5]}]}\n"
      "- {id: e, primitives: [{type: cone, dimensions: [2, 0.5]}]}\n");
  EXPECT_EQ(shapeName(scene.obstacles[0].geometry[0].shape), "box");
  EXPECT_EQ(shapeName(scene.obstacles[1].geometry[0].shape), "sphere");
  EXPECT_EQ(std::get<Cylinder>(scene.obstacles[2].geometry[0].shape).length(), 2.0);
  EXPECT_EQ(std::get<Cone>(scene.obstacles[3].geometry[0].shape).radius(), 0.5);
  EXPECT_EQ(std::get<Cone>(scene.obstacles[4].geometry[0].shape).length(), 2.0);
}

TEST_F(SceneFile, OperationsActInOrder) {
  const Scene scene = load(
      "- {id: a, operation: 0, primitives: [{type: 2, dimensions: [1]}], pose: {position: [1, 0, "
      "0]}}\n"
      "- {id: b, operation: add, primitives: [{type: 2, dimensions: [1]}]}\n"
      "- {id: a, operation: append, primitives: [{type: 2, dimensions: [2]}], pose: {position: [0, "
      "5, 0]}}\n"
      "- {id: b, operation: remove}\n");
  ASSERT_EQ(scene.obstacles.size(), 1U);
  ASSERT_EQ(scene.obstacles[0].geometry.size(), 2U);
  const Obstacle& a = scene.obstacles[0];
  EXPECT_EQ(a.X_WO * a.geometry[1].X_BG.p, Vec3(0, 5, 0));
}

TEST_F(SceneFile, FramesAreTheWorldOrLinksWhereTheyStart) {
  const Scene scene = load(
      "- {id: a, header: {frame_id: /world}, primitives: [{type: 2, dimensions: [1]}]}\n"
      "- {id: b, header: {frame_id: hand}, pose: {position: {x: 1, y: 0, z: 0}}, primitives: "
      "[{type: 2, dimensions: [1]}]}\n"
      "- {id: c, header: {seq: 3, stamp: {sec: 1, nanosec: 2}, frame_id: ''}, primitives: [{type: "
      "2, dimensions: [1]}]}\n");
  EXPECT_EQ(scene.obstacles[0].X_WO.p, Vec3::Zero());
  EXPECT_TRUE(scene.obstacles[1].X_WO.p.isApprox(Vec3(1.8, 0, 0.55)));
  EXPECT_EQ(scene.obstacles[2].X_WO.p, Vec3::Zero());
}

TEST_F(SceneFile, AttachedMessagesEndUpInTheirLink) {
  const Scene scene = load(
      "robot_state:\n"
      "  attached_collision_objects:\n"
      "    - link_name: hand\n"
      "      object: {id: in_hand, header: {frame_id: hand}, primitives: [{type: 2, dimensions: "
      "[0.1]}], primitive_poses: [{position: [0.2, 0, 0]}]}\n"
      "      touch_links: [left_finger]\n"
      "      weight: 0.5\n"
      "    - link_name: hand\n"
      "      object: {id: in_world, header: {frame_id: world}, primitives: [{type: 2, dimensions: "
      "[0.1]}], primitive_poses: [{position: [0.9, 0, 0.55]}]}\n"
      "    - {link_name: hand, object: {id: picked}}\n"
      "world:\n"
      "  collision_objects:\n"
      "    - {id: picked, primitives: [{type: 2, dimensions: [0.1]}], primitive_poses: [{position: "
      "[1.0, 0, 0.55]}]}\n"
      "    - {id: left_there, primitives: [{type: 2, dimensions: [0.1]}]}\n");
  ASSERT_EQ(scene.attached.size(), 3U);
  EXPECT_TRUE(scene.attached[0].geometry[0].X_BG.p.isApprox(Vec3(0.2, 0, 0)));
  EXPECT_EQ(scene.attached[0].touch_links, (std::vector<int>{robot_.findLink("left_finger")}));
  EXPECT_TRUE(scene.attached[1].geometry[0].X_BG.p.isApprox(Vec3(0.1, 0, 0)));
  EXPECT_TRUE(scene.attached[2].geometry[0].X_BG.p.isApprox(Vec3(0.2, 0, 0)));
  ASSERT_EQ(scene.obstacles.size(), 1U);  // what is carried is no obstacle any more
  EXPECT_EQ(scene.obstacles[0].id, "left_there");
}

TEST_F(SceneFile, DefaultEntriesOfTheMatrixAllowAgainstEveryLink) {
  const Scene scene = load(
      "collision_objects: [{id: mat, type: box, dimensions: [1, 1, 0.01]}]\n"
      "allowed_collision_matrix:\n"
      "  default_entry_names: [mat, hand]\n"
      "  default_entry_values: [true, false]\n");
  EXPECT_EQ(scene.allowed.size(), robot_.links().size());
}

TEST_F(SceneFile, AnObjectMayBearALinksNameButThenItsMatrixEntriesSayNothing) {
  const Scene scene = load(
      "collision_objects: [{id: hand, type: box, dimensions: [1, 1, 0.01]}]\n"
      "allowed_collision_matrix:\n"
      "  entry_names: [hand, base_link]\n"
      "  entry_values: [[false, true], [true, false]]\n");
  EXPECT_EQ(scene.obstacles.size(), 1U);
  EXPECT_TRUE(scene.allowed.empty());
}

TEST_F(SceneFile, PaddingIsNotDroppedInSilence) {
  const Scene scene = load(
      "link_padding: [{link_name: hand, padding: 0.01}, {link_name: column, padding: 0}]\n"
      "link_scale: [{link_name: hand, scale: 1}]\n");
  ASSERT_EQ(scene.warnings.size(), 1U);
  EXPECT_NE(scene.warnings[0].find("s.yaml:1"), std::string::npos);
  EXPECT_EQ(scene.assumptions, std::vector<std::string>{
                                   "line 1: padding 0.01 of link 'hand' is not used; give a margin "
                                   "in the task"});
}

TEST_F(SceneFile, WhatASceneSaysOfItselfIsAnAssumption) {
  const Scene own = load("is_diff: false\nrobot_model_name: arm\n");
  EXPECT_TRUE(own.assumptions.empty());
  const Scene other = load("is_diff: true\nrobot_model_name: leg\n");
  ASSERT_EQ(other.assumptions.size(), 2U);
  EXPECT_EQ(other.warnings.size(), 2U);
  EXPECT_NE(other.assumptions[0].find("is_diff"), std::string::npos);
  EXPECT_NE(other.assumptions[1].find("'leg', not of 'arm'"), std::string::npos);
}

TEST_F(SceneFile, FramesAreInTheFrameThatTheirTransformNames) {
  const auto transform = [](const std::string& name, const std::string& in, const char* x) {
    return "- {header: {frame_id: " + name + "}, child_frame_id: " + in +
           ", transform: {translation: {x: " + x +
           ", y: 0, z: 0}, rotation: {x: 0, y: 0, z: 0, w: 1}}}\n";
  };
  const auto placed = [&](const std::string& transforms) {
    return load("fixed_frame_transforms:\n" + transforms +
                "collision_objects: [{id: a, type: sphere, dimensions: [1], frame: cam}]\n")
        .obstacles[0]
        .X_WO.p;
  };
  const auto errorOf = [&](const std::string& transforms) -> std::string {
    try {
      placed(transforms);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(placed(transform("cam", "world", "1")), Vec3(1, 0, 0));
  EXPECT_EQ(placed(transform("cam", "''", "1")), Vec3(1, 0, 0));
  // The column stands 0.1 above the base.
  EXPECT_LE((placed(transform("cam", "column", "1")) - Vec3(1, 0, 0.1)).norm(), 1e-15);
  // MoveIt lists the frame of its planning by its pose in itself, in the order of the names.
  EXPECT_EQ(placed(transform("cam", "map", "1") + transform("map", "map", "0")), Vec3(1, 0, 0));
  EXPECT_EQ(placed(transform("cam", "world", "1") + transform("world", "world", "0")),
            Vec3(1, 0, 0));
  EXPECT_NE(errorOf(transform("cam", "mop", "1")).find("no frame of this name"), std::string::npos);
  EXPECT_NE(errorOf(transform("map", "map", "1")).find("child_frame_id"), std::string::npos);
  EXPECT_NE(errorOf(transform("cam", "world", "1") + transform("world", "base_link", "5"))
                .find("is the world"),
            std::string::npos);
  EXPECT_NE(errorOf(transform("cam", "world", "1") + transform("hand", "base_link", "5"))
                .find("is a link of the robot"),
            std::string::npos);
}

TEST_F(SceneFile, PosesOfFloatingJointsAreReadAndOthersGetAWarning) {
  RobotSource source;
  source.urdf = test::robotFolder() / "arm.urdf";
  source.base = BaseJoint::kFloating;
  const RobotModel floating = loadRobot(source);
  const Value document = parseYaml(
      "robot_state: {joint_state: {name: [lift], position: [0.1]}, multi_dof_joint_state: "
      "{joint_names: [virtual_joint], transforms: [{translation: {x: 1, y: 2, z: 3}, rotation: "
      "{x: 0, y: 0, z: 0.6, w: 0.8}}]}}",
      "s.yaml");
  std::vector<std::string> warnings, assumptions;
  const JointValues values = readSceneState(document, floating, warnings, assumptions);
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(values.size(), 7u);
  EXPECT_EQ(values.at(floating.findCoordinate("virtual_joint/y")).value, 2.0);
  EXPECT_DOUBLE_EQ(values.at(floating.findCoordinate("virtual_joint/yaw")).value,
                   2.0 * std::atan2(0.6, 0.8));
  // The same robot on a fixed base.
  EXPECT_EQ(readSceneState(document, robot_, warnings, assumptions).size(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(assumptions.size(), 1u);
  EXPECT_NE(warnings[0].find("the pose of joint 'virtual_joint' is not used"), std::string::npos);
}

TEST_F(SceneFile, MeshesOfAScenefileAreFoundBesideIt) {
  const Scene scene = load(
      "- {id: a, meshes: [{resource: statue.obj, dimensions: [0.001, 0.001, 0.001]}], mesh_poses: "
      "[{}]}\n");
  EXPECT_EQ(std::get<TriangleMesh>(scene.obstacles[0].geometry[0].shape).triangles().size(), 4U);
}

}  // namespace
}  // namespace allclear
