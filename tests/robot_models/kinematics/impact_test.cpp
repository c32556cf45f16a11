#include "allclear/robot_models/kinematics/impact.h"

#include <gtest/gtest.h>

#include "allclear/robot_models/kinematics.h"
#include "support/impulse_robot.h"
#include "support/long_run.h"
#include "support/random_robot.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // kernels are inlined: no such value is passed by a call

namespace allclear {
namespace {

using test::ImpulseOrder;
using test::ImpulsePivot;
using test::ImpulseRobot;
using test::MooreImpulses;
using test::Random;

constexpr ImpulseOrder kOrders[] = {ImpulseOrder::kA, ImpulseOrder::kALeaves, ImpulseOrder::kB,
                                    ImpulseOrder::kBLeaves, ImpulseOrder::kC};

ImpulseRobot drawRobot(Random& random, int loops, bool balls_alone = false) {
  test::ImpulseRobotOptions options;
  options.bodies = random.integer(2, 24);
  options.chains = random.chance(0.3);
  options.revolutes = !balls_alone && random.chance(0.5);
  options.slides = !balls_alone && random.chance(0.3);
  options.loops = options.bodies >= 8 ? loops : 0;
  return test::randomImpulseRobot(random, options);
}

// The reference solves its own equations, in all orders, with loops of ball joints too. In order C
// the first blocks of a turn or slide are projectors, which no single block can be solved for, and
// loops run out of blocks.
TEST(MooreImpulses, AreTheSolutionOfTheDenseSystem) {
  Random random(41);
  for (int r = 0; r < 60; ++r) {
    SCOPED_TRACE(r);
    const bool balls_alone = r % 2 == 0;
    const ImpulseRobot robot = drawRobot(random, balls_alone ? r % 3 : 0, balls_alone);
    MatX A;
    VecX b;
    for (const ImpulseOrder order : kOrders) {
      SCOPED_TRACE("order " + std::to_string(static_cast<int>(order)));
      if (order == ImpulseOrder::kC && (!balls_alone || r % 3 > 0)) continue;
      MooreImpulses reference(order);
      reference.dense(robot.scene, &A, &b);
      const VecX x = A.fullPivLu().solve(b);
      const test::ImpulseSolution& found = reference.solve(robot.scene);
      const double scale = 1.0 + x.norm();
      for (int i = 0; i < static_cast<int>(robot.scene.bodies.size()); ++i) {
        const int at = reference.bodyColumn(i);
        ASSERT_LT((found.v[i] - x.segment<3>(at)).norm(), 1e-9 * scale);
        ASSERT_LT((found.w[i] - x.segment<3>(at + 3)).norm(), 1e-9 * scale);
      }
      for (int j = 0; j < static_cast<int>(robot.scene.joints.size()); ++j) {
        const int at = reference.jointColumn(j);
        ASSERT_LT((found.P[j] - x.segment<3>(at)).norm(), 1e-9 * scale);
        if (!MooreImpulses::hasMoment(robot.scene.joints[j])) continue;
        ASSERT_LT((found.Q[j] - x.segment<3>(at + 3)).norm(), 1e-9 * scale);
      }
      ASSERT_LT((found.contact - x.segment<3>(reference.contactColumn())).norm(), 1e-9 * scale);
    }
  }
}

/// The answer by recursion.
class Answer {
 public:
  explicit Answer(const ImpulseRobot& robot, const Impact& impact)
      : impacts_(robot.model), effective(impacts_.inertia()), w(impacts_.makeWorkspace()) {
    effective.place(VecX::Zero(robot.model.dimension()), w);
    impacts_.respond(impact, robot.rates, w, response);
  }
  explicit Answer(const ImpulseRobot& robot) : Answer(robot, robot.impact) {}

 private:
  RobotImpacts impacts_;

