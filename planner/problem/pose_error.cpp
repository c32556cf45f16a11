#include "allclear/planner/problem/pose_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace allclear {
namespace {

/// Below this angle [rad] the quotient in `inverseRightJacobian` loses digits; its limit 1/12 is
/// then exact to angle^2/720, about 1e-11.
constexpr double kSmallAngle = 1e-4;

/// The sine of an angle near half a turn below which the axis of the rotation is rounding.
constexpr double kOpposite = 1e-12;

/// [m]: what looks at a point nearer than this has no direction to it.
constexpr double kLeastSight = 1e-9;

Mat3 crossMatrix(const Vec3& v) {
  Mat3 W;
  W << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return W;
}

}  // namespace

// J. Sola et al., "A micro Lie theory", 2018, equation 144.
Mat3 inverseRightJacobian(const Vec3& r) {
  const double angle = r.norm();
  const Mat3 W = crossMatrix(r);
  const double f =
      angle < kSmallAngle
          ? 1.0 / 12.0
          : 1.0 / (angle * angle) - (1.0 + std::cos(angle)) / (2.0 * angle * std::sin(angle));
  return Mat3::Identity() + 0.5 * W + f * W * W;
}

namespace {

bool isPlaced(const PoseTarget& target) { return !target.hasFreePosition(); }
bool isOriented(const PoseTarget& target) { return !target.hasFreeAngle(); }

/// Whether positions are measured along the target's axes. A ball is the same in all axes: then the
/// world's will do.
bool hasOwnAxes(const PoseTarget& target) { return !target.position_axes.bindNothing(); }

/// 0 for each component that is free, else 1.
Vec3 held(const AxisBounds& axes) {
  return {axes.is_free[0] ? 0.0 : 1.0, axes.is_free[1] ? 0.0 : 1.0, axes.is_free[2] ? 0.0 : 1.0};
}

/// The axis whose turn is free; -1 without one.
int freeTurn(const PoseTarget& target) {
  for (int k = 0; k < 3; ++k) {
    if (target.angle_axes.is_free[k]) return k;
  }
  return -1;
}

}  // namespace

