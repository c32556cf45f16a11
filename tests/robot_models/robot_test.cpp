#include "allclear/robot_models/robot.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/kinematics.h"
#include "support/data.h"

namespace allclear {
namespace {

Robot shelfRobot() {
  const std::filesystem::path folder = test::sourceFolder() / "examples/shelf";
  return Robot(folder / "seven.urdf", folder / "seven.srdf");
}

std::string errorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Robot, GivesGroupsAndStatesByName) {
  const Robot robot = shelfRobot();
  EXPECT_EQ(robot.groupNames(), std::vector<std::string>{"arm"});
  const JointGroup arm = robot.group("arm");
  EXPECT_EQ(arm.stateNames(), (std::vector<std::string>{"home", "ready"}));
  EXPECT_EQ(arm.jointNames(), robot.coordinateNames());
  const VecX q = arm.state("ready");
  EXPECT_EQ(q[robot.coordinateIndex("joint4")], 1.6);
  EXPECT_EQ(arm.part(q), q);
  EXPECT_EQ(robot.group("all").jointNames(), robot.coordinateNames());
}

TEST(Robot, SetsNamedValuesOnly) {
  const Robot robot = shelfRobot();
  const VecX base = robot.group("arm").state("ready");
  VecX expected = base;
  expected[2] = 0.5;
  EXPECT_EQ(robot.configuration({{"joint3", 0.5}}, base), expected);
  EXPECT_EQ(robot.configuration({}), robot.model().neutralConfiguration());
}

TEST(Robot, JacobianIsTheDerivativeOfThePose) {
  constexpr double kStep = 1e-6;  // central differences: error 1e-12 and rounding 1e-10
  const Robot robot = shelfRobot();
  const VecX q = robot.group("arm").state("ready");
  const Vec3 p_L(0.05, -0.02, 0.1);
  const Jacobian J = robot.jacobian(q, "tool", p_L);
  for (int k = 0; k < q.size(); ++k) {
    VecX up = q, down = q;
    up[k] += kStep;
    down[k] -= kStep;
    const Vec3 slope =
        (robot.pose(up, "tool") * p_L - robot.pose(down, "tool") * p_L) / (2 * kStep);
    EXPECT_LT((J.col(k).head<3>() - slope).norm(), 1e-8) << k;
  }
  EXPECT_EQ(robot.poses(q).size(), robot.linkNames().size());
}

TEST(Robot, NamesWhatThereIsInsteadOfAnUnknownName) {
  const Robot robot = shelfRobot();
  const auto q = robot.model().neutralConfiguration();
  EXPECT_NE(errorOf([&] { robot.group("armm"); }).find("did you mean 'arm'"), std::string::npos);
  EXPECT_NE(errorOf([&] { robot.group("arm").state("reday"); }).find("'ready'"), std::string::npos);
  EXPECT_NE(errorOf([&] { robot.pose(q, "tol"); }).find("'tool'"), std::string::npos);
  EXPECT_NE(errorOf([&] {
              robot.configuration({{"joint9", 0.0}});
            }).find("'joint9'"),
            std::string::npos);
  EXPECT_NE(errorOf([&] { robot.poses(VecX::Zero(3)); }).find("7 coordinates"), std::string::npos);
  EXPECT_NE(errorOf([&] { robot.group("arm").part(VecX::Zero(8)); }).find("7 coordinates"),
            std::string::npos);
}

}  // namespace
}  // namespace allclear
