#pragma once

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Axis times angle of R [rad].
Vec3 rotationVector(const Mat3& R);

/// d(rotation vector)/d(angular velocity in the body's frame): the inverse of the right Jacobian of
/// SO(3) at r.
Mat3 inverseRightJacobian(const Vec3& r);

/// How far configurations are from pose targets. All parts are zero where the target leaves the
/// position or the orientation free.
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

  /// Position in the world [m], then the remaining rotation vector in the target's frame [rad].
  /// `by_q`, when not null, gets the exact Jacobian: 6 x planned coordinates.
  Vec6 error(const PoseTarget& target, const VecX& q_planned, MatX* by_q);

  /// The translation [m] and rotation vector [rad] in the world from the frame to the target.
  Vec6 twistToTarget(const PoseTarget& target, const VecX& q_planned);
  /// The geometric Jacobian of the frame at `q_planned`: twist by planned coordinates.
  MatX twistJacobian(const PoseTarget& target, const VecX& q_planned);

 private:
  /// The pose of the target's frame at a configuration; prepares the workspace for its Jacobian.
  Pose place(const PoseTarget& target, const VecX& q_planned);

  const Problem& problem_;
  const Kinematics& kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian whole_;  ///< by all coordinates of the robot
};

}  // namespace allclear