Vec3 rotationVector(const Mat3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

Vec3 leastRotation(const Vec3& a, const Vec3& b, Mat3* by_a, Mat3* by_b) {
  // With c = a x b and d = a . b the angle is atan2(|c|, d), and the vector g c, g = angle / sin.
  // Its differential is g dc - h c dd, with h = (dg/dangle) / sin.
  const Vec3 c = a.cross(b);
  const double sine = c.norm(), d = a.dot(b);
  const double angle = std::atan2(sine, d);
  const bool is_small = angle < kSmallAngle;
  if (!is_small && sine < kOpposite) {  // half a turn about any axis across a
    if (by_a != nullptr) by_a->setZero();
    if (by_b != nullptr) by_b->setZero();
    return angle * a.unitOrthogonal();
  }
  const double g = is_small ? 1.0 + angle * angle / 6.0 : angle / sine;
  const double h =
      is_small ? 1.0 / 3.0 + 2.0 / 15.0 * angle * angle : (sine - angle * d) / (sine * sine * sine);
  if (by_a != nullptr) *by_a = -g * crossMatrix(b) - h * c * b.transpose();
  if (by_b != nullptr) *by_b = g * crossMatrix(a) - h * c * a.transpose();
  return g * c;
}

Eigen::Matrix<double, 6, 1> poseRoom(const PoseTarget& target, double of_ball, double of_axis) {
  Eigen::Matrix<double, 6, 1> room;
  const auto fill = [&](int first, double tolerance, const AxisBounds& axes) {
    for (int k = 0; k < 3; ++k) {
      room[first + k] = axes.is_free[k] ? std::numeric_limits<double>::infinity()
                                        : std::min(of_ball * tolerance, of_axis * axes.most[k]);
    }
  };
  fill(0, target.position_tolerance, target.position_axes);
  fill(3, target.angle_tolerance, target.angle_axes);
  return room;
}

PoseError::PoseError(const Problem& problem, const Kinematics& kinematics)
    : problem_(problem), kinematics_(kinematics), workspace_(kinematics.makeWorkspace()) {}

Pose PoseError::place(const PoseTarget& target, const VecX& q_planned) {
  kinematics_.linkPoses(problem_.configuration(q_planned), workspace_, poses_);
  return poses_[target.link] * target.X_LP;
}

PoseError::Vec6 PoseError::error(const PoseTarget& target, const VecX& q_planned, MatX* by_q) {
  const Pose X_WP = place(target, q_planned);
  const Mat3& R_WT = target.X_WP.R;
  const int free_turn = freeTurn(target);
  const Mat3 R_TP = R_WT.transpose() * X_WP.R;
  const Vec3 turn = free_turn < 0 ? rotationVector(R_TP)
                                  : leastRotation(Vec3::Unit(free_turn), R_TP.col(free_turn));
  Vec6 error = Vec6::Zero();
  // What is measured along the target's axes: held components of the place seen from there.
  const bool own_axes = hasOwnAxes(target);
  const Mat3 to_axes = own_axes ? Mat3(held(target.position_axes).asDiagonal() * R_WT.transpose())
                                : Mat3::Identity();
  if (isPlaced(target)) {
    error.head<3>() = X_WP.p - target.X_WP.p;
    if (own_axes) error.head<3>() = to_axes * error.head<3>();
  }
  if (isOriented(target)) error.tail<3>() = turn;
  if (by_q == nullptr) return error;
  kinematics_.pointJacobian(workspace_, target.link, X_WP.p, whole_);
  by_q->setZero(6, problem_.plannedCount());
  for (int j = 0; isPlaced(target) && j < problem_.plannedCount(); ++j) {
    const auto column = whole_.col(problem_.planned[j]);
    by_q->col(j).head<3>() = column.head<3>();
    if (own_axes) by_q->col(j).head<3>() = to_axes * column.head<3>();
  }
  if (isOriented(target)) turnJacobian(target, X_WP, turn, by_q);
  return error;
}

/// Angular velocity in the world, then the rate of the rotation vector. A free turn's vector
/// follows the free axis a of P alone, whose rate is omega x a.
void PoseError::turnJacobian(const PoseTarget& target, const Pose& X_WP, const Vec3& turn,
                             MatX* by_q) const {
  const int free_turn = freeTurn(target);
  // By the angular velocity in the world.
  Mat3 to_turn;
  if (free_turn < 0) {
    to_turn = inverseRightJacobian(turn) * X_WP.R.transpose();
  } else {
    const Mat3 R_TW = target.X_WP.R.transpose();
    const Vec3 a = R_TW * X_WP.R.col(free_turn);
    Mat3 by_axis;
    leastRotation(Vec3::Unit(free_turn), a, nullptr, &by_axis);
    to_turn = -by_axis * crossMatrix(a) * R_TW;
  }
  for (int j = 0; j < problem_.plannedCount(); ++j) {
    by_q->col(j).tail<3>() = to_turn * whole_.col(problem_.planned[j]).tail<3>();
  }
}

Vec3 PoseError::error(const LookAtTarget& target, const VecX& q_planned, MatX* by_q) {
  kinematics_.linkPoses(problem_.configuration(q_planned), workspace_, poses_);
  const Pose& X_WL = poses_[target.link];
  const Vec3 p = X_WL * target.p_L;
  const Vec3 axis = X_WL.R * target.axis_L;
  const double far = std::max((target.point_W - p).norm(), kLeastSight);
  const Vec3 sight = (target.point_W - p) / far;
  Mat3 by_sight, by_axis;
  const Vec3 error = leastRotation(sight, axis, &by_sight, &by_axis);
  if (by_q == nullptr) return error;
  kinematics_.pointJacobian(workspace_, target.link, p, whole_);
  // The sight turns as its foot moves across it; the axis turns with the link.
  const Mat3 by_place = -by_sight * (Mat3::Identity() - sight * sight.transpose()) / far;
  const Mat3 by_turn = -by_axis * crossMatrix(axis);
  by_q->resize(3, problem_.plannedCount());
  for (int j = 0; j < problem_.plannedCount(); ++j) {
    const auto column = whole_.col(problem_.planned[j]);
    by_q->col(j) = by_place * column.head<3>() + by_turn * column.tail<3>();
  }
  return error;
}

PoseError::Vec6 PoseError::twistToTarget(const PoseTarget& target, const VecX& q_planned) {
  const Pose X_WP = place(target, q_planned);
  const Mat3& R_WT = target.X_WP.R;
  const int free_turn = freeTurn(target);
  // The components that are held, along the target's axes, back in the world.
  Vec6 twist = Vec6::Zero();
  if (isPlaced(target)) {
    twist.head<3>() = target.X_WP.p - X_WP.p;
    if (hasOwnAxes(target)) {
      const Vec3 along = R_WT.transpose() * twist.head<3>();
      twist.head<3>() = R_WT * held(target.position_axes).cwiseProduct(along);
    }
  }
  if (isOriented(target)) {
    twist.tail<3>() = free_turn < 0 ? rotationVector(R_WT * X_WP.R.transpose())
                                    : leastRotation(X_WP.R.col(free_turn), R_WT.col(free_turn));
  }
  return twist;
}

/// Of free components there are no rows: a step along the others leaves these as they are.
MatX PoseError::twistJacobian(const PoseTarget& target, const VecX& q_planned) {
  const Pose X_WP = place(target, q_planned);
  const Mat3& R_WT = target.X_WP.R;
  const int free_turn = freeTurn(target);
  kinematics_.pointJacobian(workspace_, target.link, X_WP.p, whole_);
  MatX J(6, problem_.plannedCount());
  for (int k = 0; k < J.cols(); ++k) J.col(k) = whole_.col(problem_.planned[k]);
  if (!isPlaced(target)) J.topRows<3>().setZero();
  if (!isOriented(target)) J.bottomRows<3>().setZero();
  if (isPlaced(target) && hasOwnAxes(target)) {
    const Mat3 keep = R_WT * held(target.position_axes).asDiagonal() * R_WT.transpose();
    J.topRows<3>() = keep * J.topRows<3>();
  }
  // A turn about the free axis of P changes nothing.
  if (isOriented(target) && free_turn >= 0) {
    const Vec3 axis = X_WP.R.col(free_turn);
    J.bottomRows<3>() -= axis * (axis.transpose() * J.bottomRows<3>());
  }
  return J;
}

}  // namespace allclear
