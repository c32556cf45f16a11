#include "allclear/robot_models/default_pairs.h"

#include <gtest/gtest.h>

#include "allclear/robot_models/fits/surface_contact.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
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
    const ContactBody A(robot.links()[a].collision), B(robot.links()[b].collision);
    EXPECT_FALSE(ContactBody::inContact(A, X_WL[a], B, X_WL[b]))
        << robot.links()[a].name << " " << robot.links()[b].name;
  }
}

// Spheres know their distance in closed form; the tested surfaces are inscribed ones.
TEST(SurfaceContact, OfSpheresAgreesWithTheirDistance) {
  test::Random random(11);
  int touching = 0;
  for (int i = 0; i < 500; ++i) {
    const double ra = random.logUniform(1e-2, 1.0), rb = random.logUniform(1e-2, 1.0);
    const Pose X_AG = random.pose(0.3), X_BG = random.pose(0.3);
    const ContactBody A({{Sphere(ra), X_AG}}), B({{Sphere(rb), X_BG}});
    const Pose X_WA = random.pose(0.6), X_WB = random.pose(0.6);
    const double apart = ((X_WA * X_AG).p - (X_WB * X_BG).p).norm();
    const bool found = ContactBody::inContact(A, X_WA, B, X_WB);
    if (apart > ra + rb) {
      EXPECT_FALSE(found) << i << " of seed 11";
    }
    if (apart < 0.95 * (ra + rb)) {
      EXPECT_TRUE(found) << i << " of seed 11";
    }
    touching += found;
  }
  EXPECT_GT(touching, 30);
}

/// Boxes are apart exactly when one of 15 directions separates them.
bool boxesTouch(const Box& a, const Pose& X_WA, const Box& b, const Pose& X_WB) {
  std::vector<Vec3> axes;
  for (int i = 0; i < 3; ++i) {
    axes.push_back(X_WA.R.col(i));
    axes.push_back(X_WB.R.col(i));
    for (int j = 0; j < 3; ++j) axes.push_back(X_WA.R.col(i).cross(X_WB.R.col(j)));
  }
  for (const Vec3& axis : axes) {
    if (axis.norm() < 1e-9) continue;
    const double reach = (X_WA.R.transpose() * axis).cwiseAbs().dot(a.halfSize()) +
                         (X_WB.R.transpose() * axis).cwiseAbs().dot(b.halfSize());
    if (std::abs(axis.dot(X_WB.p - X_WA.p)) > reach) return false;
  }
  return true;
}

TEST(SurfaceContact, OfBoxesAgreesWithSeparatingAxes) {
  test::Random random(12);
  int touching = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto size = [&] {
      return Vec3(random.logUniform(1e-3, 1), random.logUniform(1e-3, 1),
                  random.logUniform(1e-3, 1));
    };
    const Box a(size()), b(size());
    const Pose X_WA = random.pose(0.2), X_WB = random.pose(0.2);
    const ContactBody A({{a, Pose{}}}), B({{b, Pose{}}});
    const bool expected = boxesTouch(a, X_WA, b, X_WB);
    EXPECT_EQ(ContactBody::inContact(A, X_WA, B, X_WB), expected) << i << " of seed 12";
    EXPECT_EQ(ContactBody::inContact(B, X_WB, A, X_WA), expected) << i << " of seed 12";
    touching += expected;
  }
  EXPECT_GT(touching, 500);
  EXPECT_LT(touching, 4500);
}

TEST(SurfaceContact, FindsOnePrimitiveInsideAnother) {
  const ContactBody outer({{Cylinder(1.0, 2.0), Pose{}}});
  const ContactBody inner({{Sphere(0.1), Pose{}}});
  const Pose X{Mat3::Identity(), Vec3(0.3, 0.2, 0.5)};
  EXPECT_TRUE(ContactBody::inContact(outer, Pose{}, inner, X));
  EXPECT_TRUE(ContactBody::inContact(inner, X, outer, Pose{}));
}

}  // namespace
}  // namespace allclear
