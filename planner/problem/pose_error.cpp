#include "allclear/planner/problem/pose_error.h"

#include <cmath>

namespace allclear {
namespace {

/// Below this angle [rad] the quotient in `inverseRightJacobian` loses digits; its limit 1/12 is
/// then exact to angle^2/720, about 1e-11.
constexpr double kSmallAngle = 1e-4;

bool isPlaced(const PoseTarget& target) { return std::isfinite(target.position_tolerance); }
bool isOriented(const PoseTarget& target) { return std::isfinite(target.angle_tolerance); }

}  // namespace

// J. Sola et al., "A micro Lie theory", 2018, equation 144.
Mat3 inverseRightJacobian(const Vec3& r) {
  const double angle = r.norm();
  Mat3 W;
  W << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  const double f =
      angle < kSmallAngle
          ? 1.0 / 12.0
          : 1.0 / (angle * angle) - (1.0 + std::cos(angle)) / (2.0 * angle * std::sin(angle));
  return Mat3::Identity() + 0.5 * W + f * W * W;
}

Vec3 rotationVector(const Mat3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

PoseError::PoseError(const Problem& problem, const Kinematics& kinematics)
    : problem_(problem), kinematics_(kinematics), workspace_(kinematics.makeWorkspace()) {}

Pose PoseError::place(const PoseTarget& target, const VecX& q_planned) {
  kinematics_.linkPoses(problem_.configuration(q_planned), workspace_, poses_);
  return poses_[target.link] * target.X_LP;
}

PoseError::Vec6 PoseError::error(const PoseTarget& target, const VecX& q_planned, MatX* by_q) {
  const Pose X_WP = place(target, q_planned);
  const Vec3 turn = rotationVector(target.X_WP.R.transpose() * X_WP.R);
  Vec6 error = Vec6::Zero();
  if (isPlaced(target)) error.head<3>() = X_WP.p - target.X_WP.p;
  if (isOriented(target)) error.tail<3>() = turn;
  if (by_q == nullptr) return error;
  kinematics_.pointJacobian(workspace_, target.link, X_WP.p, whole_);
  by_q->setZero(6, problem_.plannedCount());
  // Angular velocity in the world, then in the frame, then the rate of the rotation vector.
  const Mat3 to_turn = inverseRightJacobian(turn) * X_WP.R.transpose();
  for (int j = 0; j < problem_.plannedCount(); ++j) {
    const auto column = whole_.col(problem_.planned[j]);
    if (isPlaced(target)) by_q->col(j).head<3>() = column.head<3>();
    if (isOriented(target)) by_q->col(j).tail<3>() = to_turn * column.tail<3>();
  }
  return error;
}

PoseError::Vec6 PoseError::twistToTarget(const PoseTarget& target, const VecX& q_planned) {
  const Pose X_WP = place(target, q_planned);
  Vec6 twist = Vec6::Zero();
  if (isPlaced(target)) twist.head<3>() = target.X_WP.p - X_WP.p;
  if (isOriented(target)) {
    twist.tail<3>() = rotationVector(target.X_WP.R * X_WP.R.transpose());
  }
  return twist;
}

MatX PoseError::twistJacobian(const PoseTarget& target, const VecX& q_planned) {
  const Pose X_WP = place(target, q_planned);
  kinematics_.pointJacobian(workspace_, target.link, X_WP.p, whole_);
  MatX J(6, problem_.plannedCount());
  for (int k = 0; k < J.cols(); ++k) J.col(k) = whole_.col(problem_.planned[k]);
  if (!isPlaced(target)) J.topRows<3>().setZero();
  if (!isOriented(target)) J.bottomRows<3>().setZero();
  return J;
}

}  // namespace allclear
