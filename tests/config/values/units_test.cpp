#include "allclear/config/values/units.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "allclear/core/input_error.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

const std::string kHead =
    "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\nstart_state: {group_state: ready}\n"
    "goal: {joint_constraints: {shoulder: 0.8}}\n";

std::vector<std::string> warningsOf(const std::string& object) {
  return test::loadText(kHead + "scene: {collision_objects: [{id: thing, " + object + "}]}\n")
      .warnings;
}

bool asks(const std::vector<std::string>& warnings, const std::string& question) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
    return warning.find(question) != std::string::npos;
  });
}

TEST(Units, AskWhereAThingIsTooLargeOrTooFarForAnyArm) {
  EXPECT_TRUE(asks(warningsOf("type: box, dimensions: [100, 200, 300]"), "dimensions in metres?"));
  EXPECT_TRUE(asks(warningsOf("type: sphere, dimensions: [50]"), "dimensions in metres?"));
  EXPECT_TRUE(asks(warningsOf("type: box, dimensions: [1, 1, 1], pose: {position: [0, -500, 0]}"),
                   "position in metres?"));
  EXPECT_TRUE(asks(warningsOf("type: plane, normal: z, offset: -800"), "offset in metres?"));
}

TEST(Units, DoNotAskOfFloorsWallsAndRooms) {
  for (const char* object :
       {"type: box, dimensions: [100, 100, 0.1], pose: {position: [0, 0, -0.1]}",
        "type: box, dimensions: [8, 0.2, 6], pose: {position: [0, 5, 0]}",
        "type: plane, normal: z, offset: -0.5",
        "type: sphere, dimensions: [0.5], pose: {position: [20, 0, 0]}",
        "type: keep_in, planes: [[1, 0, 0, 2], [-1, 0, 0, 2]]"}) {
    EXPECT_TRUE(warningsOf(object).empty()) << object << ": " << warningsOf(object).front();
  }
}

TEST(Units, OfATrajectoryAreThoseThatMakeItFit) {
  const test::TaskFolder folder;
  const Problem problem = test::loadText(kHead);
  const auto warningsFor = [&](const std::string& rows) {
    return loadTrajectory(folder.write("t.csv", "time,lift,shoulder,elbow,wrist\n" + rows), problem)
        .warnings;
  };
  EXPECT_TRUE(asks(warningsFor("0,0.1,0,28,0\n2,0.1,45,28,0\n"), "degrees?"));
  EXPECT_FALSE(asks(warningsFor("0,0.1,0,0.5,0\n2,0.1,0.8,0.5,0\n"), "degrees?"));
  EXPECT_FALSE(asks(warningsFor("0,0.1,0,0.5,0\n2,0.1,500,0.5,0\n"), "degrees?"))
      << "beyond the limits as degrees too";
  EXPECT_TRUE(asks(warningsFor("0,0.1,0,0.5,0\n2000,0.1,0.8,0.5,0\n"), "milliseconds?"));
  EXPECT_FALSE(asks(warningsFor("0,0.1,0,0.5,0\n200,0.1,0.8,0.5,0\n"), "milliseconds?"));
}

}  // namespace
}  // namespace allclear
