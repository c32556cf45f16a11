#include "allclear/planner/problem/pose_error.h"

#include <cmath>

namespace allclear {
namespace {

/// d(rotation vector)/d(angular velocity in the body's frame).
Mat3 inverseRightJacobian(const Vec3& r) {
  const double angle = r.norm();
  Mat3 W;
  W << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  const double f = angle < 1e-4 ? 1.0 / 12.0
                                : 1.0 / (angle * angle) -
                                      (1.0 + std::cos(angle)) / (2.0 * angle * std::sin(angle));
  return Mat3::Identity() + 0.5 * W + f * W * W;
}

}  // namespace

Vec3 rotationVector(const Mat3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

PoseError::PoseError(const Problem& problem, const Kinematics& kinematics)
    : problem_(problem), kinematics_(kinematics), workspace_(kinematics.makeWorkspace()) {}

PoseError::Vec6 PoseError::operator()(const PoseTarget& target, const VecX& q_planned, MatX* by_q) {
  kinematics_.linkPoses(problem_.configuration(q_planned), workspace_, poses_);
  const Pose X_WP = poses_[target.link] * target.X_LP;
  const Vec3 turn = rotationVector(target.X_WP.R.transpose() * X_WP.R);
  const bool place = std::isfinite(target.position_tolerance);
  const bool orient = std::isfinite(target.angle_tolerance);
  Vec6 error = Vec6::Zero();
  if (place) error.head<3>() = X_WP.p - target.X_WP.p;
  if (orient) error.tail<3>() = turn;
  if (by_q == nullptr) return error;
  kinematics_.pointJacobian(workspace_, target.link, X_WP.p, whole_);
  by_q->setZero(6, problem_.plannedCount());
  const Mat3 to_turn = inverseRightJacobian(turn) * X_WP.R.transpose();
  for (int j = 0; j < problem_.plannedCount(); ++j) {
    const auto column = whole_.col(problem_.planned[j]);
    if (place) by_q->col(j).head<3>() = column.head<3>();
    if (orient) by_q->col(j).tail<3>() = to_turn * column.tail<3>();
  }
  return error;
}

}  // namespace allclear
