// The section `cables`: what it means, and what is refused, in one line each.
#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

std::string task(const std::string& cables) {
  return "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
         "start_state: {group_state: ready}\n"
         "goal: {joint_constraints: {elbow: 0}}\n"
         "scene: {collision_objects: [{id: box, type: box, dimensions: [0.1, 0.1, 0.1], "
         "pose: {position: [3, 0, 0]}}]}\n"
         "cables: " +
         cables + "\n";
}

std::string complaint(const std::string& cables) {
  try {
    test::loadText(task(cables));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kClips =
    "clips: [{link: column, point: [0, 0, 0.5]}, {link: forearm, point: [0, 0, 0.1]}, "
    "{link: hand, point: [0, 0, 0.1]}]";

TEST(TaskCables, AreRead) {
  const Problem problem = test::loadText(
      task("[{id: hose, " + kClips +
           ", lengths: [1.5, 0.8], radius: 0.01, reserve: 0.02, allowed: [upper_arm, box]}]"));
  ASSERT_EQ(problem.cables.size(), 1U);
  const Cable& cable = problem.cables[0];
  EXPECT_EQ(cable.id, "hose");
  ASSERT_EQ(cable.clips.size(), 3U);
  EXPECT_EQ(problem.robot->links()[cable.clips[1].link].name, "forearm");
  EXPECT_EQ(cable.clips[0].p_L, Vec3(0.0, 0.0, 0.5));
  EXPECT_EQ(cable.lengths, (std::vector<double>{1.5, 0.8}));
  EXPECT_EQ(cable.radius, 0.01);
  EXPECT_EQ(cable.reserve, 0.02);
  EXPECT_EQ(cable.allowed, (std::vector<std::string>{"upper_arm", "box"}));
}

TEST(TaskCables, OneStretchHasOneLength) {
  const Problem problem = test::loadText(
      task("[{id: hose, clips: [{link: forearm, point: [0, 0, 0]}, {link: hand, point: [0, 0, "
           "0]}], length: 0.8}]"));
  EXPECT_EQ(problem.cables[0].lengths, std::vector<double>{0.8});
  EXPECT_EQ(problem.cables[0].radius, 0.0);
  EXPECT_TRUE(problem.cables[0].allowed.empty());
}

TEST(TaskCables, AreRefusedInOneLine) {
  const auto expect = [](const std::string& cable, const std::vector<std::string>& parts) {
    const std::string said = complaint("[{" + cable + "}]");
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_NE(said.find("task.yaml:6"), std::string::npos) << said;
    for (const std::string& part : parts) {
      EXPECT_NE(said.find(part), std::string::npos) << cable << " -> " << said;
    }
  };
  const std::string good = "id: hose, " + kClips;
  expect("clips: []", {"cables[0]", "id"});
  expect("id: hose, clips: [{link: hand, point: [0, 0, 0]}], length: 1",
         {"cables[0].clips", "two clips"});
  expect(
      "id: hose, clips: [{link: hnad, point: [0, 0, 0]}, {link: column, point: [0, 0, 0]}], "
      "length: 1",
      {"cables[0].clips[0].link", "hnad", "hand"});
  expect(
      "id: hose, clips: [{link: hand, point: [0, 0]}, {link: column, point: [0, 0, 0]}], "
      "length: 1",
      {"cables[0].clips[0].point"});
  expect(good + ", length: 2", {"cables[0].length", "2 stretches"});
  expect(good + ", lengths: [1.5]", {"cables[0].lengths", "needs 2 lengths", "has 1"});
  expect(good, {"cables[0]", "length"});
  expect(good + ", lengths: [1.5, .nan]", {"cables[0].lengths[1]"});
  expect(good + ", lengths: [1.5, -1]", {"cables[0].lengths[1]"});
  expect(good + ", lengths: [0.2, 0.8]",
         {"cables[0].lengths[0]", "0.2", "is less than the distance of its ends at the start",
          "between column and forearm"});
  expect(good + ", lengths: [1.5, 0.8], radius: -0.01", {"cables[0].radius"});
  expect(good + ", lengths: [1.5, 0.8], reserve: 0.9", {"cables[0].reserve", "every length"});
  expect(good + ", lengths: [1.5, 0.8], allowed: [uper_arm]",
         {"cables[0].allowed[0]", "uper_arm", "upper_arm"});
  expect(good + ", lengths: [1.5, 0.8], radios: 0.01", {"radios", "radius"});
  const std::string twice = "{" + good + ", lengths: [1.5, 0.8]}";
  EXPECT_NE(complaint("[" + twice + ", " + twice + "]").find("another cable has this id"),
            std::string::npos);
}

}  // namespace
}  // namespace allclear
