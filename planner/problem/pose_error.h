#pragma once

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Axis times angle of R [rad].
Vec3 rotationVector(const Mat3& R);

/// How far a configuration is from a pose: position in the world [m], then the rotation vector that
/// is left, in the target's frame [rad]; zero where the target leaves it free.
class PoseError {
 public:
  PoseError(const Problem& problem, const Kinematics& kinematics);

  using Vec6 = Eigen::Matrix<double, 6, 1>;
  /// `by_q`, when asked for: 6 x planned coordinates.
  Vec6 operator()(const PoseTarget& target, const VecX& q_planned, MatX* by_q);

 private:
  const Problem& problem_;
  const Kinematics& kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian whole_;
};

}  // namespace allclear
