#include "allclear/robot_models/kinematics/effective_inertia.h"

#include <gtest/gtest.h>

#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/impulse_sweeps.h"
#include "allclear/robot_models/kinematics/node_frames.h"
#include "support/long_run.h"
#include "support/random_robot.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // kernels are inlined: no such value is passed by a call

namespace allclear {
namespace {

using test::Random;
using test::randomConfiguration;
using test::randomRobot;

/// What joint space says: M by the derivatives of inverse dynamics, W = J M^-1 J'.
class JointSpace {
 public:
  JointSpace(const RobotModel& model, const VecX& rotor, const VecX& q)
      : kinematics_(model, Vec3::Zero(), KinematicsBackend::kBuiltin),
        workspace_(kinematics_.makeWorkspace()) {
    const VecX zero = VecX::Zero(q.size());
    InverseDynamics dynamics;
    kinematics_.inverseDynamicsDerivatives(q, zero, zero, workspace_, dynamics);
    kinematics_.linkPoses(q, workspace_, X_WL_);
    mass_ = dynamics.dtau_da;
    mass_.diagonal() += rotor;
    // Scaled to a unit diagonal, so that small links count like large ones. Coordinates without any
    // mass keep a zero.
    scale_ =
        mass_.diagonal().unaryExpr([](double m) { return m > 0.0 ? 1.0 / std::sqrt(m) : 1.0; });
    eigen_.compute(scale_.asDiagonal() * mass_ * scale_.asDiagonal());
  }

  const Pose& linkPose(int link) const { return X_WL_[link]; }
  const MatX& mass() const { return mass_; }
  /// Least eigenvalue that is not zero, of the scaled mass matrix.
  double conditioning() const {
    for (double e : eigen_.eigenvalues()) {
      if (e > kZero) return e;
    }
    return 1.0;
  }

  /// Whether motions of several joints together have no mass, though each alone has: massless links
  /// in a row.
  bool hasHiddenMotions() const {
    const auto zeros = (mass_.diagonal().array() <= 0.0).count();
    return (eigen_.eigenvalues().array() <= kZero).count() > zeros;
  }

  Eigen::Matrix3Xd unscaledJacobian(int link, const Vec3& p_W) const {
    Jacobian J;
    kinematics_.pointJacobian(workspace_, link, p_W, J);
    return J.topRows<3>();
  }
  Eigen::Matrix3Xd jacobian(int link, const Vec3& p_W) const {
    return unscaledJacobian(link, p_W) * scale_.asDiagonal();
  }
  /// How much of the link's motion moves no mass.
  double masslessMotion(int link, const Vec3& p_W) const {
    const Eigen::Matrix3Xd J = jacobian(link, p_W);
    double sum = 0.0;
    for (int k = 0; k < eigen_.eigenvalues().size(); ++k) {
      if (eigen_.eigenvalues()[k] <= kZero) sum += (J * eigen_.eigenvectors().col(k)).norm();
    }
    return sum;
  }
  /// W over the motions that move mass; the others weigh `massless`.
  Mat3 inverseMass(int link, const Vec3& p_W, double massless = HUGE_VAL) const {
    const Eigen::Matrix3Xd J = jacobian(link, p_W);
    Mat3 W = Mat3::Zero();
    for (int k = 0; k < eigen_.eigenvalues().size(); ++k) {
      const double e = eigen_.eigenvalues()[k];
      const Vec3 j = J * eigen_.eigenvectors().col(k);
      W += j * j.transpose() / (e > kZero ? e : massless);
    }
    return W;
  }

