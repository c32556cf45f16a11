// The whole-body tasks of the bench: they load, stand on their contacts at both ends, and watch the
// pairs that they say. And the robot that their script makes is the shared one with rigid hands.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "allclear/config/task_file.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"

namespace allclear {
namespace {

namespace fs = std::filesystem;

fs::path taskFolder() { return test::sourceFolder() / "bench" / "tasks" / "whole_body"; }

class WholeBodyTasks : public testing::Test {
 protected:
  void SetUp() override {
    ALLCLEAR_REQUIRE_DATA("robots/jvrc_description/urdf/jvrc1.urdf");
    if (fs::exists(taskFolder() / "made" / "cup.obj")) return;
    const std::string command = "python3 '" + (taskFolder() / "make_scene.py").string() + "' '" +
                                test::dataFolder().string() + "'";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no Python: " << command;
  }
};

std::vector<Pose> linkPoses(const RobotModel& robot, const VecX& q) {
  const Kinematics kinematics(robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, workspace, X_WL);
  return X_WL;
}

TEST_F(WholeBodyTasks, LoadAndStandOnTheirContactsAtBothEnds) {
  struct Expected {
    const char* name;
    int pairs, contacts;
  };
  for (const Expected& expected :
       {Expected{"crossing", 19, 2}, Expected{"twisting", 19, 2}, Expected{"picking_behind", 19, 2},
        Expected{"twisting_meshes", 19, 2}, Expected{"passing", 22, 2}, Expected{"placing", 1, 2},
        Expected{"leaning", 8, 3}}) {
    SCOPED_TRACE(expected.name);
    const Problem problem = loadTask(taskFolder() / (std::string(expected.name) + ".yaml")).problem;
    for (const Finding& finding : validate(problem)) ADD_FAILURE() << finding.message;
    EXPECT_EQ(problem.plannedCount(), 32) << "the base follows from the joints";
    int pairs = 0;
    for (const CertifiedPair& pair : certifiedGeometry(problem).pairs) pairs += !pair.fixed;
    EXPECT_EQ(pairs, expected.pairs);
    const ContactSet contacts(problem);
    EXPECT_EQ(static_cast<int>(contacts.all().size()), expected.contacts);
    ASSERT_NE(contacts.base(), nullptr);
    EXPECT_TRUE(usesWrenches(problem));
    VecX q = problem.start;
    const auto& goal = std::get<JointTarget>(problem.goal);
    for (std::size_t k = 0; k < goal.coordinates.size(); ++k) {
      q[goal.coordinates[k]] = goal.values[static_cast<Eigen::Index>(k)];
    }
    const std::vector<Pose> at_goal = linkPoses(*problem.robot, q);
    for (const PlacedContact& contact : contacts.all()) {
      const Pose X_WC = at_goal[contact.contact.link] * contact.contact.X_LC;
      EXPECT_LE((X_WC.p - contact.X_WC.p).norm(), 1e-9);  // eleven digits of every joint
      const bool may_turn = contact.rows() == 3;
      EXPECT_TRUE(may_turn || (X_WC.R - contact.X_WC.R).norm() <= 1e-9);
    }
  }
}

TEST_F(WholeBodyTasks, AreOfTheSharedRobotWithRigidHands) {
  RobotSource source;
  source.package_map["jvrc_description"] = test::dataFolder() / "robots" / "jvrc_description";
  source.load_collision = false;
  source.base = BaseJoint::kFloating;
  source.urdf = source.package_map["jvrc_description"] / "urdf" / "jvrc1.urdf";
  const RobotModel shared = loadRobot(source);
  source.urdf = taskFolder() / "made" / "jvrc1.urdf";
  const RobotModel made = loadRobot(source);
  const Kinematics of_shared(shared), of_made(made);
  Kinematics::Workspace a = of_shared.makeWorkspace(), b = of_made.makeWorkspace();
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (int round = 0; round < 20; ++round) {
    // The same state for both; fingers rest at 0. Forces of equal joints must be equal, which
    // masses, centres and inertias of the hands all take part in.
    VecX q = VecX::Zero(shared.dimension()), v = q, w = q, tau = q;
    VecX q_made = VecX::Zero(made.dimension()), v_made = q_made, w_made = q_made, tau_made = q_made;
    for (int c = 0; c < made.dimension(); ++c) {
      const int s = shared.findCoordinate(made.coordinates()[c].name);
      ASSERT_GE(s, 0);
      q[s] = q_made[c] = number(engine);
      v[s] = v_made[c] = number(engine);
      w[s] = w_made[c] = number(engine);
    }
    of_shared.inverseDynamics(q, v, w, a, tau);
    of_made.inverseDynamics(q_made, v_made, w_made, b, tau_made);
    for (int c = 0; c < made.dimension(); ++c) {
      const int s = shared.findCoordinate(made.coordinates()[c].name);
      EXPECT_NEAR(tau_made[c], tau[s], 1e-8) << made.coordinates()[c].name;
    }
  }
}

}  // namespace
}  // namespace allclear