 public:
  const EffectiveInertia& effective;
  RobotImpacts::Workspace w;
  ImpactResponse response;
};

TEST(Impact, IsThatOfMaximalCoordinates) {
  Random random(42);
  for (int r = 0; r < (test::isLong() ? 3000 : 200); ++r) {
    SCOPED_TRACE(r);
    const ImpulseRobot robot = drawRobot(random, 0);

    const Answer answer(robot);
    const EffectiveInertia& effective = answer.effective;
    const RobotImpacts::Workspace& w = answer.w;
    const ImpactResponse& response = answer.response;
    MooreImpulses reference(ImpulseOrder::kBLeaves);
    const test::ImpulseSolution& expected = reference.solve(robot.scene);
    ASSERT_EQ(response.contact.mode, ContactMode::kSticking);
    ASSERT_LT((response.contact.impulse - expected.contact).norm(), 1e-9 * expected.contact.norm());
    const double scale = 1.0 + expected.contact.norm();
    for (std::size_t i = 0; i < robot.scene.bodies.size(); ++i) {
      const test::ImpulseBody& body = robot.scene.bodies[i];
      const int link = robot.link_of[i];
      const BodyVelocity change = effective.velocityChange(link, w);
      ASSERT_LT((body.w + change.angular - expected.w[i]).norm(), 1e-9 * scale);
      const Vec3 v = effective.pointVelocity(link, body.p_C, response.velocity_after, w);
      ASSERT_LT((v - expected.v[i]).norm(), 1e-9 * scale);
    }
    // The joint above a body's link is the last of a ball's three: all carry the same.
    for (std::size_t j = 0; j < robot.scene.joints.size(); ++j) {
      const int link = robot.link_of[robot.scene.joints[j].b];
      const JointImpulse& found = response.joints[robot.model.links()[link].parent_joint];
      ASSERT_LT((found.force - expected.P[j]).norm(), 1e-9 * scale);
      ASSERT_LT((found.moment - expected.Q[j]).norm(), 1e-9 * scale);
    }
  }
}

/// All equations of an impact of any robot, in maximal coordinates: per link six velocities after,
/// per joint six impulses, all rates after, and the contact's impulse, without friction or
/// sticking.
class Maximal {
 public:
  Maximal(const RobotModel& model, const VecX& rotor, const VecX& q, const VecX& v,
          const Impact& impact)
      : model_(model), kinematics_(model, Vec3::Zero(), KinematicsBackend::kBuiltin) {
    auto workspace = kinematics_.makeWorkspace();
    kinematics_.linkPoses(q, workspace, X_WL);
    const int links = static_cast<int>(model.links().size());
    const int n = model.dimension();
    joint_at_ = 6 * links;
    rate_at_ = joint_at_ + 6 * (links - 1);
    contact_at_ = rate_at_ + n;
    A_ = MatX::Zero(contact_at_ + 3, contact_at_ + 3);
    b_ = VecX::Zero(contact_at_ + 3);
    J_.resize(links);
    for (int l = 0; l < links; ++l) kinematics_.pointJacobian(workspace, l, X_WL[l].p, J_[l]);
    for (int l = 0; l < links; ++l) addLink(l, v);
    for (int j = 0; j + 1 < links; ++j) addJoint(j);
    for (int c = 0; c < n; ++c) {
      A_(rate_at_ + c, rate_at_ + c) += rotor[c];
      b_[rate_at_ + c] += rotor[c] * v[c];
    }
    addContact(impact, v);
    x = A_.fullPivLu().solve(b_);
  }

  VecX rates() const { return x.segment(rate_at_, model_.dimension()); }
  Vec3 contact() const { return x.segment<3>(contact_at_); }
  Vec3 force(int joint) const { return x.segment<3>(joint_at_ + 6 * joint); }
  Vec3 moment(int joint) const { return x.segment<3>(joint_at_ + 6 * joint + 3); }

  std::vector<Pose> X_WL;
  VecX x;

 private:
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  static Mat3 cross(const Vec3& l) {
    Mat3 M;
    M << 0, -l[2], l[1], l[2], 0, -l[0], -l[1], l[0], 0;
    return M;
  }
  /// Takes (v at o, w) to (v at o + r, w); its transpose takes impulses back.
  static Mat6 shift(const Vec3& r) {
    Mat6 X = Mat6::Identity();
    X.topRightCorner<3, 3>() = -cross(r);
    return X;
  }

  /// M (V' − V) = the impulses on it; the root stands still.
  void addLink(int l, const VecX& v) {
    if (l == 0) {
      A_.topLeftCorner<6, 6>().setIdentity();
      return;
    }
    const Inertia& inertia = model_.links()[l].inertia;
    const Mat6 X = shift(X_WL[l].R * inertia.p_LC);
    Mat6 M = Mat6::Zero();
    M.topLeftCorner<3, 3>() = inertia.mass * Mat3::Identity();
    M.bottomRightCorner<3, 3>() = X_WL[l].R * inertia.I_C * X_WL[l].R.transpose();
    M = (X.transpose() * M * X).eval();
    A_.block<6, 6>(6 * l, 6 * l) = M;
    b_.segment<6>(6 * l) = M * (J_[l] * v);
  }

