#include "allclear/robot_models/kinematics/motion_tree.h"

#include <gtest/gtest.h>

#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/builtin.h"
#include "allclear/robot_models/kinematics/builtin_kernels.h"
#include "support/random_robot.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // kernels are inlined: no such value is passed by a call

namespace allclear {
namespace {

TEST(MotionTree, SubtreesAreContiguousAndParentsComeFirst) {
  test::Random random(31);
  for (int r = 0; r < 100; ++r) {
    const MotionTree tree(test::randomRobot(random, {}));
    for (int i = 0; i < tree.nodeCount(); ++i) {
      const MotionNode& node = tree.nodes()[i];
      ASSERT_LT(node.parent, i);
      for (int k = 0; k < tree.nodeCount(); ++k) {
        const std::vector<int> path = tree.pathTo(k);
        const bool is_below = std::find(path.begin(), path.end(), i) != path.end();
        ASSERT_EQ(is_below, i <= k && k <= node.last_descendant) << "robot " << r;
      }
    }
  }
}

TEST(MotionTree, KeepsTheMassOfTheRobot) {
  test::Random random(32);
  for (int r = 0; r < 100; ++r) {
    const RobotModel model = test::randomRobot(random, {});
    const MotionTree tree(model);
    double mass = tree.worldInertia().mass;
    for (const MotionNode& node : tree.nodes()) mass += node.inertia.mass;
    EXPECT_NEAR(mass, model.totalMass(), 1e-12 * model.totalMass());
  }
}

TEST(Inertia, CombinedHasTheKineticEnergyOfBoth) {
  test::Random random(33);
  for (int i = 0; i < 200; ++i) {
    Inertia bodies[2];
    for (Inertia& body : bodies) {
      const Mat3 R = random.rotationOfNormals();
      body = {random.logUniform(0.1, 10.0), random.vector(1.0),
              R * Vec3(1, 1.2, 1.5).asDiagonal() * R.transpose()};
    }
    const Vec3 v = random.vector(1.0), w = random.vector(2.0);
    const auto energy = [&](const Inertia& body) {
      const Vec3 at_center = v + w.cross(body.p_LC);
      return 0.5 * body.mass * at_center.squaredNorm() + 0.5 * w.dot(body.I_C * w);
    };
    const Inertia both = combined(bodies[0], bodies[1]);
    EXPECT_NEAR(energy(both), energy(bodies[0]) + energy(bodies[1]), 1e-11 * energy(both));
    // Seen from another frame the energy is the same.
    const Pose X{random.rotationOfNormals(), Vec3::Zero()};
    const Inertia turned = expressedIn(X, both);
    const Vec3 w_A = X.R * w, v_A = X.R * v + w_A.cross(turned.p_LC);
    EXPECT_NEAR(0.5 * turned.mass * v_A.squaredNorm() + 0.5 * w_A.dot(turned.I_C * w_A),
                energy(both), 1e-11 * energy(both));
  }
}

TEST(BuiltinKernels, WorldInertiaIsTheTurnedTensor) {
  test::Random random(34);
  for (int i = 0; i < 100; ++i) {
    const Mat3 R = random.rotationOfNormals();
    const Vec3 moments = random.vector(2.0);
    const Mat3 Q = random.rotationOfNormals();
    const Mat3 I = Q * moments.asDiagonal() * Q.transpose();
    Frame4 frame;
    Columns4 columns;
    for (int k = 0; k < 3; ++k) {
      frame.c[k] = pack(Vec3(R.col(k)));
      columns.c[k] = pack(Vec3(I.col(k)));
    }
    const Columns4 found = worldInertia(frame, columns);
    for (int k = 0; k < 3; ++k) {
      EXPECT_LT((unpack(found.c[k]) - (R * I * R.transpose()).col(k)).norm(), 1e-14 * 10);
      KernelNode node{};
      node.axis = k;
      EXPECT_EQ(unpack(axisOf(node, frame)), Vec3(R.col(k)));
    }
  }
}

// A pendulum of one turn about x: everything by hand.
TEST(BuiltinKinematics, OfAPendulumIsTheTextbooks) {
  RobotModel::Data data;
  data.links.push_back({"base", -1, {}, {}, {}});
  Joint joint;
  joint.name = "hinge";
  joint.type = JointType::kRevolute;
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.axis = Vec3::UnitX();
  joint.first_coordinate = 0;
  data.joints.push_back(joint);
  data.coordinates.push_back({});
  const double m = 2.0, l = 0.5, g = 9.81;
  data.links.push_back({"bob", 0, {m, Vec3(0, 0, -l), Mat3::Zero()}, {}, {}});
  const BuiltinKinematics kinematics(RobotModel(std::move(data)), kStandardGravity);
  auto workspace = kinematics.makeWorkspace();
  VecX q(1), v(1), a(1), tau;
  q << 0.3;
  v << 1.5;
  a << -0.7;
  kinematics.inverseDynamics(q, v, a, workspace, tau);
  EXPECT_NEAR(tau[0], m * l * l * a[0] + m * g * l * std::sin(q[0]), 1e-14 * 100);
  InverseDynamics dynamics;
  kinematics.inverseDynamicsDerivatives(q, v, a, workspace, dynamics);
  EXPECT_NEAR(dynamics.dtau_dq(0, 0), m * g * l * std::cos(q[0]), 1e-12);
  EXPECT_NEAR(dynamics.dtau_dv(0, 0), 0.0, 1e-12);
  EXPECT_NEAR(dynamics.dtau_da(0, 0), m * l * l, 1e-12);
  // The ground bears the weight and what accelerates the bob.
  const Wrench ground = kinematics.groundReaction(q, v, a, workspace);
  const Vec3 bob = kinematics.centerOfMass(workspace);
  EXPECT_LT((bob - Vec3(0, l * std::sin(q[0]), -l * std::cos(q[0]))).norm(), 1e-14);
  const Vec3 along(0, std::cos(q[0]), std::sin(q[0]));
  const Vec3 acceleration = l * a[0] * along - v[0] * v[0] * bob;
  EXPECT_LT((ground.force - m * (acceleration - kStandardGravity)).norm(), 1e-12);
}

}  // namespace
}  // namespace allclear
