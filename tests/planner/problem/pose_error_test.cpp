#include "allclear/planner/problem/pose_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

PoseTarget targetOf(test::Random& random) {
  PoseTarget target;
  target.link = 3;
  target.X_LP = random.pose(0.2);
  target.X_WP = random.pose(0.8);
  return target;
}

TEST(PoseError, HasAnExactJacobian) {
  const Problem problem = test::wallProblem();
  const Kinematics kinematics(*problem.robot);
  PoseError pose_error(problem, kinematics);
  test::Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const PoseTarget target = targetOf(random);
    const VecX q = random.vectorX(3, 1.5);
    MatX J;
    const PoseError::Vec6 here = pose_error.error(target, q, &J);
    if (here.tail<3>().norm() > 3.0) continue;  // half a turn away: the rotation vector jumps
    for (int k = 0; k < 3; ++k) {
      const VecX step = 1e-6 * VecX::Unit(3, k);
      const PoseError::Vec6 slope = (pose_error.error(target, q + step, nullptr) -
                                     pose_error.error(target, q - step, nullptr)) /
                                    2e-6;
      EXPECT_LT((J.col(k) - slope).norm(), 1e-6) << "trial " << trial << " joint " << k;
    }
  }
}

TEST(PoseError, AsATwistHasTheSameNormsAndIsZeroAtTheTarget) {
  const Problem problem = test::wallProblem();
  const Kinematics kinematics(*problem.robot);
  PoseError pose_error(problem, kinematics);
  test::Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    PoseTarget target = targetOf(random);
    const VecX q = random.vectorX(3, 1.5);
    const PoseError::Vec6 error = pose_error.error(target, q, nullptr);
    const PoseError::Vec6 twist = pose_error.twistToTarget(target, q);
    EXPECT_EQ(Vec3(-error.head<3>()), Vec3(twist.head<3>()));
    EXPECT_NEAR(error.tail<3>().norm(), twist.tail<3>().norm(), 1e-12);
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> poses;
    kinematics.linkPoses(q, workspace, poses);
    target.X_WP = poses[target.link] * target.X_LP;
    EXPECT_LT(pose_error.twistToTarget(target, q).norm(), 1e-7);
  }
}

TEST(PoseError, AnswersDoNotDependOnTheCallsBefore) {
  const Problem problem = test::wallProblem();
  const Kinematics kinematics(*problem.robot);
  PoseError used(problem, kinematics);
  test::Random random(5);
  const PoseTarget target = targetOf(random);
  const VecX q = random.vectorX(3, 1.0), other = random.vectorX(3, 1.0);
  used.twistToTarget(target, other);
  PoseError fresh(problem, kinematics);
  EXPECT_EQ(used.twistJacobian(target, q), fresh.twistJacobian(target, q));
}

TEST(PoseError, IsZeroWhereTheTargetLeavesItFree) {
  const Problem problem = test::wallProblem();
  const Kinematics kinematics(*problem.robot);
  PoseError pose_error(problem, kinematics);
  test::Random random(6);
  PoseTarget target = targetOf(random);
  target.angle_tolerance = std::numeric_limits<double>::infinity();
  const VecX q = random.vectorX(3, 1.0);
  MatX J;
  EXPECT_TRUE(pose_error.error(target, q, &J).tail<3>().isZero(0.0));
  EXPECT_TRUE(J.bottomRows<3>().isZero(0.0));
  EXPECT_TRUE(pose_error.twistJacobian(target, q).bottomRows<3>().isZero(0.0));
  EXPECT_GT(pose_error.error(target, q, nullptr).head<3>().norm(), 0.0);
}

/// Central differences of any error of a configuration.
template <class Error>
MatX slopes(const VecX& q, const Error& error) {
  MatX J(error(q).size(), q.size());
  for (int k = 0; k < q.size(); ++k) {
    const VecX step = 1e-6 * VecX::Unit(q.size(), k);
    J.col(k) = (error(q + step) - error(q - step)) / 2e-6;
  }
  return J;
}

