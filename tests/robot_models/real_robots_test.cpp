#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "allclear/core/file.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "support/data.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

struct RobotFile {
  const char* package;
  const char* urdf;
};

class RealRobot : public testing::TestWithParam<RobotFile> {
 protected:
  void SetUp() override {
    ALLCLEAR_REQUIRE_DATA(std::string("robots/") + GetParam().package);
    folder_ = test::dataFolder() / "robots" / GetParam().package;
    RobotSource source;
    source.urdf = folder_ / "urdf" / GetParam().urdf;
    source.load_collision = false;
    model_.emplace(loadRobot(source));
  }

  std::filesystem::path folder_;
  std::optional<RobotModel> model_;
};

void expectOraclePoses(const RobotModel& model, KinematicsBackend backend,
                       const nlohmann::json& oracle) {
  const Kinematics kinematics(model, kStandardGravity, backend);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  const int base = model.findLink(oracle["base_link"]);
  ASSERT_GE(base, 0);
  int compared = 0;
  for (const auto& sample : oracle["cases"]) {
    VecX q = VecX::Zero(model.dimension());
    for (const auto& [name, value] : sample["q"].items()) {
      const int k = model.findCoordinate(name);
      ASSERT_GE(k, 0) << name;
      q[k] = value;
    }
    kinematics.linkPoses(q, workspace, X_WL);
    for (const auto& [name, pose] : sample["link_poses"].items()) {
      const int link = model.findLink(name);
      ASSERT_GE(link, 0) << name;
      const Pose X = X_WL[base].inverse() * X_WL[link];
      const auto& p = pose["xyz"];
      const auto& w = pose["quat_wxyz"];
      const Mat3 R = Eigen::Quaterniond(w[0], w[1], w[2], w[3]).normalized().toRotationMatrix();
      ASSERT_LT((X.p - Vec3(p[0], p[1], p[2])).norm(), 1e-10) << name;
      ASSERT_LT((X.R - R).norm(), 1e-10) << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 21 * 10);
}

TEST_P(RealRobot, LinkPosesAgreeWithTheOracle) {
  const auto oracle = nlohmann::json::parse(readFile(folder_ / "fk_oracle.json"));
  for (const KinematicsBackend backend : availableKinematicsBackends()) {
    expectOraclePoses(*model_, backend, oracle);
  }
}

/// Largest difference between the analytic derivatives and central differences, over the largest
/// entry.
double worstDerivativeError(const RobotModel& model, test::Random& random) {
  const Kinematics k(model);
  auto workspace = k.makeWorkspace();
  const int n = model.dimension();
  const VecX q = test::randomConfiguration(random, model);
  const VecX v = random.vectorX(n, 1.0);
  const VecX a = random.vectorX(n, 2.0);
  InverseDynamics out;
  k.inverseDynamicsDerivatives(q, v, a, workspace, out);
  VecX tau;
  k.inverseDynamics(q, v, a, workspace, tau);
  double worst = (tau - out.tau).cwiseAbs().maxCoeff() / (1e-9 + tau.cwiseAbs().maxCoeff());
  const auto torque = [&](const VecX& dq, const VecX& dv, const VecX& da) {
    k.inverseDynamics(q + dq, v + dv, a + da, workspace, tau);
    return tau;
  };
  const VecX zero = VecX::Zero(n);
  for (int j = 0; j < n; ++j) {
    const VecX e = VecX::Unit(n, j) * 1e-4;
    const auto central = [&](const auto& f) {
      const VecX coarse = (f(e) - f(VecX(-e))) / 2e-4;
      const VecX fine = (f(VecX(0.5 * e)) - f(VecX(-0.5 * e))) / 1e-4;
      return VecX((4.0 * fine - coarse) / 3.0);
    };
    const VecX by_q = central([&](const VecX& d) { return torque(d, zero, zero); });
    const VecX by_v = central([&](const VecX& d) { return torque(zero, d, zero); });
    const VecX by_a = central([&](const VecX& d) { return torque(zero, zero, d); });
    const auto error = [](const MatX& M, int column, const VecX& difference) {
      return (M.col(column) - difference).cwiseAbs().maxCoeff() / M.cwiseAbs().maxCoeff();
    };
    worst = std::max({worst, error(out.dtau_dq, j, by_q), error(out.dtau_dv, j, by_v),
                      error(out.dtau_da, j, by_a)});
  }
  return worst;
}

TEST_P(RealRobot, DynamicsDerivativesAgreeWithCentralDifferences) {
  test::Random random(21);
  for (int i = 0; i < 5; ++i) EXPECT_LT(worstDerivativeError(*model_, random), 1e-6);
}

TEST_P(RealRobot, BackendsAgree) {
  if (availableKinematicsBackends().size() < 2) GTEST_SKIP() << "only one backend in this build";
  test::Random random(22);
  const Kinematics ours(*model_, kStandardGravity, KinematicsBackend::kBuiltin);
  const Kinematics theirs(*model_, kStandardGravity, KinematicsBackend::kPinocchio);
  auto our_workspace = ours.makeWorkspace();
  auto their_workspace = theirs.makeWorkspace();
  const int n = model_->dimension();
  for (int i = 0; i < 100; ++i) {
    const VecX q = test::randomConfiguration(random, *model_);
    const VecX v = random.vectorX(n, 2.0);
    const VecX a = random.vectorX(n, 5.0);
    std::vector<Pose> our_poses, their_poses;
    ours.linkPoses(q, our_workspace, our_poses);
    theirs.linkPoses(q, their_workspace, their_poses);
    for (std::size_t l = 0; l < our_poses.size(); ++l) {
      ASSERT_LT((our_poses[l].R - their_poses[l].R).norm(), 1e-12);
      ASSERT_LT((our_poses[l].p - their_poses[l].p).norm(), 1e-12);
    }
    InverseDynamics our, their;
    ours.inverseDynamicsDerivatives(q, v, a, our_workspace, our);
    theirs.inverseDynamicsDerivatives(q, v, a, their_workspace, their);
    const auto near = [](const MatX& A, const MatX& B) {
      return (A - B).cwiseAbs().maxCoeff() < 1e-12 * (1.0 + A.cwiseAbs().maxCoeff());
    };
    ASSERT_TRUE(near(our.tau, their.tau));
    ASSERT_TRUE(near(our.dtau_dq, their.dtau_dq));
    ASSERT_TRUE(near(our.dtau_dv, their.dtau_dv));
    ASSERT_TRUE(near(our.dtau_da, their.dtau_da));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RealRobot,
                         testing::Values(RobotFile{"panda_description", "panda.urdf"},
                                         RobotFile{"ur5_description", "ur5_robotiq85.urdf"},
                                         RobotFile{"fetch_description", "fetch.urdf"},
                                         RobotFile{"jvrc_description", "jvrc1.urdf"}),
                         [](const auto& robot) { return std::string(robot.param.package); });

}  // namespace
}  // namespace allclear
