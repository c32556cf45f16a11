#pragma once

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Axis times angle of R [rad].
Vec3 rotationVector(const Mat3& R);

/// d(rotation vector)/d(angular velocity in the body's frame): the inverse of the right Jacobian of
/// SO(3) at r.
Mat3 inverseRightJacobian(const Vec3& r);
/// The rotation vector of the least rotation that brings the unit vector a to b [rad], and its
/// derivatives where these are asked for. Of opposite vectors any such rotation; there, and only
/// there, the derivatives are not continuous.
Vec3 leastRotation(const Vec3& a, const Vec3& b, Mat3* by_a = nullptr, Mat3* by_b = nullptr);

/// How large each component of `PoseError::error` may be, where rows use `of_ball` of a tolerance
/// that is the radius of a ball (a box in that ball has its corners farther out), and `of_axis` of
/// one along an axis; infinite where a component is free.
Eigen::Matrix<double, 6, 1> poseRoom(const PoseTarget& target, double of_ball, double of_axis);

/// How far configurations are from pose targets. All parts are zero where the target leaves the
/// position or the orientation free.
///
/// What a target leaves free has no part in either.
///
/// There is one error, written in two ways that have the same norms. As an *error* its rotation is
/// in the target's frame, and its Jacobian is exact: what rows of a program need. As a *twist* it
/// is the motion in the world that carries the frame onto the target, and its Jacobian is the
/// geometric one: what inverse kinematics steps along, even from half a turn away, where the exact
/// Jacobian has no value.
///
/// Holds scratch: one per thread. No answer depends on the calls before.
class PoseError {
 public:
  PoseError(const Problem& problem, const Kinematics& kinematics);

  using Vec6 = Eigen::Matrix<double, 6, 1>;

  /// Position in the world [m] (along the target's axes where these have tolerances of their own),
  /// then the remaining rotation vector in the target's frame [rad]; with a free turn, that of the
  /// least rotation between the free axes. What is free is 0. `by_q`, when not null, gets the exact
  /// Jacobian: 6 x planned coordinates.
  Vec6 error(const PoseTarget& target, const VecX& q_planned, MatX* by_q);

  /// The rotation vector in the world from the direction to the point to the link's axis [rad].
  Vec3 error(const LookAtTarget& target, const VecX& q_planned, MatX* by_q);

  /// The translation [m] and rotation vector [rad] in the world from the frame to the target.
  Vec6 twistToTarget(const PoseTarget& target, const VecX& q_planned);
  /// The geometric Jacobian of the frame at `q_planned`: twist by planned coordinates.
  MatX twistJacobian(const PoseTarget& target, const VecX& q_planned);

 private:
  /// The pose of the target's frame at a configuration; prepares the workspace for its Jacobian.
  Pose place(const PoseTarget& target, const VecX& q_planned);
  void turnJacobian(const PoseTarget& target, const Pose& X_WP, const Vec3& turn, MatX* by_q) const;

  const Problem& problem_;
  const Kinematics& kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian whole_;  ///< by all coordinates of the robot
};

}  // namespace allclear
