#include "allclear/robot_models/files/srdf_reader.h"

#include <gtest/gtest.h>

#include "allclear/robot_models/load_robot.h"
#include "support/data.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

/// base -j1- l1 -j2- l2 -(fixed)- tool, and base -k1- m1 -k2(mimic of j1)- m2.
constexpr char kUrdf[] = R"(<robot name="y">
<link name="base"/><link name="l1"/><link name="l2"/><link name="tool"/><link name="m1"/>
<link name="m2"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/></joint>
<joint name="flange" type="fixed"><parent link="l2"/><child link="tool"/></joint>
<joint name="k1" type="planar"><parent link="base"/><child link="m1"/></joint>
<joint name="k2" type="revolute"><parent link="m1"/><child link="m2"/>
  <limit lower="-2" upper="2" effort="1" velocity="1"/><mimic joint="j1" multiplier="2"/></joint>
</robot>)";

class SrdfTest : public testing::Test {
 protected:
  RobotModel load(const std::string& body, const std::string& name = "y") {
    RobotSource source;
    source.urdf = folder_.write("y.urdf", kUrdf);
    source.srdf = folder_.write("y.srdf", "<robot name=\"" + name + "\">" + body + "</robot>");
    return loadRobot(source);
  }
  static std::vector<std::string> coordinates(const RobotModel& robot, const std::string& group) {
    std::vector<std::string> names;
    for (int c : robot.findGroup(group)->coordinates) names.push_back(robot.coordinates()[c].name);
    return names;
  }
  using Names = std::vector<std::string>;

  test::TemporaryFolder folder_;
};

TEST_F(SrdfTest, AChainHoldsTheJointsBetweenItsLinks) {
  const RobotModel robot = load(R"(<group name="g"><chain base_link="base" tip_link="tool"/></group>
    <group name="h"><chain base_link="l1" tip_link="tool"/></group>
    <group name="across"><chain base_link="m1" tip_link="l1"/></group>)");
  EXPECT_EQ(coordinates(robot, "g"), (Names{"j1", "j2"}));
  EXPECT_EQ(coordinates(robot, "h"), (Names{"j2"}));
  EXPECT_EQ(coordinates(robot, "across"), (Names{"j1", "k1/x", "k1/y", "k1/angle"}));
  Names links;
  for (int l : robot.findGroup("g")->links) links.push_back(robot.links()[l].name);
  EXPECT_EQ(links, (Names{"l1", "l2", "tool"}));
}

TEST_F(SrdfTest, LinksStandForTheirParentJointsAndSubgroupsForTheirs) {
  const RobotModel robot = load(R"(
    <group name="both"><group name="g"/><joint name="j2"/></group>
    <group name="g"><link name="l1"/><link name="base"/><link name="m2"/></group>)");
  EXPECT_EQ(coordinates(robot, "g"), (Names{"j1"}));
  EXPECT_EQ(coordinates(robot, "both"), (Names{"j1", "j2"}));
}

TEST_F(SrdfTest, PassiveJointsAreNotPlanned) {
  const RobotModel robot = load(R"(<passive_joint name="j1"/>
    <group name="g"><chain base_link="base" tip_link="tool"/></group>)");
  EXPECT_EQ(coordinates(robot, "g"), (Names{"j2"}));
}

TEST_F(SrdfTest, StatesGiveValuesToCoordinates) {
  const RobotModel robot = load(R"(<group name="g"><joint name="j1"/><joint name="k1"/></group>
    <group_state name="home" group="g"><joint name="j1" value="0.5"/>
    <joint name="k1" value="1 -2 0.25"/></group_state>)");
  ASSERT_EQ(robot.groupStates().size(), 1u);
  const GroupState& state = robot.groupStates()[0];
  EXPECT_EQ(state.group, "g");
  const int j1 = robot.findCoordinate("j1"), k1 = robot.findCoordinate("k1/x");
  EXPECT_EQ(state.values, (std::vector<std::pair<int, double>>{
                              {j1, 0.5}, {k1, 1.0}, {k1 + 1, -2.0}, {k1 + 2, 0.25}}));
}

TEST_F(SrdfTest, WhatCannotBeUsedIsAWarning) {
  const auto warnings = [&](const std::string& body, const std::string& name = "y") {
    return load(body + "<disable_collisions link1=\"base\" link2=\"l1\"/>", name).warnings();
  };
  EXPECT_EQ(warnings("").size(), 0u);
  EXPECT_EQ(warnings("", "other").size(), 1u);
  EXPECT_EQ(warnings("<grup name=\"g\"/>").size(), 1u);
  EXPECT_EQ(warnings("<group name=\"empty\"/>").size(), 1u);
  const std::string group = "<group name=\"g\"><joint name=\"j1\"/><joint name=\"k2\"/></group>";
  const auto state = [&](const std::string& values) {
    return warnings(group + "<group_state name=\"s\" group=\"g\">" + values + "</group_state>");
  };
  EXPECT_EQ(state("<joint name=\"j1\" value=\"1.5\"/>").size(), 1u);  // beyond its limit
  EXPECT_EQ(state("<joint name=\"j2\" value=\"0\"/>").size(), 1u);    // not in the group
  EXPECT_EQ(state("<joint name=\"j1\" value=\"0.5\"/><joint name=\"k2\" value=\"1\"/>").size(), 0u);
  EXPECT_EQ(state("<joint name=\"j1\" value=\"0.5\"/><joint name=\"k2\" value=\"0\"/>").size(), 1u);
}

TEST_F(SrdfTest, PairsAreDisabledAndEnabled) {
  const RobotModel robot = load(R"(<disable_default_collisions link="base"/>
    <enable_collisions link1="tool" link2="base"/>
    <disable_collisions link1="m2" link2="l2" reason="Never"/>)");
  const auto disabled = [&](const char* a, const char* b) {
    return robot.isPairDisabled(robot.findLink(a), robot.findLink(b));
  };
  EXPECT_TRUE(disabled("base", "l1"));
  EXPECT_TRUE(disabled("m1", "base"));
  EXPECT_FALSE(disabled("base", "tool"));
  EXPECT_TRUE(disabled("l2", "m2"));
  EXPECT_FALSE(disabled("l1", "m2"));
  EXPECT_EQ(robot.disabledPairs().size(), 5u);
}

TEST(Srdf, OfThePandaHasItsGroupsAndStates) {
  ALLCLEAR_REQUIRE_DATA("robots/panda_description");
  RobotSource source;
  const auto package = test::dataFolder() / "robots/panda_description";
  source.urdf = package / "urdf/panda.urdf";
  source.srdf = package / "srdf/panda.srdf";
  source.load_collision = false;
  const RobotModel robot = loadRobot(source);
  const Group* arm = robot.findGroup("panda_arm");
  ASSERT_TRUE(arm);
  EXPECT_EQ(arm->coordinates, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  const GroupState& ready = robot.groupStates().at(0);
  EXPECT_EQ(ready.name, "ready");
  EXPECT_EQ(ready.values.size(), 7u);
  EXPECT_EQ(ready.values[3].second, -2.356);
  EXPECT_EQ(robot.findGroup("hand")->coordinates, (std::vector<int>{7}));
}

}  // namespace
}  // namespace allclear
