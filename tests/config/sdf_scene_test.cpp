// SDF worlds as the scene of a task.
#include "allclear/config/values/sdf_scene.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

const char* kTask =
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
    "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n"
    "scene: {file: cell.sdf, pose: {position: [0, 0, -1]}}\n";

TEST(SdfScene, ItsLinksAreObstacles) {
  EXPECT_TRUE(isSdfWorld("a.sdf"));
  EXPECT_TRUE(isSdfWorld("a.world"));
  EXPECT_FALSE(isSdfWorld("a.yaml"));
  const test::TaskFolder folder;
  const std::string world =
      "<?xml version='1.0'?><sdf version='1.9'><world name='w'>"
      "<model name='post'><static>true</static><pose>5 0 1 0 0 0</pose><link name='l'>"
      "<collision name='c'><geometry><box><size>0.1 0.1 2</size></box></geometry></collision>"
      "</link></model><model name='cart'><pose>6 0 1 0 0 0</pose><link name='l'>"
      "<collision name='c'><geometry><sphere><radius>0.2</radius></sphere></geometry></collision>"
      "</link></model></world></sdf>";
  folder.write("cell.sdf", world);
  try {
    const Problem problem = loadTask(folder.write("task.yaml", kTask)).problem;
    ASSERT_EQ(problem.obstacles.size(), 2u);
    EXPECT_EQ(problem.obstacles[0].id, "post");
    EXPECT_EQ(problem.obstacles[0].X_WO.p, Vec3(5, 0, 0));
    EXPECT_NE(problem.warnings.back().find("'cart' is not static"), std::string::npos);
    EXPECT_NE(problem.obstacles[1].notes.at(0).find("'cart' is not static"), std::string::npos);
    folder.write("cell.sdf", world + "<!-- changed -->");
    EXPECT_NE(loadTask(folder.path() / "task.yaml").problem.source_sha256, problem.source_sha256);
  } catch (const InputError& error) {  // of a build without the library: it says so
    EXPECT_NE(std::string(error.what()).find("libsdformat"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace allclear