  /// V'_child − V'_parent = S q̇', impulses on both, and none along the motion but the rotor's.
  void addJoint(int j) {
    const Joint& joint = model_.joints()[j];
    const int c = joint.child_link, p = joint.parent_link;
    const int at = joint_at_ + 6 * j;
    const Mat6 X = shift(X_WL[c].p - X_WL[p].p);
    A_.block<6, 6>(at, 6 * c) = Mat6::Identity();
    A_.block<6, 6>(at, 6 * p) = -X;
    A_.block<6, 6>(6 * c, at) -= Mat6::Identity();
    if (p > 0) A_.block<6, 6>(6 * p, at) += X.transpose();
    const MatX S = J_[c] - X * J_[p];
    A_.block(at, rate_at_, 6, model_.dimension()) = -S;
    A_.block(rate_at_, at, model_.dimension(), 6) += S.transpose();
  }

  void addContact(const Impact& impact, const VecX& v) {
    const int l = impact.link;
    const auto Y = shift(impact.p_W - X_WL[l].p).topRows<3>().eval();
    const Vec3& n = impact.law.normal;
    const bool sticks = impact.law.friction > 0.0;
    const Mat3 held = sticks ? Mat3(Mat3::Identity()) : Mat3(n * n.transpose());
    A_.block<6, 3>(6 * l, contact_at_) -= Y.transpose();
    A_.block<3, 6>(contact_at_, 6 * l) = held * Y;
    A_.block<3, 3>(contact_at_, contact_at_) = held * impact.inverse_mass + Mat3::Identity() - held;
    const Vec3 u = Y * (J_[l] * v) - impact.velocity;
    b_.segment<3>(contact_at_) = held * impact.velocity - impact.law.restitution * n.dot(u) * n;
  }

