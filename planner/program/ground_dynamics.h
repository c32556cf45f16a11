#pragma once

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// The robot with six more coordinates, the first ones: a floating joint at the origin of the world
/// carries all of it, its root link too. While these coordinates are 0 the robot is where it was,
/// and their generalised forces are the force that the ground supplies and its moment about the
/// origin of the world.
RobotModel floatedRobot(const RobotModel& robot);

/// Torques or forces of the planned coordinates and the wrench of the ground, which carries the
/// whole robot alone, with analytic derivatives. Holds scratch: one per thread.
class GroundDynamics {
 public:
  /// Gravity and masses are those of `robot`, which has the coordinates of `problem.robot`.
  GroundDynamics(const Problem& problem, const RobotModel& robot);

  static constexpr int kGroundRows = 6;  ///< force [N], moment about the origin of the world [N m]

  struct Gradients {
    MatX by_q, by_v, by_a;  ///< rows x planned coordinates
  };

  /// At planned coordinates and their rates: one row for each planned coordinate, then the ground's
  /// six.
  const VecX& values(const VecX& q, const VecX& v, const VecX& a);
  const Gradients& gradients(const VecX& q, const VecX& v, const VecX& a);

 private:
  void place(const VecX& q, const VecX& v, const VecX& a);

  const Problem& problem_;
  Kinematics kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<int> rows_;  ///< which generalised force each row is
  VecX q_, v_, a_;         ///< of the floated robot
  InverseDynamics dynamics_;
  VecX values_;
  Gradients gradients_;
};

}  // namespace allclear
