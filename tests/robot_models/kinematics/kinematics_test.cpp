#include "allclear/robot_models/kinematics.h"

#include <gtest/gtest.h>

#include <unsupported/Eigen/AutoDiff>

#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/chain_recursion.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

using test::Random;
using test::randomConfiguration;
using test::randomRobot;

std::vector<double> list(const VecX& v) { return {v.data(), v.data() + v.size()}; }

/// Central difference of f along coordinate i, with one step of Richardson extrapolation.
template <class Function>
auto difference(const Function& f, const VecX& x, int i, double h) {
  const auto at = [&](double d) {
    VecX y = x;
    y[i] += d;
    return f(y);
  };
  const auto coarse = ((at(h) - at(-h)) / (2.0 * h)).eval();
  const auto fine = ((at(h / 2) - at(-h / 2)) / h).eval();
  return ((4.0 * fine - coarse) / 3.0).eval();
}

class KinematicsTest : public testing::TestWithParam<KinematicsBackend> {
 protected:
  static Kinematics kinematicsOf(const RobotModel& model, const Vec3& gravity = kStandardGravity) {
    return Kinematics(model, gravity, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, KinematicsTest, testing::ValuesIn(availableKinematicsBackends()),
                         [](const auto& backend) {
                           return std::string(kinematicsBackendName(backend.param));
                         });

/// Runs `check(model, kinematics, q, v, a)` over random robots of all kinds.
template <class Check>
void overRandomRobots(KinematicsBackend backend, unsigned seed, int robots, const Check& check) {
  Random random(seed);
  for (int r = 0; r < robots; ++r) {
    test::RandomRobotOptions options;
    options.joints = random.integer(1, 14);
    options.serial = random.chance(0.3);
    options.floating_base = random.chance(0.3);
    const RobotModel model = randomRobot(random, options);
    const Vec3 gravity = random.chance(0.5) ? kStandardGravity : random.vector(10.0);
    const Kinematics kinematics(model, gravity, backend);
    const VecX q = randomConfiguration(random, model);
    const VecX v = random.vectorX(model.dimension(), random.logUniform(1e-2, 5.0));
    const VecX a = random.vectorX(model.dimension(), random.logUniform(1e-2, 50.0));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", robot " + std::to_string(r));
    check(model, kinematics, q, v, a);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(KinematicsTest, LinkPosesAgreeWithTheGenericRecursion) {
  overRandomRobots(
      GetParam(), 1, 200,
      [](const RobotModel& model, const Kinematics& k, const VecX& q, const VecX&, const VecX&) {
        auto workspace = k.makeWorkspace();
        std::vector<Pose> X_WL;
        k.linkPoses(q, workspace, X_WL);
        const auto oracle = linkPosesOf<double>(MotionTree(model), list(q));
        ASSERT_EQ(X_WL.size(), model.links().size());
        for (std::size_t l = 0; l < X_WL.size(); ++l) {
          ASSERT_LT((X_WL[l].R - oracle[l].R).norm(), 1e-13);
          ASSERT_LT((X_WL[l].p - oracle[l].p).norm(), 1e-13);
        }
      });
}

TEST_P(KinematicsTest, JacobianIsTheDerivativeOfThePoint) {
  overRandomRobots(
      GetParam(), 2, 60,
      [](const RobotModel& model, const Kinematics& k, const VecX& q, const VecX&, const VecX&) {
        auto workspace = k.makeWorkspace();
        std::vector<Pose> X_WL;
        const int link = static_cast<int>(model.links().size()) - 1;
        const Vec3 p_LQ(0.1, -0.2, 0.3);
        k.linkPoses(q, workspace, X_WL);
        Jacobian J;
        k.pointJacobian(workspace, link, X_WL[link] * p_LQ, J);
        const Mat3 R = X_WL[link].R;
        for (int i = 0; i < model.dimension(); ++i) {
          const auto point = [&](const VecX& y) {
            k.linkPoses(y, workspace, X_WL);
            return Vec3(X_WL[link] * p_LQ);
          };
          const auto orientation = [&](const VecX& y) {
            k.linkPoses(y, workspace, X_WL);
            return Mat3(X_WL[link].R);
          };
          ASSERT_LT((difference(point, q, i, 1e-3) - J.col(i).head<3>()).norm(), 1e-8);
          const Mat3 W = difference(orientation, q, i, 1e-3) * R.transpose();
          const Vec3 w(W(2, 1), W(0, 2), W(1, 0));
          ASSERT_LT((w - J.col(i).tail<3>()).norm(), 1e-8);
        }
      });
}

TEST_P(KinematicsTest, InverseDynamicsAgreesWithTheGenericRecursion) {
  Random random(3);
  for (int r = 0; r < 200; ++r) {
    test::RandomRobotOptions options;
    options.joints = random.integer(1, 14);
    options.floating_base = random.chance(0.3);
    const RobotModel model = randomRobot(random, options);
    const Vec3 gravity = random.vector(10.0);
    const Kinematics k = kinematicsOf(model, gravity);
    const VecX q = randomConfiguration(random, model);
    const VecX v = random.vectorX(model.dimension(), 3.0);
    const VecX a = random.vectorX(model.dimension(), 10.0);
    auto workspace = k.makeWorkspace();
    VecX tau;
    k.inverseDynamics(q, v, a, workspace, tau);
    const auto oracle =
        inverseDynamicsOf<double>(MotionTree(model), list(q), list(v), list(a), gravity);
    for (int i = 0; i < model.dimension(); ++i) {
      ASSERT_NEAR(tau[i], oracle[i], 1e-11 * (1.0 + std::fabs(oracle[i]))) << "robot " << r;
    }
  }
}

TEST_P(KinematicsTest, DerivativesAgreeWithAutomaticDifferentiation) {
  Random random(4);
  for (int r = 0; r < 100; ++r) {
    test::RandomRobotOptions options;
    options.joints = random.integer(1, 12);
    options.floating_base = random.chance(0.3);
    const RobotModel model = randomRobot(random, options);
    const Vec3 gravity = random.vector(10.0);
    const Kinematics k = kinematicsOf(model, gravity);
    const int n = model.dimension();
    if (n == 0) continue;
    const VecX q = randomConfiguration(random, model);
    const VecX v = random.vectorX(n, 3.0);
    const VecX a = random.vectorX(n, 10.0);

    using Dual = Eigen::AutoDiffScalar<VecX>;
    std::vector<Dual> dq, dv, da;
    for (int i = 0; i < n; ++i) {
      dq.emplace_back(q[i], 3 * n, i);
      dv.emplace_back(v[i], 3 * n, n + i);
      da.emplace_back(a[i], 3 * n, 2 * n + i);
    }
    const auto oracle = inverseDynamicsOf<Dual>(MotionTree(model), dq, dv, da, gravity);

    auto workspace = k.makeWorkspace();
    InverseDynamics out;
    k.inverseDynamicsDerivatives(q, v, a, workspace, out);
    const double scale = 1.0 + out.tau.cwiseAbs().maxCoeff() + out.dtau_dq.cwiseAbs().maxCoeff();
    for (int i = 0; i < n; ++i) {
      ASSERT_NEAR(out.tau[i], oracle[i].value(), 1e-12 * scale);
      VecX row = oracle[i].derivatives();
      if (row.size() == 0) row = VecX::Zero(3 * n);  // a massless branch: constant zero
      for (int j = 0; j < n; ++j) {
        ASSERT_NEAR(out.dtau_dq(i, j), row[j], 1e-12 * scale) << r << " " << i << " " << j;
        ASSERT_NEAR(out.dtau_dv(i, j), row[n + j], 1e-12 * scale) << r << " " << i << " " << j;
        ASSERT_NEAR(out.dtau_da(i, j), row[2 * n + j], 1e-12 * scale) << r << " " << i << " " << j;
      }
    }
  }
}

TEST_P(KinematicsTest, CenterOfMassJacobianIsItsDerivative) {
  overRandomRobots(
      GetParam(), 5, 60,
      [](const RobotModel& model, const Kinematics& k, const VecX& q, const VecX&, const VecX&) {
        auto workspace = k.makeWorkspace();
        std::vector<Pose> X_WL;
        k.linkPoses(q, workspace, X_WL);
        Mat3X J;
        k.centerOfMassJacobian(workspace, J);
        Vec3 by_links = Vec3::Zero();
        for (std::size_t l = 0; l < X_WL.size(); ++l) {
          by_links += model.links()[l].inertia.mass * (X_WL[l] * model.links()[l].inertia.p_LC);
        }
        ASSERT_LT((k.centerOfMass(workspace) - by_links / model.totalMass()).norm(), 1e-12);
        for (int i = 0; i < model.dimension(); ++i) {
          const auto com = [&](const VecX& y) {
            k.linkPoses(y, workspace, X_WL);
            return k.centerOfMass(workspace);
          };
          ASSERT_LT((difference(com, q, i, 1e-3) - J.col(i)).norm(), 1e-8);
        }
      });
}

TEST_P(KinematicsTest, GroundReactionIsTheRateOfMomentumMinusWeight) {
  // Along q(t) = q + v t + a t^2 / 2: force = m (c'' - g), with c'' by differences of c(t).
  overRandomRobots(
      GetParam(), 6, 60,
      [](const RobotModel& model, const Kinematics&, const VecX& q, const VecX& v, const VecX& a) {
        const Kinematics k = kinematicsOf(model);
        auto workspace = k.makeWorkspace();
        std::vector<Pose> X_WL;
        const auto com = [&](double t) {
          k.linkPoses(q + v * t + 0.5 * a * t * t, workspace, X_WL);
          return k.centerOfMass(workspace);
        };
        const double h = 1e-3 / (1.0 + v.cwiseAbs().sum() + std::sqrt(a.cwiseAbs().sum()));
        const Vec3 acceleration = (com(h) - 2.0 * com(0.0) + com(-h)) / (h * h);
        const Wrench wrench = k.groundReaction(q, v, a, workspace);
        const Vec3 expected = model.totalMass() * (acceleration - kStandardGravity);
        ASSERT_LT((wrench.force - expected).norm(), 1e-3 * (1.0 + expected.norm()));
        const VecX zero = VecX::Zero(model.dimension());
        const Wrench at_rest = k.groundReaction(q, zero, zero, workspace);
        const Vec3 moment = com(0.0).cross(-model.totalMass() * kStandardGravity);
        ASSERT_LT((at_rest.moment - moment).norm(), 1e-10 * (1.0 + moment.norm()));
      });
}

TEST(ZeroMomentPoint, OfARobotAtRestIsBelowItsCenterOfMass) {
  const Vec3 com(0.3, -0.2, 1.0);
  const Vec3 force(0.0, 0.0, 98.1);
  const auto point = zeroMomentPoint({force, com.cross(force)}, {0, 0, 0.1}, Vec3::UnitZ());
  ASSERT_TRUE(point);
  EXPECT_LT((*point - Vec3(0.3, -0.2, 0.1)).norm(), 1e-12);
  EXPECT_FALSE(zeroMomentPoint({-force, com.cross(force)}, {0, 0, 0}, Vec3::UnitZ()));
}

TEST_P(KinematicsTest, WorkspaceHoldsTheConfigurationPlacedLast) {
  Random random(8);
  const RobotModel model = randomRobot(random, {});
  const Kinematics k = kinematicsOf(model);
  EXPECT_EQ(k.backend(), GetParam());
  const int tip = static_cast<int>(model.links().size()) - 1;
  const VecX q = randomConfiguration(random, model);
  const VecX other = randomConfiguration(random, model);
  const VecX zero = VecX::Zero(model.dimension());
  std::vector<Pose> X_WL;
  Jacobian expected, found;
  auto fresh = k.makeWorkspace();
  EXPECT_FALSE(fresh.holdsConfiguration());
  EXPECT_THROW(k.pointJacobian(fresh, tip, Vec3::Zero(), found), ContractViolation);
  EXPECT_THROW(k.centerOfMass(fresh), ContractViolation);
  k.linkPoses(q, fresh, X_WL);
  EXPECT_TRUE(fresh.holdsConfiguration());
  k.pointJacobian(fresh, tip, X_WL[tip].p, expected);

  // Each call that takes a configuration places the robot at it.
  VecX tau;
  InverseDynamics dynamics;
  const std::function<void(Kinematics::Workspace&)> calls[] = {
      [&](auto& w) { k.inverseDynamics(q, zero, zero, w, tau); },
      [&](auto& w) { k.inverseDynamicsDerivatives(q, zero, zero, w, dynamics); },
      [&](auto& w) { k.groundReaction(q, zero, zero, w); }};
  for (const auto& call : calls) {
    auto workspace = k.makeWorkspace();
    k.linkPoses(other, workspace, X_WL);
    call(workspace);
    Mat3X unused;
    k.centerOfMassJacobian(workspace, unused);  // leaves the configuration alone
    k.linkPoses(q, fresh, X_WL);
    k.pointJacobian(workspace, tip, X_WL[tip].p, found);
    EXPECT_LT((found - expected).norm(), 1e-12);
  }
}

TEST(KinematicsBackends, TheBuiltinOneIsAlwaysThereAndTheDefaultComesFirst) {
  const auto backends = availableKinematicsBackends();
  EXPECT_TRUE(std::count(backends.begin(), backends.end(), KinematicsBackend::kBuiltin) == 1);
  EXPECT_EQ(backends.front(), defaultKinematicsBackend());
  Random random(9);
  const RobotModel model = randomRobot(random, {});
  EXPECT_EQ(Kinematics(model).backend(), defaultKinematicsBackend());
  if (backends.size() == 1) {
    EXPECT_THROW(Kinematics(model, kStandardGravity, KinematicsBackend::kPinocchio),
                 ContractViolation);
  }
}

TEST(ZeroMomentPoint, LeavesNoMomentAlongThePlane) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 normal = random.directionOfNormals();
    const Wrench wrench{random.vector(10.0) + 20.0 * normal, random.vector(10.0)};
    const Vec3 origin = random.vector(1.0);
    const auto point = zeroMomentPoint(wrench, origin, normal);
    ASSERT_TRUE(point);
    const Vec3 left = wrench.moment - point->cross(wrench.force);
    EXPECT_LT(normal.cross(left).norm(), 1e-10);
    EXPECT_NEAR(normal.dot(*point - origin), 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace allclear
