// A robot with a floating base that stands on one of its links.
#include <gtest/gtest.h>

#include <numeric>

#include "allclear/core/input_error.h"
#include "allclear/planner/problem.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics.h"
#include "support/random.h"
#include "support/random_robot.h"

namespace allclear::test {
namespace {

/// A chain on a floating base: base, link0 (which floats), link1 .. link6.
Problem floatingChain(std::uint64_t seed) {
  Random random(seed);
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(randomRobot(
      random,
      {.joints = 7, .serial = true, .mimics = false, .floating_base = true, .all_types = false}));
  problem.planned.resize(problem.robot->dimension());
  std::iota(problem.planned.begin(), problem.planned.end(), 0);
  problem.start = VecX(problem.robot->dimension());
  for (double& x : problem.start) x = random.uniform(-1.0, 1.0);
  VecX goal = problem.start;
  goal.tail(6) += random.vector(0.5).replicate(2, 1);
  problem.goal = JointTarget{problem.planned, goal};
  return problem;
}

Contact contactOf(const Problem& problem, const std::string& link, Contact::Kind kind) {
  Contact contact;
  contact.link = problem.robot->findLink(link);
  contact.kind = kind;
  contact.X_LC.p = {0.1, 0.2, -0.3};
  contact.half_size = {0.1, 0.05};
  return contact;
}

std::vector<Pose> posesAtStart(const Problem& problem) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  return X_WL;
}

TEST(StandOn, LeavesEveryLinkInItsPlaceAndTheBaseUnplanned) {
  Problem problem = floatingChain(3);
  problem.contacts = {contactOf(problem, "link2", Contact::Kind::kPoint),
                      contactOf(problem, "link5", Contact::Kind::kFlat)};
  problem.path_constraints = {KeepInBox{.link = problem.robot->findLink("link1")}};
  problem.start_velocity = VecX::LinSpaced(problem.plannedCount(), 1.0, 12.0);
  const Problem standing = standOn(problem);

  EXPECT_EQ(standing.planned, (std::vector<int>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(standing.start_velocity, VecX(problem.start_velocity.tail(6)));
  EXPECT_EQ(std::get<JointTarget>(standing.goal).coordinates, standing.planned);
  EXPECT_EQ(std::get<JointTarget>(standing.goal).values,
            VecX(std::get<JointTarget>(problem.goal).values.tail(6)));
  const std::vector<Pose> before = posesAtStart(problem), after = posesAtStart(standing);
  for (const Link& link : problem.robot->links()) {
    const Pose& x = before[problem.robot->findLink(link.name)];
    const Pose& y = after[standing.robot->findLink(link.name)];
    EXPECT_LT((x.p - y.p).norm() + (x.R - y.R).norm(), 1e-12) << link.name;
  }
  // What names links by their index names the same ones.
  EXPECT_EQ(standing.contacts[1].link, standing.robot->findLink("link5"));
  EXPECT_EQ(std::get<KeepInBox>(standing.path_constraints[0]).link,
            standing.robot->findLink("link1"));

  const ContactSet contacts(standing);
  ASSERT_NE(contacts.base(), nullptr);
  EXPECT_EQ(contacts.base()->contact.link, standing.contacts[1].link);
  EXPECT_EQ(contacts.moving().size(), 1U);
  EXPECT_EQ(contacts.wrenchCount(), 3);
  EXPECT_EQ(contacts.wrenchNames(*standing.robot),
            (std::vector<std::string>{"link2/fx", "link2/fy", "link2/fz"}));
}

TEST(StandOn, ChangesNothingWithoutAFlatContactOrAPlannedBase) {
  Problem problem = floatingChain(4);
  EXPECT_EQ(standOn(problem).robot, problem.robot);
  problem.contacts = {contactOf(problem, "link2", Contact::Kind::kPoint)};
  EXPECT_EQ(standOn(problem).robot, problem.robot);
  problem.contacts = {contactOf(problem, "link2", Contact::Kind::kFlat)};
  problem.planned = {6, 7, 8};
  EXPECT_EQ(standOn(problem).robot, problem.robot);
  EXPECT_FALSE(usesWrenches(problem));
}

TEST(StandOn, StandsOnTheBaseItself) {
  Problem problem = floatingChain(5);
  problem.contacts = {contactOf(problem, "link0", Contact::Kind::kFlat)};
  const Problem standing = standOn(problem);
  EXPECT_EQ(standing.planned.size(), 6U);
  EXPECT_NE(ContactSet(standing).base(), nullptr);
  EXPECT_EQ(ContactSet(standing).wrenchCount(), 0);
}

}  // namespace
}  // namespace allclear::test
