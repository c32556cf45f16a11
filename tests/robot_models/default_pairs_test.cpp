#include "allclear/robot_models/load_robot.h"

#include <gtest/gtest.h>

#include "allclear/robot_models/fits/link_solids.h"
#include "allclear/robot_models/kinematics.h"
#include "support/data.h"
#include "support/random_robot.h"
#include "support/temporary_folder.h"

namespace allclear {
namespace {

std::string cylinder(const std::string& name, double z, double radius = 0.1, double length = 0.2) {
  return "<link name=\"" + name + "\"><collision><origin xyz=\"0 0 " + std::to_string(z) +
         "\"/><geometry><cylinder radius=\"" + std::to_string(radius) + "\" length=\"" +
         std::to_string(length) + "\"/></geometry></collision></link>";
}

std::string joint(const std::string& parent, const std::string& child, const std::string& type,
                  const std::string& axis = "0 0 1") {
  return "<joint name=\"" + parent + "_" + child + "\" type=\"" + type + "\"><parent link=\"" +
         parent + "\"/><child link=\"" + child + "\"/><axis xyz=\"" + axis +
         "\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>";
}

class DefaultPairsTest : public testing::Test {
 protected:
  RobotModel load(const std::string& body, const DefaultPairOptions& options = {}) {
    RobotSource source;
    source.urdf = folder_.write("r.urdf", "<robot name=\"r\">" + body + "</robot>");
    source.self_pairs = options;
    return loadRobot(source);
  }
  /// Reason why the pair is not checked, "" when it is.
  static std::string reason(const RobotModel& robot, const std::string& a, const std::string& b) {
    const std::pair<int, int> wanted = std::minmax({robot.findLink(a), robot.findLink(b)});
    for (const DisabledPair& pair : robot.disabledPairs()) {
      if (std::pair(pair.link_a, pair.link_b) == wanted) {
        return pair.reason;
      }
    }
    return "";
  }
  test::TemporaryFolder folder_;
};

TEST_F(DefaultPairsTest, AdjacentIsAcrossOneJointFixedOnesNotCounted) {
  // far apart along z, so that nothing touches: a -rev- b -fixed- c -rev- d
  const RobotModel robot =
      load(cylinder("a", 0) + cylinder("b", 1) + cylinder("c", 2) + cylinder("d", 3) +
           joint("a", "b", "revolute") + joint("b", "c", "fixed") + joint("c", "d", "revolute"));
  EXPECT_EQ(reason(robot, "a", "b"), "Adjacent");
  EXPECT_EQ(reason(robot, "b", "c"), "Adjacent");
  EXPECT_EQ(reason(robot, "a", "c"), "Adjacent");
  EXPECT_EQ(reason(robot, "b", "d"), "Adjacent");
  EXPECT_EQ(reason(robot, "a", "d"), "");
}

TEST_F(DefaultPairsTest, BodiesWithoutGeometryBetweenDoNotPartNeighbours) {
  const RobotModel robot =
      load(cylinder("a", 0) + "<link name=\"cross\"/>" + cylinder("b", 1) + cylinder("c", 2) +
           joint("a", "cross", "revolute", "1 0 0") + joint("cross", "b", "revolute", "0 1 0") +
           joint("cross", "c", "revolute"));
  EXPECT_EQ(reason(robot, "a", "b"), "Adjacent");
  EXPECT_EQ(reason(robot, "a", "c"), "Adjacent");
  EXPECT_EQ(reason(robot, "b", "c"), "");  // siblings do move against each other
}

TEST_F(DefaultPairsTest, AlwaysInContactIsLeftOutAndNeverIsCheckedUnlessAsked) {
  // All turn about z: a and c overlap for ever, d stays away from a.
  const std::string body = cylinder("a", 0) + cylinder("b", 0.1, 0.02) + cylinder("c", 0.15) +
                           cylinder("d", 0.9) + joint("a", "b", "revolute") +
                           joint("b", "c", "revolute") + joint("c", "d", "revolute");
  const RobotModel robot = load(body);
  EXPECT_EQ(reason(robot, "a", "c"), "Always");
  EXPECT_EQ(reason(robot, "a", "d"), "");
  ASSERT_EQ(robot.warnings().size(), 1u);
  EXPECT_NE(robot.warnings()[0].find("1 always in contact"), std::string::npos);
  EXPECT_NE(robot.warnings()[0].find("checked all the same"), std::string::npos);
  DefaultPairOptions options;
  options.disable_never = true;
  EXPECT_EQ(reason(load(body, options), "a", "d"), "Never");
}

TEST_F(DefaultPairsTest, SometimesInContactIsChecked) {
  const RobotModel robot = load(cylinder("a", 0) + cylinder("b", 0.1, 0.02) + cylinder("c", 0.15) +
                                joint("a", "b", "revolute") + joint("b", "c", "prismatic"));
  EXPECT_EQ(reason(robot, "a", "c"), "");
}

TEST(DefaultPairs, OfJvrcLeaveNoPairInContactAtItsNeutralPosture) {
  ALLCLEAR_REQUIRE_DATA("robots/jvrc_description");
  RobotSource source;
  source.urdf = test::dataFolder() / "robots/jvrc_description/urdf/jvrc1.urdf";
  const RobotModel robot = loadRobot(source);
  const Kinematics kinematics(robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(robot.neutralConfiguration(), workspace, X_WL);
  for (const auto& [a, b] : robot.collisionPairs()) {
    const LinkSolids A(robot.links()[a].collision), B(robot.links()[b].collision);
    EXPECT_FALSE(LinkSolids::overlap(A, X_WL[a], B, X_WL[b]))
        << robot.links()[a].name << " " << robot.links()[b].name;
  }
}

}  // namespace
}  // namespace allclear
