// Keys about people beside the robot: what they mean, and what is refused.
#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/planner/certificate.h"
#include "allclear/planner/certificate/gap_statement.h"
#include "allclear/planner/problem/body_regions.h"
#include "allclear/planner/problem/pair_margin.h"
#include "allclear/robot_models/kinematics.h"
#include "config/task_fixture.h"

namespace allclear {
namespace {

std::string task(const std::string& limits, const std::string& robot = "") {
  return "robot: {urdf: arm.urdf, srdf: arm.srdf" + robot +
         "}\ngroup_name: arm\nstart_state: {group_state: ready}\n"
         "goal: {joint_constraints: {elbow: 0}}\n"
         "scene: {collision_objects: [{id: box, type: box, dimensions: [0.1, 0.1, 0.1], "
         "pose: {position: [3, 0, 0]}}]}\n" +
         limits;
}

std::string complaint(const std::string& text) {
  try {
    test::loadText(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TaskContactLimits, RegionsComeByNameOrByValues) {
  const Problem problem = test::loadText(
      task("limits: {contact: [{region: hand, human_speed: 0.2}, {region: {name: pad, stiffness: "
           "20000, mass: 2, pressure: 1e6, area: 2e-4}, links: [hand, forearm]}], "
           "slow_down: true}\n"));
  ASSERT_EQ(problem.limits.contact.size(), 2U);
  const ContactLimit &hand = problem.limits.contact[0], &pad = problem.limits.contact[1];
  EXPECT_EQ(hand.region, "hand");
  EXPECT_EQ(hand.stiffness, 75e3);
  EXPECT_EQ(hand.mass, 0.6);
  EXPECT_EQ(hand.forceLimit(), 280.0);
  EXPECT_EQ(hand.human_speed, 0.2);
  EXPECT_TRUE(hand.links.empty());
  EXPECT_NEAR(pad.forceLimit(), 200.0, 1e-9);
  EXPECT_EQ(pad.links.size(), 2U);
  EXPECT_TRUE(problem.limits.slow_down);
}

TEST(TaskContactLimits, AreRefusedInOneLine) {
  const auto expect = [](const std::string& limits, const std::vector<std::string>& parts) {
    const std::string said = complaint(task(limits));
    for (const std::string& part : parts) {
      EXPECT_NE(said.find(part), std::string::npos) << limits << " -> " << said;
    }
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  };
  expect("limits: {contact: [{region: hadn}]}\n", {"region", "hadn", "hand", "lower_leg"});
  expect("limits: {contact: [{region: {name: x, stiffness: -1, mass: 1, force: 1}}]}\n",
         {"stiffness", "-1"});
  expect("limits: {contact: [{region: {name: x, stiffness: 1, mass: 1}}]}\n", {"force"});
  expect("limits: {contact: [{region: {name: x, stiffness: 1, mass: 1, pressure: 1}}]}\n",
         {"pressure", "area"});
  expect("limits: {contact: [{region: hand, links: [hnad]}]}\n", {"hnad", "hand"});
  expect("limits: {contact: [{region: hand, speed: 1}]}\n", {"speed", "human_speed"});
  expect("limits: {contact: []}\n", {"contact", "region"});
  expect("limits: {contact: [{region: hand, human_speed: 5}]}\n", {"human_speed", "280"});
  expect("limits: {slow_down: true}\n", {"slow_down", "contact"});
  expect("limits: {contact: [{region: hand}], slow_down: true}\nduration: {fixed: 3}\n",
         {"slow_down", "fixed duration"});
  expect("limits: {gaps: {hand: -0.1}}\n", {"gaps", "-0.1"});
}

TEST(TaskContactLimits, MassesAreNeeded) {
  // The links of the little arm have masses: take one away.
  const test::TaskFolder folder;
  std::string urdf = readFile(folder.path() / "arm.urdf");
  const std::string mass = "<mass value=\"0.5\"/>";
  const std::size_t at = urdf.find("<inertial>" + mass);
  ASSERT_NE(at, std::string::npos);
  urdf.erase(at, urdf.find("</inertial>", at) + 11 - at);
  folder.write("arm.urdf", urdf);
  const std::string limits = "limits: {contact: [{region: hand}]}\n";
  try {
    loadTask(folder.write("task.yaml", task(limits)));
    FAIL() << "a link without a mass was accepted";
  } catch (const InputError& error) {
    const std::string said = error.what();
    for (const char* part : {"limits: contact", "'hand'", "no mass", "robot: inertia"}) {
      EXPECT_NE(said.find(part), std::string::npos) << said;
    }
  }
  const Problem given =
      loadTask(folder.write("task.yaml", task(limits, ", inertia: {hand: {mass: 0.7}}"))).problem;
  const Link& hand = given.robot->links()[given.robot->findLink("hand")];
  EXPECT_EQ(hand.inertia.mass, 0.7);
  EXPECT_TRUE(hand.inertia_is_given);
}

TEST(TaskRobot, InertiasAndRotorsAreRead) {
  const Problem problem = test::loadText(
      task("",
           ", inertia: {hand: {mass: 2, com: [0, 0, 0.1], inertia: [1, 2, 2.5, 0, 0, 0]}}, "
           "rotor_inertia: {elbow: 0.4}"));
  const Inertia& inertia = problem.robot->links()[problem.robot->findLink("hand")].inertia;
  EXPECT_EQ(inertia.mass, 2.0);
  EXPECT_EQ(inertia.p_LC, Vec3(0.0, 0.0, 0.1));
  EXPECT_EQ(inertia.I_C(2, 2), 2.5);
  const int elbow = problem.robot->findCoordinate("elbow");
  EXPECT_EQ(problem.robot->coordinates()[elbow].rotor_inertia, 0.4);
  EXPECT_FALSE(problem.robot->coordinates()[elbow - 1].rotor_inertia);
  EXPECT_NE(complaint(task("", ", inertia: {hnad: {mass: 1}}")).find("hand"), std::string::npos);
  EXPECT_NE(complaint(task("", ", inertia: {hand: {com: [0, 0, 0]}}")).find("mass"),
            std::string::npos);
  EXPECT_NE(complaint(task("", ", inertia: {hand: {mass: -1}}")).find("mass"), std::string::npos);
  EXPECT_NE(complaint(task("", ", rotor_inertia: {elbow: -1}")).find("elbow"), std::string::npos);

  // Rotors count in torques: one more term, the rotor times the acceleration.
  const Problem without = test::loadText(task(""));
  const Kinematics with_rotor(*problem.robot), bare(*without.robot);
  auto w = with_rotor.makeWorkspace(), b = bare.makeWorkspace();
  VecX q = problem.start, v = VecX::Zero(q.size()), a = v, one, other;
  a[elbow] = 3.0;
  InverseDynamics d;
  with_rotor.inverseDynamics(q, v, v, w, other);
  with_rotor.inverseDynamics(q, v, a, w, one);
  with_rotor.inverseDynamicsDerivatives(q, v, a, w, d);
  EXPECT_NEAR((d.dtau_da * a - (one - other)).norm(), 0.0, 1e-9);
  InverseDynamics e;
  bare.inverseDynamicsDerivatives(q, v, a, b, e);
  EXPECT_GT(d.dtau_da(elbow, elbow), e.dtau_da(elbow, elbow) + 0.39);
}

TEST(TaskGaps, BecomeMarginsOfAllPairs) {
  const Problem problem =
      test::loadText(task("limits: {gaps: {finger: 0.025, hand: 0.1}}\n"
                          "collision: {pair_margins: {hand: {base_link: 0.01}, forearm: 0.2}}\n"));
  EXPECT_EQ(pairMargin(problem.collision, "upper_arm", "box"), 0.1);
  EXPECT_EQ(pairMargin(problem.collision, "hand", "base_link"), 0.01) << "named in full";
  EXPECT_EQ(pairMargin(problem.collision, "forearm", "box"), 0.2) << "the larger";
}

/// The certificate names pairs that are closer, and why.
TEST(TaskGaps, AreSaidInTheCertificate) {
  const Problem problem =
      test::loadText(task("limits: {gaps: {finger: 0.025}}\n"
                          "collision: {pair_margins: {forearm: {base_link: 0.01}}}\n"));
  const VecX start = problem.plannedPart(problem.start);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  MatX rows(start.size(), 2);
  rows << start, goal;
  const MatX rest = MatX::Zero(rows.rows(), 2);
  const Certificate certificate =
      certify(problem, Trajectory(HermiteCurve({0.0, 3.0}, rows, rest, rest)));
  bool found = false;
  for (const Assumption& assumption : certificate.assumptions) {
    if (assumption.kind != "gaps") continue;
    found = true;
    for (const char* part : {"finger 25 mm", "pairs of bodies that move against each other",
                             "base_link-forearm (10 mm)", "not looked at", "hand-left_finger"}) {
      EXPECT_NE(assumption.text.find(part), std::string::npos) << assumption.text;
    }
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(certificate.clear) << certificate.message;
  Problem without = problem;
  without.collision.gaps.clear();
  EXPECT_TRUE(gapAssumptions(without, certifiedGeometry(without)).empty());
}

TEST(BodyRegions, AreInTheDocument) {
  const std::string docs = readFile(test::sourceFolder() / "docs" / "contact-limits.md");
  for (const ContactLimit& region : bodyRegions()) {
    const auto number = [](double x) {
      std::string out = std::to_string(x);
      while (out.back() == '0') out.pop_back();
      if (out.back() == '.') out.pop_back();
      return out;
    };
    const std::string row = "| `" + region.region + "` | " + number(1e-3 * region.stiffness) +
                            " | " + number(region.mass) + " | " + number(region.force) + " |";
    const std::size_t at = docs.find(row);
    ASSERT_NE(at, std::string::npos) << row;
    const std::string line = docs.substr(at, docs.find('\n', at) - at);
    EXPECT_NE(line.find("check against the standard"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace allclear
