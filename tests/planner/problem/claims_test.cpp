// Torques and balance are claimed only of what has a mass.
#include "allclear/planner/problem/claims.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/torque.h"
#include "allclear/planner/problem/load.h"
#include "allclear/planner/program/state_demands.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::loadText;
using test::Random;
using test::splineOf;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

Problem torqueProblem(const std::string& more = "") {
  return loadText(armTask(kAcross, "limits: {torque: true}\n" + more));
}

std::string carrying(const std::string& keys) {
  return "scene: {attached: [{id: tool, link: hand, type: sphere, dimensions: [0.01], "
         "pose: {position: [0.1, 0, 0], rpy: [0, 0, 1.5707963267948966]}, "
         "touch_links: [left_finger, right_finger]" +
         keys + "}]}\n";
}

void takeMasses(Problem& problem, const std::vector<std::string>& links) {
  RobotModel::Data data = problem.robot->data();
  for (const std::string& name : links) data.links[problem.robot->findLink(name)].inertia = {};
  problem.robot = std::make_shared<const RobotModel>(data);
}

void expectRefused(const Problem& problem, const std::vector<std::string>& words) {
  const std::vector<Finding> findings = claimFindings(problem);
  ASSERT_FALSE(findings.empty());
  for (const std::string& word : words) {
    EXPECT_NE(findings[0].message.find(word), std::string::npos) << findings[0].message;
  }
  EXPECT_THROW(requireCertifiable(problem), InputError);
  Random random(1);
  EXPECT_THROW(certify(problem, splineOf(problem, 4.0, random, 0.0)), InputError);
}

TEST(Claims, TorquesOfLinksWithoutAMassAreRefusedByName) {
  Problem problem = torqueProblem();
  EXPECT_TRUE(claimFindings(problem).empty()) << "the base has no mass, and does not move";
  takeMasses(problem, {"forearm", "upper_arm"});
  expectRefused(problem, {"limits: torque", "'upper_arm', 'forearm'", "no mass"});
  problem.limits.torque = false;
  EXPECT_TRUE(claimFindings(problem).empty()) << "nobody asks";
}

TEST(Claims, ALinkWithoutAMassThatIsFixedToOneWithAMassIsPartOfIt) {
  Problem problem = torqueProblem();
  RobotModel::Data data = problem.robot->data();
  data.links[problem.robot->findLink("tool_tip")].has_visuals = true;
  problem.robot = std::make_shared<const RobotModel>(data);
  problem.collision.missing = MissingCollision::kIgnore;
  EXPECT_TRUE(claimFindings(problem).empty());
}

TEST(Claims, LinksWhoseInertiaCannotBeUsedAreRefusedWhateverTheyAreFixedTo) {
  Problem problem = torqueProblem();
  const auto blame = [&](const char* link) {
    RobotModel::Data data = problem.robot->data();
    data.links[problem.robot->findLink(link)].inertia_fault = "mass must not be negative";
    problem.robot = std::make_shared<const RobotModel>(data);
  };
  blame("base_link");
  EXPECT_TRUE(claimFindings(problem).empty()) << "it does not move";
  blame("tool_tip");  // fixed to the hand, which has a mass
  expectRefused(problem, {"limits: torque", "'tool_tip'", "mass must not be negative"});
  problem.limits.torque = false;
  EXPECT_TRUE(claimFindings(problem).empty()) << "nobody asks";
}

TEST(Claims, TorquesOfAJointWithoutEffortAreRefused) {
  Problem problem = torqueProblem();
  RobotModel::Data data = problem.robot->data();
  data.coordinates[problem.robot->findCoordinate("elbow")].effort = 0.0;
  problem.robot = std::make_shared<const RobotModel>(data);
  expectRefused(problem, {"joint 'elbow'", "an effort limit of 0"});
}

TEST(Claims, TorquesOfAJointThatMovesNoMassAreRefused) {
  // Frames without a shape: no link to name, and no torque either.
  Problem problem = torqueProblem();
  RobotModel::Data data = problem.robot->data();
  for (Link& link : data.links) {
    if (link.name == "base_link") continue;
    link.collision.clear();
    link.inertia = {};
  }
  problem.robot = std::make_shared<const RobotModel>(data);
  expectRefused(problem, {"nothing that joint 'lift' moves has a mass"});
}

TEST(Claims, TorquesWithAPlannedFloatingBaseAreRefused) {
  Problem problem = loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf, base: floating}\ngroup_name: all\n"
      "start_state: {group_state: ready, finger: 0.02, virtual_joint/x: 0, virtual_joint/y: 0, "
      "virtual_joint/z: 0, virtual_joint/roll: 0, virtual_joint/pitch: 0, virtual_joint/yaw: 0}\n"
      "goal: {joint_constraints: {elbow: -0.5}}\n");
  problem.limits.torque = true;
  expectRefused(problem, {"floating joint 'virtual_joint'", "contact forces"});
}

TEST(Claims, BalanceOfLinksWithoutAMassIsRefused) {
  Problem problem = loadText(armTask(kAcross, "balance: {support: [base_link]}\n"));
  EXPECT_TRUE(claimFindings(problem).empty());
  takeMasses(problem, {"left_finger"});
  expectRefused(problem, {"balance", "'left_finger'"});
}

