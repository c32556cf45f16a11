#include "allclear/planner/problem/pose_error.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace allclear