 private:
  static constexpr double kZero = 1e-12;  // eigenvalues of a matrix with a unit diagonal

  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> X_WL_;
  MatX mass_;
  VecX scale_;
  Eigen::SelfAdjointEigenSolver<MatX> eigen_;
};

struct Kinds {
  bool mimics = false;
  bool rotors = false;
};

/// Runs `check(model, effective, workspace, rotor, q, random)` over random robots.
template <class Check>
void overRandomRobots(unsigned seed, int robots, Kinds kinds, const Check& check) {
  Random random(seed);
  for (int r = 0; r < robots; ++r) {
    test::RandomRobotOptions options;
    options.joints = random.integer(1, 14);
    options.serial = random.chance(0.3);
    options.floating_base = random.chance(0.4);
    options.mimics = kinds.mimics;
    const RobotModel model = randomRobot(random, options);
    if (model.dimension() == 0) continue;
    VecX rotor = VecX::Zero(model.dimension());
    for (double& x : rotor) {
      if (kinds.rotors && random.chance(0.5)) x = random.logUniform(1e-4, 1.0);
    }
    const VecX q = randomConfiguration(random, model);
    const EffectiveInertia effective(MotionTree(model), rotor);
    auto workspace = effective.makeWorkspace();
    effective.place(q, workspace);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", robot " + std::to_string(r));
    check(model, effective, workspace, rotor, q, random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

class EffectiveInertiaTest : public testing::TestWithParam<Kinds> {};

INSTANTIATE_TEST_SUITE_P(Robots, EffectiveInertiaTest,
                         testing::Values(Kinds{false, false}, Kinds{false, true},
                                         Kinds{true, false}, Kinds{true, true}),
                         [](const auto& kinds) {
                           return std::string(kinds.param.mimics ? "Mimics" : "Plain") +
                                  (kinds.param.rotors ? "Rotors" : "");
                         });

TEST_P(EffectiveInertiaTest, IsThatOfJointSpace) {
  int compared = 0, massless = 0;
  double worst = 0.0;
  overRandomRobots(
      11, test::isLong() ? 20000 : 600, GetParam(),
      [&](const RobotModel& model, const EffectiveInertia& effective, auto& workspace,
          const VecX& rotor, const VecX& q, Random& random) {
        const JointSpace oracle(model, rotor, q);
        for (int link = 0; link < effective.linkCount(); ++link) {
          const Vec3 p_W = oracle.linkPose(link) * random.vector(random.logUniform(1e-2, 2.0));
          const Mat3 W = effective.inverseMass(link, p_W, workspace);
          ASSERT_TRUE(W.allFinite());
          ASSERT_LE((W - W.transpose()).norm(), 1e-13 * W.norm());
          const Mat3 expected = oracle.inverseMass(link, p_W);
          const double motion = oracle.masslessMotion(link, p_W);
          if (motion > 1e-7) {
            // Held: not lighter than if that motion weighed next to nothing. (Where slides of a
            // floating base are repeated by other joints too much is lost to tell.)
            ++massless;
            if (GetParam().mimics) continue;
            const Mat3 lightest = oracle.inverseMass(link, p_W, 1e-12);
            ASSERT_GE(Eigen::SelfAdjointEigenSolver<Mat3>(lightest - W).eigenvalues()[0],
                      -1e-5 * lightest.norm());
            continue;
          }
          // Digits are lost where the mass matrix is nearly singular, in both.
          // (Hidden motions of repeated joints leave nothing to compare.)
          if (GetParam().mimics && oracle.hasHiddenMotions()) continue;
          const double loss = oracle.hasHiddenMotions() ? 1e-2 : 1e-9;
          // A point next to all axes has next to no W, and none of its digits.
          const double scale =
              expected.norm() + 1e-3 * oracle.inverseMass(link, p_W + Vec3(1, 1, 1)).norm();
          const double error = (W - expected).norm() / (1e-12 + scale);
          if (!oracle.hasHiddenMotions()) {
            worst = std::max(worst, error * oracle.conditioning());
            ++compared;
          }
          ASSERT_LT(error, loss + 1e-14 / oracle.conditioning()) << "link " << link;
        }
      });
  EXPECT_GT(compared, 2000);
  EXPECT_GT(massless, 50);
  EXPECT_LT(worst, 1e-10);
  RecordProperty("worst", std::to_string(worst));
}

TEST_P(EffectiveInertiaTest, EnergyAndItsDerivativesAreThoseOfInverseDynamics) {
  overRandomRobots(12, test::isLong() ? 5000 : 200, GetParam(),
                   [](const RobotModel& model, const EffectiveInertia& effective, auto& workspace,
                      const VecX& rotor, const VecX& q, Random& random) {
                     const VecX v = random.vectorX(model.dimension(), random.logUniform(0.1, 5.0));
                     const VecX zero = VecX::Zero(q.size());
                     const Kinematics kinematics(model, Vec3::Zero(), KinematicsBackend::kBuiltin);
                     auto scratch = kinematics.makeWorkspace();
                     InverseDynamics oracle;
                     kinematics.inverseDynamicsDerivatives(q, zero, v, scratch, oracle);
                     const VecX momentum = oracle.tau + rotor.cwiseProduct(v);
                     KineticEnergy energy;
                     effective.kineticEnergy(v, workspace, energy);
                     const double size = 1e-6 + energy.value;
                     ASSERT_NEAR(energy.value, 0.5 * v.dot(momentum), 1e-12 * size);
                     ASSERT_EQ(energy.value, effective.kineticEnergy(v, workspace));
                     ASSERT_LT((energy.by_v - momentum).norm(), 1e-12 * (1.0 + momentum.norm()));
                     // T = v'τ(q, 0, v)/2 without gravity.
                     const VecX by_q = 0.5 * oracle.dtau_dq.transpose() * v;
                     ASSERT_LT((energy.by_q - by_q).norm(), 1e-11 * (size + by_q.norm()));
                   });
}

TEST_P(EffectiveInertiaTest, EnergyGradientsAreDifferences) {
  overRandomRobots(13, 60, GetParam(),
                   [](const RobotModel& model, const EffectiveInertia& effective, auto& workspace,
                      const VecX&, const VecX& q, Random& random) {
                     const VecX v = random.vectorX(model.dimension(), 2.0);
                     KineticEnergy energy;
                     effective.kineticEnergy(v, workspace, energy);
                     constexpr double kStep = 1e-3;
                     const auto at = [&](int i, double d) {
                       VecX moved = q;
                       moved[i] += d;
                       effective.place(moved, workspace);
                       return effective.kineticEnergy(v, workspace);
                     };
                     for (int i = 0; i < q.size(); ++i) {
                       const double coarse = (at(i, kStep) - at(i, -kStep)) / (2.0 * kStep);
                       const double fine = (at(i, kStep / 2) - at(i, -kStep / 2)) / kStep;
                       ASSERT_NEAR(energy.by_q[i], (4.0 * fine - coarse) / 3.0,
                                   1e-7 * (1.0 + energy.value));
                     }
                   });
}

/// One slide along x that carries 2 kg, a turn about z at the same place, and a massless tip.
RobotModel sliderWithTip() {
  RobotModel::Data data;
  data.links = {{"base", -1, {}, {}, {}}, {"cart", 0, {2.0, Vec3::Zero(), Mat3::Zero()}, {}, {}}};
  data.links.push_back({"rod", 1, {1.0, Vec3(0.5, 0, 0), Mat3::Zero()}, {}, {}});
  data.links.push_back({"tip", 2, {}, {}, {}});
  const JointType types[] = {JointType::kPrismatic, JointType::kRevolute, JointType::kRevolute};
  const Vec3 axes[] = {Vec3::UnitX(), Vec3::UnitZ(), Vec3::UnitY()};
  for (int j = 0; j < 3; ++j) {
    Joint joint;
    joint.type = types[j];
    joint.parent_link = j;
    joint.child_link = j + 1;
    joint.axis = axes[j];
    joint.X_PJ.p = j == 2 ? Vec3(1, 0, 0) : Vec3::Zero();
    joint.first_coordinate = j;
    data.joints.push_back(joint);
    data.coordinates.push_back({});
  }
  return RobotModel(std::move(data));
}

TEST(EffectiveInertia, OfASliderIsByHand) {
  const EffectiveInertia effective{MotionTree(sliderWithTip())};
  auto w = effective.makeWorkspace();
  EXPECT_THROW(effective.inverseMass(1, Vec3::Zero(), w), ContractViolation);
  EXPECT_THROW(effective.kineticEnergy(VecX::Zero(3), w), ContractViolation);
  effective.place(VecX::Zero(3), w);
  // Along x all moves as one. Along y the rod turns about the cart: m l² with l = 0.5 at 1 m.
  EXPECT_NEAR(effective.effectiveMass(2, Vec3(1, 0, 0), Vec3::UnitX(), w), 3.0, 1e-14);
  EXPECT_NEAR(effective.effectiveMass(2, Vec3(1, 0, 0), Vec3::UnitY(), w), 0.25, 1e-15);
  EXPECT_EQ(effective.effectiveMass(2, Vec3(1, 0, 0), Vec3::UnitZ(), w), HUGE_VAL);
  EXPECT_EQ(effective.inverseMass(0, Vec3(1, 0, 0), w), Mat3(Mat3::Zero()));
  // The tip's joint moves no mass: held, the tip is as heavy as the rod there.
  const Vec3 p(1.2, 0, 0.1);
  EXPECT_LT((effective.inverseMass(3, p, w) - effective.inverseMass(2, p, w)).norm(), 1e-15);
  EXPECT_EQ(effective.effectiveMass(3, p, Vec3::UnitZ(), w), HUGE_VAL);
}

TEST(EffectiveInertia, RotorsMakeALinkHeavierAndATipFinite) {
  const VecX rotor = Vec3(1.0, 0.75, 0.01);
  const EffectiveInertia effective{MotionTree(sliderWithTip()), rotor};
  auto w = effective.makeWorkspace();
  effective.place(VecX::Zero(3), w);
  EXPECT_NEAR(effective.effectiveMass(2, Vec3(1, 0, 0), Vec3::UnitX(), w), 4.0, 1e-14);
  EXPECT_NEAR(effective.effectiveMass(2, Vec3(1, 0, 0), Vec3::UnitY(), w), 1.0, 1e-15);
  EXPECT_NEAR(effective.effectiveMass(3, Vec3(1.1, 0, 0), Vec3::UnitZ(), w), 1.0, 1e-13);
  const VecX v = Vec3(1.0, 2.0, 3.0);
  // Cart and rod at 1 m/s along x, the rod's end turning across, and the rotors.
  const double bodies = 0.5 * 2.0 + 0.5 * 1.0 * (1.0 + 1.0);
  EXPECT_NEAR(effective.kineticEnergy(v, w), bodies + 0.5 * (1.0 + 0.75 * 4.0 + 0.01 * 9.0), 1e-14);
}

// Against joint space without the rows and columns of what is held.
TEST(EffectiveInertia, AnInfiniteRotorHoldsItsCoordinate) {
  Random random(14);
  int compared = 0;
  for (int r = 0; r < 300; ++r) {
    SCOPED_TRACE(r);
    test::RandomRobotOptions options;
    options.joints = random.integer(2, 10);
    options.floating_base = random.chance(0.4);
    const RobotModel model = randomRobot(random, options);
    if (model.dimension() < 2) continue;
    VecX rotor(model.dimension()), v(model.dimension());
    for (int c = 0; c < rotor.size(); ++c) {
      const bool held = random.chance(0.4);
      rotor[c] = held ? HUGE_VAL : random.logUniform(1e-2, 1.0);
      v[c] = held ? 0.0 : random.uniform(-1.0, 1.0);
    }
    const VecX q = randomConfiguration(random, model);
    const JointSpace joint_space(model, VecX::Zero(rotor.size()), q);
    MatX M = joint_space.mass();
    for (int c = 0; c < rotor.size(); ++c) {
      if (std::isinf(rotor[c])) {
        M.row(c).setZero();
        M.col(c).setZero();
        M(c, c) = 1.0;
      } else {
        M(c, c) += rotor[c];
      }
    }
    const EffectiveInertia effective(MotionTree(model), rotor);
    auto w = effective.makeWorkspace();
    effective.place(q, w);
    EXPECT_NEAR(effective.kineticEnergy(v, w), 0.5 * v.dot(M * v), 1e-12 * (1.0 + v.dot(M * v)));
    for (int link = 1; link < effective.linkCount(); ++link) {
      const Vec3 p_W = joint_space.linkPose(link) * random.vector(0.5);
      Eigen::Matrix3Xd J = joint_space.unscaledJacobian(link, p_W);
      for (int c = 0; c < rotor.size(); ++c) {
        if (std::isinf(rotor[c])) J.col(c).setZero();
      }
      const Mat3 expected = J * M.ldlt().solve(J.transpose());
      ASSERT_LT((effective.inverseMass(link, p_W, w) - expected).norm(),
                1e-9 * (1e-6 + expected.norm()));
      const Mat3 K = effective.contactInverseMass(link, -1, p_W, w);
      ASSERT_LT((K - expected).norm(), 1e-9 * (1e-6 + expected.norm()));
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(EffectiveInertia, OfAFreeBodyHoldsAtAPitchOfNinetyDegrees) {
  RobotModel::Data data;
  const Mat3 I = Vec3(0.1, 0.2, 0.3).asDiagonal();
  data.links = {{"world", -1, {}, {}, {}}, {"body", 0, {2.0, Vec3(0.1, 0, 0), I}, {}, {}}};
  Joint joint;
  joint.type = JointType::kFloating;
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.first_coordinate = 0;
  data.joints.push_back(joint);
  data.coordinates.resize(6);
  const RobotModel model(std::move(data));
  const EffectiveInertia effective{MotionTree(model)};
  auto w = effective.makeWorkspace();
  VecX q(6);
  q << 1, 2, 3, 0.4, 0.5 * 3.14159265358979323846, -0.3;
  effective.place(q, w);
  const Mat3 R = rotationFromRpy(q.tail<3>());
  const Vec3 p(0.7, 2.2, 3.3), c = Vec3(1, 2, 3) + R * Vec3(0.1, 0, 0);
  const Vec3 r = p - c;
  Mat3 cross;
  cross << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
  const Mat3 expected = Mat3::Identity() / 2.0 - cross * (R * I.inverse() * R.transpose()) * cross;
  EXPECT_LT((effective.inverseMass(1, p, w) - expected).norm(), 1e-14);
}

TEST(ImpulseSweeps, PowerIsWithoutRegardToTheFrame) {
  // Shifted to another point a motion and an impulse keep their product.
  Random random(15);
  const Vec3 w = random.vector(1.0), v = random.vector(1.0), n = random.vector(1.0),
             f = random.vector(1.0), r = random.vector(1.0);
  const SpatialPack motion{pack(w), pack(v)}, impulse{pack(n), pack(f)};
  const SpatialPack moved{pack(w), pack(Vec3(v + w.cross(r)))};
  const SpatialPack carried{pack(Vec3(n - r.cross(f))), pack(f)};
  EXPECT_NEAR(product(motion, impulse), w.dot(n) + v.dot(f), 1e-15);
  EXPECT_NEAR(product(moved, carried), product(motion, impulse), 1e-15);
  EXPECT_EQ(product(still(), impulse), 0.0);
}

TEST(NodeFrames, AreTheLinkPosesOfARobotWhoseLinksAreItsNodes) {
  const RobotModel model = sliderWithTip();
  const NodeFrames frames{MotionTree(model)};
  auto w = frames.makeWorkspace();
  const VecX q = Vec3(0.2, 0.3, 0.4);
  frames.place(q, w);
  const Kinematics kinematics(model);
  auto scratch = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(q, scratch, X_WL);
  ASSERT_EQ(frames.count(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT((unpack(w.frames[i].c[3]) - X_WL[i + 1].p).norm(), 1e-15);
    EXPECT_LT((unpack(w.frames[i].c[0]) - X_WL[i + 1].R.col(0)).norm(), 1e-15);
  }
}

}  // namespace
}  // namespace allclear
