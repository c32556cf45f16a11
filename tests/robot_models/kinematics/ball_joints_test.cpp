// Three turns about one place, taken as one joint by impulses, against the turns one by one and
// against joint space.
#include <gtest/gtest.h>

#include <numbers>

#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/articulated.h"
#include "allclear/robot_models/kinematics/effective_inertia.h"
#include "support/impulse_robot.h"
#include "support/long_run.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // kernels are inlined: no such value is passed by a call

namespace allclear {
namespace {

using test::ImpulseRobot;
using test::Random;

/// Trees of balls, with turns and slides among them.
ImpulseRobot drawRobot(Random& random) {
  test::ImpulseRobotOptions options;
  options.bodies = random.integer(2, 16);
  options.chains = random.chance(0.3);
  options.revolutes = random.chance(0.4);
  options.slides = random.chance(0.3);
  return test::randomImpulseRobot(random, options);
}

/// Where every third angle is free the turns of many balls are near one plane: the second of three
/// axes x, y, z turns the third into the first.
VecX drawConfiguration(Random& random, const RobotModel& model) {
  VecX q = random.vectorX(model.dimension(), 3.0);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const bool is_middle = joint.type == JointType::kRevolute && joint.axis == Vec3::UnitY();
    if (!is_middle || !random.chance(0.3)) continue;
    const double off = random.chance(0.3) ? 0.0 : random.logUniform(3e-3, 0.3);
    q[joint.first_coordinate] = std::numbers::pi / 2.0 - off;
  }
  return q;
}

/// M and the Jacobians of points, by the derivatives of inverse dynamics.
struct JointSpace {
  JointSpace(const RobotModel& model, const VecX& q)
      : kinematics(model, Vec3::Zero(), KinematicsBackend::kBuiltin),
        workspace(kinematics.makeWorkspace()) {
    const VecX zero = VecX::Zero(q.size());
    kinematics.inverseDynamicsDerivatives(q, zero, zero, workspace, dynamics);
  }
  Jacobian jacobian(int link, const Vec3& p_W) const {
    Jacobian J;
    kinematics.pointJacobian(workspace, link, p_W, J);
    return J;
  }
  Kinematics kinematics;
  Kinematics::Workspace workspace;
  InverseDynamics dynamics;
};

TEST(BallJoints, AnswerAsTheirTurnsOneByOne) {
  Random random(61);
  int by_balls = 0, one_by_one = 0;
  for (int r = 0; r < (test::isLong() ? 2000 : 150); ++r) {
    SCOPED_TRACE(r);
    const ImpulseRobot robot = drawRobot(random);
    const RobotModel& model = robot.model;
    const EffectiveInertia effective{MotionTree(model)};
    EffectiveInertia::Workspace w = effective.makeWorkspace();
    EffectiveInertia::Workspace turns = effective.makeWorkspace();
    const VecX q = drawConfiguration(random, model);
    effective.place(q, turns);
    // Any links, those without mass between the turns of a ball too.
    for (int draw = 0; draw < 6; ++draw) {
      effective.place(q, w);
      const int link = random.integer(1, effective.linkCount() - 1);
      const Vec3 p_W = effective.linkPose(link, w) * random.vector(0.3);
      const Mat3 K = effective.contactInverseMass(link, -1, p_W, w);
      (w.has_balls ? by_balls : one_by_one) += 1;
      const Mat3 expected = effective.inverseMass(link, p_W, turns);
      ASSERT_FALSE(turns.has_balls);
      ASSERT_LT((K - expected).norm(), 1e-9 * (1.0 + expected.norm()));
    }
  }
  EXPECT_GT(by_balls, 100);
  EXPECT_GT(one_by_one, 100);
}

TEST(BallJoints, GiveTheRatesOfJointSpace) {
  Random random(62);
  int by_balls = 0;
  for (int r = 0; r < (test::isLong() ? 2000 : 150); ++r) {
    SCOPED_TRACE(r);
    const ImpulseRobot robot = drawRobot(random);
    const RobotModel& model = robot.model;
    const EffectiveInertia effective{MotionTree(model)};
    EffectiveInertia::Workspace w = effective.makeWorkspace();
    const VecX q = random.vectorX(model.dimension(), 0.8);
    effective.place(q, w);
    const JointSpace joints(model, q);
    const int link = robot.impact.link, other = robot.impact.other_link;
    const Vec3 p_W = effective.linkPose(link, w) * random.vector(0.3), P = random.vector(2.0);
    VecX dv;
    effective.applyImpulse(link, other, p_W, P, w, dv);
    by_balls += w.has_balls ? 1 : 0;
    // M dv = J'P, and all links move as the rates say: those between the turns of a ball too.
    const VecX push =
        (joints.jacobian(link, p_W) - joints.jacobian(other, p_W)).topRows<3>().transpose() * P;
    const VecX left = joints.dynamics.dtau_da * dv - push;
    ASSERT_LT(left.norm(), 1e-9 * (push.norm() + (joints.dynamics.dtau_da * dv).norm()));
    for (int l = 1; l < effective.linkCount(); ++l) {
      const BodyVelocity change = effective.velocityChange(l, w);
      const VecX twist = joints.jacobian(l, effective.linkPose(l, w).p) * dv;
      ASSERT_LT((change.linear - twist.head<3>()).norm(), 1e-9 * (1.0 + dv.norm())) << l;
      ASSERT_LT((change.angular - twist.tail<3>()).norm(), 1e-9 * (1.0 + dv.norm())) << l;
    }
  }
  EXPECT_GT(by_balls, 50);
}

Columns4 columnsOf(const Mat3& M) {
  return {{pack(Vec3(M.col(0))), pack(Vec3(M.col(1))), pack(Vec3(M.col(2)))}};
}

Mat3 matrixOf(const Columns4& M) {
  Mat3 out;
  for (int k = 0; k < 3; ++k) out.col(k) = unpack(M.c[k]);
  return out;
}

/// Symmetric, with eigenvalues in these bounds.
Mat3 randomInertia(Random& random, double least, double most) {
  const Mat3 Q = random.rotationOfNormals();
  const Vec3 d(random.logUniform(least, most), random.logUniform(least, most), most);
  return Q * d.asDiagonal() * Q.transpose();
}

TEST(Articulated, InversesSayHowSmallAnEigenvalueMayBe) {
  Random random(64);
  for (int i = 0; i < 2000; ++i) {
    const Mat3 J = randomInertia(random, i % 2 == 0 ? 1e-6 : 0.1, 1.0);
    double least = 0.0;
    const Mat3 inverse = matrixOf(articulated::inverseOf(columnsOf(J), &least));
    const Vec3 eigen = Eigen::SelfAdjointEigenSolver<Mat3>(J).eigenvalues();
    const double smallest = eigen[0];
    EXPECT_LE(least, smallest * (1.0 + 1e-9));
    EXPECT_GE(least, 0.4 * smallest * eigen[1]) << "the greatest is 1";
    EXPECT_LT((inverse * J - Mat3::Identity()).norm(), 1e-12 / (smallest * smallest));
  }
}

// A base about a point away from its centre of mass: both ways are the inverse of the whole.
TEST(Articulated, BasesByBlocksAreTheInverse) {
  Random random(65);
  int by_blocks = 0;
  for (int i = 0; i < 2000; ++i) {
    articulated::Articulated base = articulated::nothing();
    const double m = random.logUniform(0.1, 10.0);
    const Vec3 c = random.vector(i % 4 == 0 ? 50.0 : 0.3);
    Mat3 cross;
    cross << 0.0, -c[2], c[1], c[2], 0.0, -c[0], -c[1], c[0], 0.0;
    const Mat3 J = m * randomInertia(random, 1e-3, 0.1) - m * cross * cross, G = -m * cross;
    base.J = columnsOf(J), base.G = columnsOf(G), base.M = columnsOf(m * Mat3::Identity());
    articulated::Inverse W;
    if (!articulated::setBaseByBlocks(base, &W)) continue;
    ++by_blocks;
    Eigen::Matrix<double, 6, 6> whole, inverse;
    whole << J, G.transpose(), G, m * Mat3::Identity();
    inverse << matrixOf(W.a), matrixOf(W.b), matrixOf(W.b).transpose(), matrixOf(W.d);
    const auto one = Eigen::Matrix<double, 6, 6>::Identity();
    ASSERT_LT((inverse * whole - one).norm(), 1e-8);
  }
  EXPECT_GT(by_blocks, 800);
  EXPECT_LT(by_blocks, 1900) << "far from its centre of mass a base goes the other way";
}

// A rotor holds a turn by itself, so its ball is none.
TEST(BallJoints, TurnsWithRotorsAreTakenOneByOne) {
  Random random(63);
  const ImpulseRobot robot = test::randomImpulseRobot(random, {.bodies = 4});
  const EffectiveInertia effective(MotionTree(robot.model),
                                   VecX::Constant(robot.model.dimension(), 0.1));
  EffectiveInertia::Workspace w = effective.makeWorkspace();
  effective.place(VecX::Zero(robot.model.dimension()), w);
  effective.contactInverseMass(robot.impact.link, -1, robot.impact.p_W, w);
  EXPECT_FALSE(w.has_balls);
}

}  // namespace
}  // namespace allclear
