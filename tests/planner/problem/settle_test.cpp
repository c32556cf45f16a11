#include "allclear/planner/problem/settle.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "allclear/core/file.h"
#include "allclear/planner/problem.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/derived_base.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/rerooted.h"
#include "allclear/robot_models/load_robot.h"
#include "support/biped.h"
#include "support/data.h"
#include "support/random.h"

namespace allclear {
namespace {

std::vector<Pose> linkPoses(const RobotModel& robot, const VecX& q) {
  const Kinematics kinematics(robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  return X_WL;
}

TEST(DerivedBase, PutsTheOriginalRobotWhereTheStandingOneIs) {
  const Problem floating = test::bipedProblem();
  const Problem standing = standOn(floating);
  const std::vector<std::string> names = derivedBaseNames(standing);
  ASSERT_EQ(names.size(), 6u);
  EXPECT_EQ(names[0], "virtual_joint/x");
  EXPECT_EQ(names[5], "virtual_joint/yaw");
  EXPECT_TRUE(derivedBaseNames(floating).empty());
  test::Random random(95);
  MatX positions(standing.plannedCount(), 20);
  for (int i = 0; i < 20; ++i) {
    positions.col(i) =
        standing.plannedPart(standing.start) + random.vectorX(standing.plannedCount(), 0.3);
  }
  const MatX base = derivedBase(standing, positions);
  for (int i = 0; i < 20; ++i) {
    VecX q = standing.configuration(positions.col(i));
    const auto there = linkPoses(*standing.robot, q);
    q.head<6>() = base.col(i);
    const auto here = linkPoses(*floating.robot, q);
    for (std::size_t l = 1; l < here.size(); ++l) {
      const Pose& X = there[standing.robot->findLink(floating.robot->links()[l].name)];
      EXPECT_LT((X.p - here[l].p).norm() + (X.R - here[l].R).norm(), 1e-12)
          << floating.robot->links()[l].name;
    }
  }
}

// The shared oracle of forward kinematics: every relative pose of two links is that of the
// original.
TEST(RerootedJvrc, RelativePosesOfJvrcAreThoseOfTheOracle) {
  ALLCLEAR_REQUIRE_DATA("robots/jvrc_description");
  const auto folder = test::dataFolder() / "robots" / "jvrc_description";
  RobotSource source;
  source.urdf = folder / "urdf" / "jvrc1.urdf";
  source.base = BaseJoint::kFloating;
  source.package_map["jvrc_description"] = folder;
  const RobotModel robot = loadRobot(source);
  const Pose X_WF{rotationFromRpy({0.1, -0.2, 0.3}), {0.5, -0.3, 0.1}};
  const int foot = robot.findLink("R_ANKLE_P_S");
  const RerootedRobot turned = rerooted(robot, foot, X_WF);
  EXPECT_NEAR(turned.model.totalMass(), robot.totalMass(), 1e-12 * robot.totalMass());
  const auto oracle = nlohmann::json::parse(readFile(folder / "fk_oracle.json", 1 << 26));
  // The oracle's own agreement with a second implementation, and the rounding of its quaternions.
  constexpr double kOracle = 1e-14;
  int compared = 0;
  for (const auto& entry : oracle.at("cases")) {
    VecX q = VecX::Zero(robot.dimension());
    for (const auto& [name, value] : entry.at("q").items()) {
      const int c = robot.findCoordinate(name);
      if (c >= 0) q[c] = value.get<double>();
    }
    const auto there = linkPoses(turned.model, q);
    const Pose X_FW = there[turned.link_of[foot]].inverse();
    const auto poseOf = [&](const std::string& name) {
      const auto& pose = entry.at("link_poses").at(name);
      const auto p = pose.at("xyz").get<std::vector<double>>();
      const auto w = pose.at("quat_wxyz").get<std::vector<double>>();
      return Pose{Eigen::Quaterniond(w[0], w[1], w[2], w[3]).normalized().toRotationMatrix(),
                  Vec3(p[0], p[1], p[2])};
    };
    const Pose X_FR = poseOf("R_ANKLE_P_S").inverse();
    for (const auto& [name, unused] : entry.at("link_poses").items()) {
      const Pose was = X_FR * poseOf(name);
      const Pose is = X_FW * there[turned.link_of[robot.findLink(name)]];
      EXPECT_LT((was.p - is.p).cwiseAbs().maxCoeff(), kOracle) << name;
      EXPECT_LT((was.R - is.R).cwiseAbs().maxCoeff(), kOracle) << name;
      ++compared;
    }
    // Against our own kinematics of the original, whose rounding is the same but for the order.
    const auto before = linkPoses(robot, q);
    for (std::size_t l = 1; l < before.size(); ++l) {
      const Pose was = before[foot].inverse() * before[l];
      const Pose is = X_FW * there[turned.link_of[l]];
      EXPECT_LT((was.p - is.p).cwiseAbs().maxCoeff(), 1e-14) << robot.links()[l].name;
      EXPECT_LT((was.R - is.R).cwiseAbs().maxCoeff(), 1e-14) << robot.links()[l].name;
    }
  }
  EXPECT_GE(compared, 21 * 40);
}

TEST(Settled, PutsAGoalThatIsOffByRoundingOntoTheContacts) {
  Problem problem = test::bipedProblem();
  auto& goal = std::get<JointTarget>(problem.goal);
  test::Random random(96);
  VecX values = goal.values + 1e-5 * random.vectorX(static_cast<int>(goal.values.size()), 1.0);
  values.head<6>() = goal.values.head<6>();
  goal.values = values;
  const Problem settled = settledOnContacts(problem);
  const Kinematics kinematics(*settled.robot);
  ContactProjection projection(settled, kinematics);
  EXPECT_LT(projection.error(std::get<JointTarget>(settled.goal).values).norm(), 1e-11);
  ASSERT_FALSE(settled.warnings.empty());
  EXPECT_NE(settled.warnings.back().find("onto the contacts"), std::string::npos);
  // What is farther off is left, for the planner to refuse.
  goal.values[problem.robot->findCoordinate("r_knee")] += 0.01;
  const Problem off = settledOnContacts(problem);
  EXPECT_GT(projection.error(std::get<JointTarget>(off.goal).values).norm(), 1e-3);
}

TEST(Settled, SaysHowFarASoleIsOffThePlaneOfTheFirst) {
  Problem problem = test::bipedProblem();
  problem.start[problem.robot->findCoordinate("r_ankle_roll")] += 0.021;
  problem.goal = JointTarget{problem.planned, problem.start};
  const Problem settled = settledOnContacts(problem);
  ASSERT_EQ(settled.warnings.size(), 1u);
  EXPECT_NE(settled.warnings[0].find("'r_foot' is 0.021 rad"), std::string::npos)
      << settled.warnings[0];
}

}  // namespace
}  // namespace allclear