  const RobotModel& model_;
  Kinematics kinematics_;
  int joint_at_ = 0, rate_at_ = 0, contact_at_ = 0;
  MatX A_;
  VecX b_;
  std::vector<Jacobian> J_;
};

/// Whether no motion of the robot lacks mass (or next to).
bool allMotionsWeigh(const RobotModel& model, const VecX& rotor, const VecX& q) {
  const Kinematics kinematics(model, Vec3::Zero(), KinematicsBackend::kBuiltin);
  auto workspace = kinematics.makeWorkspace();
  InverseDynamics dynamics;
  const VecX zero = VecX::Zero(q.size());
  kinematics.inverseDynamicsDerivatives(q, zero, zero, workspace, dynamics);
  MatX M = dynamics.dtau_da;
  M.diagonal() += rotor;
  if (!(M.diagonal().minCoeff() > 0.0)) return false;
  const VecX scale = M.diagonal().cwiseSqrt().cwiseInverse();
  constexpr double kRegular = 1e-6;  // leaves ten digits to both
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(scale.asDiagonal() * M * scale.asDiagonal());
  return eigen.eigenvalues()[0] > kRegular;
}

/// Draws robots of all kinds and a free body that one of their links meets.
template <class Check>
void overRandomImpacts(unsigned seed, int robots, const Check& check) {
  Random random(seed);
  int checked = 0;
  for (int r = 0; checked < robots; ++r) {
    ASSERT_LT(r, 100 * robots);
    test::RandomRobotOptions options;
    options.joints = random.integer(1, 10);
    options.serial = random.chance(0.5);
    options.floating_base = random.chance(0.3);
    const RobotModel model = test::randomRobot(random, options);
    if (model.dimension() == 0) continue;
    VecX rotor = VecX::Zero(model.dimension());
    for (double& x : rotor) {
      if (random.chance(0.3)) x = random.logUniform(1e-3, 1.0);
    }
    const VecX q = test::randomConfiguration(random, model);
    if (!allMotionsWeigh(model, rotor, q)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", robot " + std::to_string(r));
    const RobotImpacts impacts(model, rotor);
    const EffectiveInertia& effective = impacts.inertia();
    auto workspace = impacts.makeWorkspace();
    effective.place(q, workspace);
    const VecX v = random.vectorX(model.dimension(), 2.0);
    Impact impact;
    impact.link = random.integer(1, static_cast<int>(model.links().size()) - 1);
    impact.p_W = effective.linkPose(impact.link, workspace) * random.vector(0.3);
    impact.inverse_mass = random.logUniform(0.01, 10.0);
    impact.velocity = random.vector(1.0);
    const Vec3 u = effective.pointVelocity(impact.link, impact.p_W, v, workspace) - impact.velocity;
    impact.law.normal = random.directionOfNormals();
    if (impact.law.normal.dot(u) < 0.0) impact.law.normal = -impact.law.normal;
    impact.law.restitution = random.chance(0.3) ? 0.0 : random.uniform(0.0, 1.0);
    const double draw = random.uniform(0.0, 1.0);
    impact.law.friction = draw < 0.3 ? 0.0 : draw < 0.6 ? HUGE_VAL : random.logUniform(0.01, 2.0);
    check(model, impacts, workspace, rotor, q, v, impact);
    if (testing::Test::HasFatalFailure()) return;
    ++checked;
  }
}

TEST(Impact, OfAnyRobotIsThatOfAllEquationsAtOnce) {
  overRandomImpacts(
      43, test::isLong() ? 2000 : 150,
      [](const RobotModel& model, const RobotImpacts& impacts, auto& w, const VecX& rotor,
         const VecX& q, const VecX& v, Impact impact) {
        if (std::isfinite(impact.law.friction)) impact.law.friction = 0.0;
        ImpactResponse found;
        impacts.respond(impact, v, w, found);
        const Maximal expected(model, rotor, q, v, impact);
        const double size = expected.contact().norm();
        ASSERT_LT((found.contact.impulse - expected.contact()).norm(), 1e-9 * size);
        const double scale = 1.0 + size + expected.rates().norm();
        ASSERT_LT((found.velocity_after - expected.rates()).norm(), 1e-9 * scale);
        for (std::size_t j = 0; j < model.joints().size(); ++j) {
          const int joint = static_cast<int>(j);
          ASSERT_LT((found.joints[j].force - expected.force(joint)).norm(), 1e-9 * scale);
          ASSERT_LT((found.joints[j].moment - expected.moment(joint)).norm(), 1e-9 * scale);
        }
      });
}

TEST(Impact, KeepsItsLaws) {
  int counts[3] = {0, 0, 0};
  overRandomImpacts(
      44, test::isLong() ? 20000 : 1000,
      [&](const RobotModel&, const RobotImpacts& impacts, auto& w, const VecX&, const VecX&,
          const VecX& v, const Impact& impact) {
        const EffectiveInertia& effective = impacts.inertia();
        const Vec3& n = impact.law.normal;
        Mat3 K = effective.contactInverseMass(impact.link, -1, impact.p_W, w);
        ASSERT_LE((K - effective.inverseMass(impact.link, impact.p_W, w)).norm(), 1e-9 * K.norm());
        K.diagonal().array() += impact.inverse_mass;
        const Vec3 u = effective.pointVelocity(impact.link, impact.p_W, v, w) - impact.velocity;
        const ContactImpulse contact = contactImpulse(K, u, impact.law);
        ++counts[static_cast<int>(contact.mode)];
        // Energy as the robot and the body have it.
        VecX dv;
        effective.applyImpulse(impact.link, -1, impact.p_W, contact.impulse, w, dv);
        const double robot_lost =
            effective.kineticEnergy(v, w) - effective.kineticEnergy(v + dv, w);
        const Vec3 after = impact.velocity - impact.inverse_mass * contact.impulse;
        const double body_lost =
            0.5 / impact.inverse_mass * (impact.velocity.squaredNorm() - after.squaredNorm());
        const double energy = effective.kineticEnergy(v, w) + 1.0;
        ASSERT_NEAR(contact.energy_lost, robot_lost + body_lost, 1e-9 * energy);
        // Newton's law, and Coulomb's.
        const Vec3 left = effective.pointVelocity(impact.link, impact.p_W, v + dv, w) - after;
        ASSERT_LT((left - contact.velocity_after).norm(), 1e-8 * (1.0 + u.norm()));
        ASSERT_NEAR(n.dot(left), -impact.law.restitution * n.dot(u), 1e-8 * (1.0 + u.norm()));
        const double pressing = -n.dot(contact.impulse);
        ASSERT_TRUE(pressing >= 0.0 || std::isinf(impact.law.friction));
        const Vec3 sliding = left - n * n.dot(left);
        const Vec3 rubbing = contact.impulse + n * pressing;
        if (contact.mode == ContactMode::kSticking) {
          ASSERT_LT(sliding.norm(), 1e-8 * (1.0 + u.norm()));
          if (std::isfinite(impact.law.friction)) {
            ASSERT_LE(rubbing.norm(), impact.law.friction * pressing * (1.0 + 1e-9));
          }
        } else if (contact.mode == ContactMode::kSliding) {
          ASSERT_NEAR(rubbing.norm(), impact.law.friction * pressing, 1e-8 * (1e-3 + pressing));
          // Against the sliding that is left, unless next to none is.
          const double noise = 1e-8 * (1.0 + u.norm());
          if (impact.law.friction > 0.0 && sliding.norm() > noise) {
            ASSERT_LT((rubbing.normalized() + sliding.normalized()).norm(),
                      1e-8 + noise / sliding.norm());
          }
        }
        ASSERT_TRUE(impact.law.restitution > 0.0 || contact.energy_lost >= -1e-12 * energy);
        if (impact.law.restitution <= contact.safe_restitution) {
          ASSERT_GE(contact.energy_lost, -1e-12 * energy);
        }
      });
  EXPECT_GT(counts[1], 100);
  EXPECT_GT(counts[2], 100);
}

TEST(Impact, OfTwoTreesKeepsMomentumAndJoints) {
  Random random(45);
  for (int r = 0; r < 200; ++r) {
    SCOPED_TRACE(r);
    const ImpulseRobot robot = drawRobot(random, 0);

    const Answer answer(robot);
    const EffectiveInertia& effective = answer.effective;
    const RobotImpacts::Workspace& w = answer.w;
    const ImpactResponse& response = answer.response;
    // Momentum of each tree changes by the impulse, of both by nothing; so does its moment.
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    double size = 0.0;
    for (std::size_t i = 0; i < robot.scene.bodies.size(); ++i) {
      const test::ImpulseBody& body = robot.scene.bodies[i];
      const int link = robot.link_of[i];
      const BodyVelocity change = effective.velocityChange(link, w);
      const Vec3 dv = effective.pointVelocity(link, body.p_C, response.velocity_after, w) - body.v;
      linear += body.mass * dv;
      angular += body.p_C.cross(body.mass * dv) + body.I_C * change.angular;
      size += body.mass * dv.norm();
    }
    ASSERT_LT(linear.norm(), 1e-10 * (1.0 + size));
    ASSERT_LT(angular.norm(), 1e-10 * (1.0 + size));
    for (const test::ImpulseJoint& joint : robot.scene.joints) {
      const Vec3 a =
          effective.pointVelocity(robot.link_of[joint.a], joint.p, response.velocity_after, w);
      const Vec3 b =
          effective.pointVelocity(robot.link_of[joint.b], joint.p, response.velocity_after, w);
      const bool slides = joint.kind == test::ImpulseJoint::Kind::kSlide;
      const Vec3 apart = slides ? Vec3(joint.axis.cross(b - a)) : Vec3(b - a);
      ASSERT_LT(apart.norm(), 1e-10 * (1.0 + a.norm()));
    }
  }
}

TEST(Impact, OfTwoFreeBodiesIsTheTextbooks) {
  Random random(46);
  for (int r = 0; r < 100; ++r) {
    const ImpulseRobot robot = test::randomImpulseRobot(random, {.bodies = 2});
    const test::ImpulseBody& a = robot.scene.bodies[0];
    const test::ImpulseBody& b = robot.scene.bodies[1];
    Impact impact = robot.impact;
    impact.law.friction = 0.0;
    const Answer answer(robot, impact);
    const EffectiveInertia& effective = answer.effective;
    const RobotImpacts::Workspace& w = answer.w;
    const ImpactResponse& response = answer.response;
    // j = −(1 + e) u_n / (1/m_a + 1/m_b + n'(I_a^-1 (r_a x n)) x r_a + the same of b).
    const Vec3& n = impact.law.normal;
    const Vec3 ra = impact.p_W - a.p_C, rb = impact.p_W - b.p_C;
    const Vec3 u = a.v + a.w.cross(ra) - b.v - b.w.cross(rb);
    const double felt = 1.0 / a.mass + 1.0 / b.mass +
                        n.dot((a.I_C.inverse() * ra.cross(n)).cross(ra)) +
                        n.dot((b.I_C.inverse() * rb.cross(n)).cross(rb));
    const double j = -(1.0 + impact.law.restitution) * u.dot(n) / felt;
    ASSERT_LT((response.contact.impulse - j * n).norm(), 1e-11 * std::fabs(j));
    const Vec3 va = effective.pointVelocity(robot.link_of[0], a.p_C, response.velocity_after, w);
    ASSERT_LT((va - a.v - j / a.mass * n).norm(), 1e-11);
    const Vec3 spin = effective.velocityChange(robot.link_of[1], w).angular;
    ASSERT_LT((spin + b.I_C.inverse() * rb.cross(j * n)).norm(), 1e-10 * (1.0 + std::fabs(j)));
  }
}

// e² (n'Kn)(n'K^-1 n) > 1 says exactly when sticking can gain energy: by the worst tangential
// velocity it does, and below it never does.
TEST(ContactImpulse, GainsEnergyOnlyBeyondTheSafeRestitution) {
  Random random(47);
  int gains = 0;
  for (int r = 0; r < 2000; ++r) {
    const Mat3 Q = random.rotationOfNormals();
    const Vec3 d(random.logUniform(0.01, 1.0), random.logUniform(0.01, 1.0),
                 random.logUniform(0.01, 1.0));
    const Mat3 K = Q * d.asDiagonal() * Q.transpose();
    const Vec3 n = random.directionOfNormals();
    const double safe = contactImpulse(K, n, {n, 0.0, HUGE_VAL}).safe_restitution;
    ASSERT_NEAR(safe, std::min(1.0, 1.0 / std::sqrt(n.dot(K * n) * n.dot(K.inverse() * n))), 1e-9);
    // u ∝ K n is the least energy with this approach.
    const Vec3 worst = K * n / n.dot(K * n);
    for (const double share : {0.5, 0.999, 1.001, 1.2}) {
      const double e = share * safe;
      if (e > 1.0) continue;
      const ContactImpulse contact = contactImpulse(K, worst, {n, e, HUGE_VAL});
      ASSERT_EQ(contact.energy_lost<0.0, share> 1.0) << share;
      gains += share > 1.0 ? 1 : 0;
      const Vec3 u = n + n.cross(random.vector(10.0));
      if (share < 1.0) {
        const double friction = random.chance(0.5) ? HUGE_VAL : random.logUniform(0.01, 10.0);
        ASSERT_GE(contactImpulse(K, u, {n, e, friction}).energy_lost, -1e-12);
      }
    }
  }
  EXPECT_GT(gains, 500);
}

TEST(ContactImpulse, NothingHappensWithoutApproach) {
  const Vec3 n = Vec3::UnitZ();
  for (const Vec3& u : {Vec3(1, 0, 0), Vec3(1, 0, -1), Vec3(0, 0, std::nan(""))}) {
    const ContactImpulse contact = contactImpulse(Mat3::Identity(), u, {n, 0.5, 0.3});
    EXPECT_EQ(contact.mode, ContactMode::kParting);
    EXPECT_EQ(contact.impulse, Vec3(Vec3::Zero()));
  }
  EXPECT_STREQ(contactModeName(ContactMode::kSliding), "sliding");
}

TEST(ContactImpulse, NoNormalHasMoreEnergyThanThatOfTheStoppingImpulse) {
  Random random(48);
  for (int r = 0; r < 200; ++r) {
    const Mat3 Q = random.rotationOfNormals();
    const Vec3 d(random.logUniform(0.01, 1.0), random.logUniform(0.01, 1.0),
                 random.logUniform(0.01, 1.0));
    const Mat3 K = Q * d.asDiagonal() * Q.transpose();
    const Vec3 u = random.vector(2.0);
    const Vec3 P = stoppingImpulse(K, u);
    const ContactImpulse worst = contactImpulse(K, u, {P.normalized(), 0.0, 0.0});
    EXPECT_NEAR(worst.energy_lost, 0.5 * u.dot(P), 1e-12 * (1.0 + u.dot(P)));
    EXPECT_LT((worst.impulse + P).norm(), 1e-10 * P.norm());
    for (int k = 0; k < 20; ++k) {
      const Vec3 n = random.directionOfNormals();
      EXPECT_LE(contactImpulse(K, u, {n, 0.0, 0.0}).energy_lost, worst.energy_lost * (1.0 + 1e-12));
    }
  }
}

// A link that moves along one line only: the wall takes what is across.
TEST(ContactImpulse, OfALinkOnALineSticksWithoutPushingAcross) {
  const Vec3 line = Vec3(1, 1, 0).normalized();
  const Mat3 K = line * line.transpose() / 2.0;
  const ContactImpulse contact = contactImpulse(K, 3.0 * line, {Vec3::UnitX(), 0.0, HUGE_VAL});
  EXPECT_EQ(contact.mode, ContactMode::kSticking);
  EXPECT_LT(contact.velocity_after.norm(), 1e-12);
  EXPECT_NEAR(contact.energy_lost, 0.5 * 2.0 * 9.0, 1e-12);
}

}  // namespace
}  // namespace allclear