TEST(PoseError, HasAnExactJacobianWithFreeAxesAndTolerancesByAxis) {
  const Problem problem = test::wallProblem();
  const Kinematics kinematics(*problem.robot);
  PoseError pose_error(problem, kinematics);
  test::Random random(13);
  for (int trial = 0; trial < 200; ++trial) {
    PoseTarget target = targetOf(random);
    const VecX q = random.vectorX(3, 1.5);
    target.position_axes.is_free[static_cast<std::size_t>(random.index(3))] = random.chance(0.5);
    if (random.chance(0.5)) target.position_axes.most = Vec3(0.1, 0.2, 0.3);
    const auto turn = static_cast<std::size_t>(random.index(3));
    target.angle_axes.is_free[turn] = random.chance(0.7);
    if (random.chance(0.3)) {  // next to the target, where the formulas have series
      auto workspace = kinematics.makeWorkspace();
      std::vector<Pose> poses;
      kinematics.linkPoses(q, workspace, poses);
      target.X_WP = poses[target.link] * target.X_LP;
      target.X_WP.R = target.X_WP.R *
                      Eigen::AngleAxisd(random.logUniform(1e-9, 1e-2), random.directionOfNormals())
                          .toRotationMatrix();
    }
    MatX J;
    const PoseError::Vec6 here = pose_error.error(target, q, &J);
    if (here.tail<3>().norm() > 3.0) continue;  // half a turn away: the rotation vector jumps
    const MatX D =
        slopes(q, [&](const VecX& x) -> VecX { return pose_error.error(target, x, nullptr); });
    EXPECT_LT((J - D).norm(), 1e-6 * (1.0 + J.norm())) << "trial " << trial;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<int>(k);
      EXPECT_TRUE(!target.position_axes.is_free[k] || here[i] == 0.0);
      EXPECT_TRUE(!target.angle_axes.is_free[k] || std::abs(here[3 + i]) < 1e-15);
    }
  }
}

TEST(PoseError, OfADirectionHasAnExactJacobianAndTheAngleAsItsNorm) {
  const Problem problem = test::wallProblem();
  const Kinematics kinematics(*problem.robot);
  PoseError pose_error(problem, kinematics);
  test::Random random(14);
  for (int trial = 0; trial < 200; ++trial) {
    LookAtTarget look;
    look.link = random.integer(1, 3);
    look.p_L = random.vector(0.2);
    look.axis_L = random.directionOfNormals();
    look.point_W = random.vector(2.0);
    const VecX q = random.vectorX(3, 1.5);
    auto workspace = kinematics.makeWorkspace();
    std::vector<Pose> poses;
    kinematics.linkPoses(q, workspace, poses);
    if (random.chance(0.3)) {  // nearly met
      look.point_W = poses[look.link] * (look.p_L + random.logUniform(0.1, 3.0) * look.axis_L) +
                     random.vector(random.logUniform(1e-9, 1e-3));
    }
    MatX J;
    const Vec3 here = pose_error.error(look, q, &J);
    const Vec3 sight = (look.point_W - poses[look.link] * look.p_L).normalized();
    const Vec3 axis = poses[look.link].R * look.axis_L;
    EXPECT_NEAR(here.norm(), std::acos(std::clamp(sight.dot(axis), -1.0, 1.0)), 1e-7);
    EXPECT_LT((Eigen::AngleAxisd(
                   here.norm(), here.norm() > 0.0 ? Vec3(here.normalized()) : Vec3(Vec3::UnitX())) *
                   sight -
               axis)
                  .norm(),
              1e-12);
    if (here.norm() > 3.0) continue;
    const MatX D =
        slopes(q, [&](const VecX& x) -> VecX { return pose_error.error(look, x, nullptr); });
    EXPECT_LT((J - D).norm(), 2e-6 * (1.0 + J.norm())) << "trial " << trial;
  }
}

TEST(PoseError, HasAValueForOppositeDirections) {
  Mat3 by_a, by_b;
  const Vec3 half = leastRotation(Vec3::UnitZ(), -Vec3::UnitZ(), &by_a, &by_b);
  EXPECT_NEAR(half.norm(), std::numbers::pi, 1e-15);
  EXPECT_EQ(half.z(), 0.0);
  EXPECT_TRUE(by_a.allFinite() && by_b.allFinite());
  EXPECT_TRUE(leastRotation(Vec3::UnitX(), Vec3::UnitX()).isZero(0.0));
}

}  // namespace
}  // namespace allclear