TEST(Claims, ACarriedObjectNeedsAMassWhereTorquesAreLimited) {
  const std::string limits = "limits: {torque: true}\n";
  EXPECT_THROW(loadText(armTask(kAcross, carrying("") + limits)), InputError);
  EXPECT_TRUE(loadText(armTask(kAcross, carrying(""))).attached[0].inertia == std::nullopt);
  const Problem nothing = loadText(armTask(kAcross, carrying(", mass: 0") + limits));
  EXPECT_EQ(loadedRobot(nothing), nothing.robot);
  EXPECT_THROW(loadText(armTask(kAcross, carrying(", com: [0, 0, 0]"))), InputError);
  Problem broken = nothing;
  broken.attached[0].inertia->mass = std::nan("");
  expectRefused(broken, {"'tool'", "finite"});
  EXPECT_THROW(loadText(armTask(kAcross, carrying(", mass: 1, inertia: [1, 1, 3, 0, 0, 0]"))),
               InputError);
}

TEST(CarriedMass, IsReadInTheObjectsFrameAndKeptInThatOfTheLink) {
  const Problem problem = loadText(
      armTask(kAcross, carrying(", mass: 2, com: [0.1, 0, 0], inertia: [1, 2, 2.5, 0, 0, 0]")));
  const Inertia& inertia = *problem.attached[0].inertia;
  EXPECT_EQ(inertia.mass, 2.0);
  // The object is turned by a quarter turn about z: its x is the link's y.
  EXPECT_NEAR((inertia.p_LC - Vec3(0.1, 0.1, 0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((inertia.I_C.diagonal() - Vec3(2, 1, 2.5)).norm(), 0.0, 1e-12);
}

/// The robot with one link more, of this inertia, fixed at the frame of `parent`.
std::shared_ptr<const RobotModel> withFixedLink(const RobotModel& robot, const std::string& parent,
                                                const Inertia& inertia) {
  RobotModel::Data data = robot.data();
  Link link;
  link.name = "load";
  link.parent_joint = static_cast<int>(data.joints.size());
  link.inertia = inertia;
  Joint joint;
  joint.name = "load_mount";
  joint.parent_link = robot.findLink(parent);
  joint.child_link = static_cast<int>(data.links.size());
  data.links.push_back(link);
  data.joints.push_back(joint);
  return std::make_shared<const RobotModel>(data);
}

/// A mass in the hand is the same as one that the URDF fixes to it: for the optimiser, in the
/// proven bounds, and for balance.
TEST(CarriedMass, CountsInTorquesAsIfItWereTheLinks) {
  const Problem carried = torqueProblem(
      carrying(", mass: 1.5, com: [0, 0.05, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]"));
  const Problem bare = torqueProblem(carrying(", mass: 0"));
  Problem built_in = bare;
  built_in.robot = withFixedLink(*bare.robot, "hand", *carried.attached[0].inertia);
  EXPECT_NEAR(built_in.robot->totalMass(), bare.robot->totalMass() + 1.5, 1e-12);
  Random random(3);
  const Trajectory trajectory = splineOf(bare, 2.0, random, 0.2);
  const VecX limits = plannedLimits(bare).effort;
  const auto with = torqueBounds(carried, trajectory, limits);
  const auto same = torqueBounds(built_in, trajectory, limits);
  const auto without = torqueBounds(bare, trajectory, limits);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(with[i].bound.lower, same[i].bound.lower, 1e-9);
    EXPECT_NEAR(with[i].bound.upper, same[i].bound.upper, 1e-9);
  }
  // The lift holds 1.5 kg more.
  EXPECT_GT(with[0].bound.upper, without[0].bound.upper + 1.4 * 9.81);
  const auto demandsOf = [&](const Problem& problem) {
    const Kinematics kinematics(*problem.robot);
    StateDemands demands(problem, kinematics);
    VecX values;
    demands.values(trajectory.value(0.7), trajectory.value(0.7, 1), trajectory.value(0.7, 2), {},
                   &values);
    return values;
  };
  EXPECT_NEAR((demandsOf(carried) - demandsOf(built_in)).norm(), 0.0, 1e-12);
  EXPECT_GT((demandsOf(carried) - demandsOf(bare)).norm(), 1e-3);
  // The certificate's claim is about the loaded arm: it breaks a limit that the bare arm keeps.
  Problem weak = carried;
  RobotModel::Data data = weak.robot->data();
  data.coordinates[0].effort = 0.5 * (with[0].bound.upper + without[0].bound.upper);
  weak.robot = std::make_shared<const RobotModel>(data);
  EXPECT_FALSE(certify(weak, trajectory).clear);
  weak.attached[0].inertia = Inertia{};
  const Certificate light = certify(weak, trajectory);
  for (const CertifiedLimit& limit : light.limits) {
    if (limit.quantity != "torque" || limit.subject != "lift") continue;
    EXPECT_TRUE(limit.kept);
  }
}

}  // namespace
}  // namespace allclear
