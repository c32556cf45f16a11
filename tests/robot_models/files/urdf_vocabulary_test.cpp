// Names of a URDF's parts, and rotations of origins: nothing that moves a joint or a solid is left
// out in silence.
#include "allclear/robot_models/files/urdf_vocabulary.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <charconv>
#include <numbers>
#include <random>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/urdf_reader.h"

namespace allclear {
namespace {

/// A robot with one of everything; `{..}` of the parts can be replaced.
std::string robotText(const std::string& origin, const std::string& version = " version=\"1.2\"") {
  return "<robot name=\"r\"" + version + "><link name=\"a\"/><joint name=\"j\" type=\"revolute\">" +
         "<parent link=\"a\"/><child link=\"b\"/>" + origin +
         "<axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" "
         "velocity=\"1\"/></joint>"
         "<link name=\"b\"><inertial>" +
         origin +
         "<mass value=\"2\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"2\" iyz=\"0\" "
         "izz=\"2.5\"/></inertial><visual>" +
         origin + "<geometry><sphere radius=\"1\"/></geometry></visual><collision>" + origin +
         "<geometry><box size=\"1 2 3\"/></geometry></collision></link></robot>";
}

UrdfRobot read(const std::string& text) {
  UrdfParts parts;
  parts.visual = true;
  return readUrdf(text, "r.urdf", parts);
}

std::string errorOf(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), by);
}

std::string shown(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string quaternionOrigin(const Eigen::Quaterniond& q) {
  return "<origin xyz=\"1 2 3\" quat_xyzw=\"" + shown(q.x()) + " " + shown(q.y()) + " " +
         shown(q.z()) + " " + shown(q.w()) + "\"/>";
}

TEST(UrdfOrigins, QuaternionsTurnJointsInertiasAndSolids) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<Eigen::Quaterniond> turns = {
      Eigen::Quaterniond(1, 0, 0, 0), Eigen::Quaterniond(-1, 0, 0, 0),
      Eigen::Quaterniond(0, 0, 0, 1),
      // Pitch of a quarter turn: roll and yaw turn about one axis.
      Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitY())),
      Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Vec3::UnitZ()) *
                         Eigen::AngleAxisd(-std::numbers::pi / 2, Vec3::UnitY())),
      Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Vec3::UnitZ()) *
                         Eigen::AngleAxisd(std::numbers::pi / 2 - 1e-9, Vec3::UnitY()))};
  for (int i = 0; i < 200; ++i) {
    turns.push_back(
        Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
            .normalized());
  }
  for (const Eigen::Quaterniond& q : turns) {
    const Mat3 R = q.toRotationMatrix();
    const UrdfRobot robot = read(robotText(quaternionOrigin(q)));
    EXPECT_LE((robot.joints[0].joint.X_PJ.R - R).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_EQ(robot.joints[0].joint.X_PJ.p, Vec3(1, 2, 3));
    const UrdfLink& link = robot.links[1];
    EXPECT_LE((link.collision[0].X_LG.R - R).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LE((link.visual[0].X_LG.R - R).cwiseAbs().maxCoeff(), 1e-14);
    const Mat3 I = R * Vec3(1, 2, 2.5).asDiagonal() * R.transpose();
    EXPECT_LE((link.inertia.I_C - I).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_TRUE(robot.notes.assumptions.empty());
  }
}

TEST(UrdfOrigins, QuaternionsThatCannotBeMeantAreRefused) {
  const std::string good = "<origin quat_xyzw=\"0 0 0.6 0.8\"/>";
  EXPECT_EQ(errorOf(robotText(good)), "accepted");
  EXPECT_NE(errorOf(robotText(good, "")).find("version=\"1.2\""), std::string::npos);
  EXPECT_NE(errorOf(robotText(good, " version=\"1.0\"")).find("r.urdf:1"), std::string::npos);
  EXPECT_NE(errorOf(robotText("<origin rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"/>")).find("twice"),
            std::string::npos);
  for (const char* q : {"0 0 0 0", "0 0 1", "0 0 0 1 0", "0 0 nan 1", "1 0 0 1", "x 0 0 1"}) {
    EXPECT_NE(errorOf(robotText("<origin quat_xyzw=\"" + std::string(q) + "\"/>")), "accepted")
        << q;
  }
}

TEST(UrdfOrigins, AnglesBeyondATurnAreDegrees) {
  EXPECT_EQ(errorOf(robotText("<origin rpy=\"0 -6.2832 3.15\"/>")), "accepted");
  EXPECT_NE(errorOf(robotText("<origin rpy=\"0 0 90\"/>")).find("degrees?"), std::string::npos);
}

TEST(UrdfNames, OfAttributesThatAreNotReadAreRefusedWhereSomethingIsMissing) {
  const std::string good = robotText("<origin xyz=\"1 0 0\" rpy=\"0 0 1\"/>");
  EXPECT_EQ(errorOf(good), "accepted");
  const char* const slips[][3] = {
      {"<origin xyz=\"1 0 0\" rpy", "<origin XYZ=\"1 0 0\" rpy", "did you mean 'xyz'?"},
      {"<origin xyz=\"1 0 0\" rpy", "<origin pos=\"1 0 0\" rpy", "'xyz' is not given"},
      {"xyz=\"1 0 0\" rpy=", "xyz=\"1 0 0\" turn=", "'rpy' is not given"},
      {"<axis xyz", "<axis dir", "'xyz' is not given"},
      {"lower=", "Lower=", "did you mean 'lower'?"},
      {"box size", "box Size", "did you mean 'size'?"},
      {"<axis", "<mimic joint=\"k\" factor=\"2\"/><axis", "unknown attribute 'factor'"}};
  for (const auto& [old, by, says] : slips) {
    const std::string said = errorOf(replaced(good, old, by));
    EXPECT_NE(said.find(says), std::string::npos) << said;
    EXPECT_NE(said.find("r.urdf:1"), std::string::npos) << said;
  }
  // Where nothing is missing it is an assumption, which certificates list.
  const UrdfRobot robot = read(replaced(good, "effort=\"1\"", "effort=\"1\" acceleration=\"9\""));
  ASSERT_EQ(robot.notes.assumptions.size(), 1u);
  EXPECT_EQ(robot.notes.assumptions[0],
            "URDF line 1: joint 'j': attribute 'acceleration' of <limit> is not read");
  EXPECT_EQ(robot.notes.warnings.size(), 1u);
}

TEST(UrdfNames, OfPartsInTheWrongPlaceAreNamed) {
  const std::string good = robotText("<origin xyz=\"1 0 0\"/>");
  const char* const slips[][3] = {
      {"<geometry><box size=\"1 2 3\"/></geometry>",
       "<geometry><box size=\"1 2 3\"/></geometry><collision><geometry><box size=\"1 2 "
       "3\"/></geometry></collision>",
       "a <collision> inside of a <collision>"},
      {"<link name=\"b\">", "<link name=\"b\"><link name=\"c\"/>", "a <link> inside of a <link>"},
      {"<collision><origin", "<collision><Origin", "did you mean 'origin'?"},
      {"<axis", "<axes xyz=\"1 0 0\"/><axis", "did you mean 'axis'?"}};
  for (const auto& [old, by, says] : slips) {
    const std::string said = errorOf(replaced(good, old, by));
    EXPECT_NE(said.find(says), std::string::npos) << said;
  }
  EXPECT_EQ(errorOf(replaced(good, "<axis", "<dynamics damping=\"1\"/><axis")), "accepted");
  EXPECT_EQ(errorOf(replaced(good, "<inertial>", "<contact/><inertial>")), "accepted");
}

}  // namespace
}  // namespace allclear
