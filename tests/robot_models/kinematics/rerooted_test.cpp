#include "allclear/robot_models/kinematics/rerooted.h"

#include <gtest/gtest.h>

#include "allclear/robot_models/kinematics.h"
#include "support/random.h"
#include "support/random_robot.h"

namespace allclear::test {
namespace {

std::vector<Pose> posesOf(const RobotModel& robot, const VecX& q, Vec3* center) {
  const Kinematics kinematics(robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  *center = kinematics.centerOfMass(workspace);
  return X_WL;
}

/// Whether the links between `link` and the base can be turned round, and nothing repeats the base.
bool canStandOn(const RobotModel& robot, int link) {
  for (const Joint& joint : robot.joints()) {
    if (joint.mimic && joint.mimic->coordinate < 6) return false;
  }
  for (int l = link; l > 0; l = robot.joints()[robot.links()[l].parent_joint].parent_link) {
    const Joint& joint = robot.joints()[robot.links()[l].parent_joint];
    if (joint.type == JointType::kPlanar) return false;
  }
  return floatingBase(robot) >= 0 && link > 0;
}

class Rerooted : public ::testing::Test {
 protected:
  /// Runs `check(robot, link, q)` on random robots and links.
  template <class Check>
  void onRandomRobots(Check check) {
    Random random(20261119);
    int done = 0;
    for (int i = 0; i < 400; ++i) {
      SCOPED_TRACE(i);
      const RobotModel robot =
          randomRobot(random, {.joints = random.integer(1, 12), .floating_base = true});
      const int link = random.integer(1, static_cast<int>(robot.links().size()) - 1);
      if (!canStandOn(robot, link)) continue;
      VecX q(robot.dimension());
      for (double& x : q) x = random.uniform(-1.4, 1.4);
      check(robot, link, q);
      ++done;
    }
    EXPECT_GT(done, 40);
  }
};

TEST_F(Rerooted, LinksStandWhereTheyStoodForEveryConfigurationOfTheJoints) {
  Random random(7);
  onRandomRobots([&](const RobotModel& robot, int link, VecX q) {
    Vec3 center, turned_center;
    const std::vector<Pose> before = posesOf(robot, q, &center);
    const RerootedRobot turned = rerooted(robot, link, before[link]);
    // The same joints elsewhere: the old base follows, all relative poses agree.
    for (int c = 6; c < q.size(); ++c) q[c] += random.uniform(-1.0, 1.0);
    const std::vector<Pose> moved = posesOf(robot, q, &center);
    VecX standing = q;
    standing.head<6>().setZero();
    const std::vector<Pose> after = posesOf(turned.model, standing, &turned_center);
    const Pose X_WW = before[link] * moved[link].inverse();
    for (std::size_t l = 1; l < before.size(); ++l) {
      const Pose expected = X_WW * moved[l];
      const Pose& found = after[turned.link_of[l]];
      EXPECT_LT((found.p - expected.p).norm(), 1e-12) << l;
      EXPECT_LT((found.R - expected.R).norm(), 1e-12) << l;
    }
    EXPECT_NEAR(turned.model.totalMass() - turned.model.links()[0].inertia.mass,
                robot.totalMass() - robot.links()[0].inertia.mass, 1e-12);
  });
}

TEST_F(Rerooted, NamesCoordinatesAndPairsStay) {
  onRandomRobots([&](const RobotModel& robot, int link, const VecX&) {
    RobotModel::Data data = robot.data();
    data.disabled_pairs = {{0, link, "test", true}};
    const RobotModel original(data);
    const RobotModel turned = rerooted(original, link, Pose()).model;
    ASSERT_EQ(turned.dimension(), robot.dimension());
    for (int c = 0; c < robot.dimension(); ++c) {
      EXPECT_EQ(turned.coordinates()[c].name, robot.coordinates()[c].name);
      EXPECT_EQ(turned.joints()[turned.coordinates()[c].joint].name,
                robot.joints()[robot.coordinates()[c].joint].name);
    }
    for (const Link& l : robot.links()) EXPECT_GE(turned.findLink(l.name), 0);
    EXPECT_TRUE(turned.isPairDisabled(turned.findLink(robot.links()[0].name),
                                      turned.findLink(robot.links()[link].name)));
  });
}

TEST_F(Rerooted, TheSixForcesOfTheFloatingJointAreThoseOnTheFoot) {
  onRandomRobots([&](const RobotModel& robot, int link, VecX q) {
    Vec3 center;
    const Pose X_WF = posesOf(robot, q, &center)[link];
    const RobotModel turned = rerooted(robot, link, X_WF).model;
    q.head<6>().setZero();
    const Kinematics kinematics(turned);
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    const VecX zero = VecX::Zero(q.size());
    VecX tau;
    kinematics.inverseDynamics(q, zero, zero, workspace, tau);
    const Wrench ground = kinematics.groundReaction(q, zero, zero, workspace);
    // The root link never moves, and weighs on the world rather than on the foot.
    const Inertia& root = turned.links()[0].inertia;
    const Vec3 weight = -root.mass * kStandardGravity;
    const Vec3 force = ground.force - weight;
    const Vec3 moment = ground.moment - root.p_LC.cross(weight) - X_WF.p.cross(force);
    EXPECT_LT((X_WF.R * tau.head<3>() - force).norm(), 1e-9);
    EXPECT_LT((X_WF.R * tau.segment<3>(3) - moment).norm(), 1e-9);
  });
}

}  // namespace
}  // namespace allclear::test
