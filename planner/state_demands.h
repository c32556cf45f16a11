#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// What a problem demands of the state at every instant besides clearance and the limits of the
/// coordinates' own derivatives: path constraints, and torques when they are limited. Each demand
/// is a function of order one that is at least 0 when it is kept.
class StateDemands {
 public:
  StateDemands(const Problem& problem, const Kinematics& kinematics);

  int count() const { return path_count_ + 2 * static_cast<int>(torques_.size()); }
  /// "'hand': angle of the kept axis".
  std::string name(int demand) const;

  /// At planned coordinates and their first two derivatives.
  void values(const VecX& q, const VecX& v, const VecX& a, VecX* out);

  struct Gradients {
    MatX by_q, by_v, by_a;  ///< demands x planned coordinates
  };
  void gradients(const VecX& q, const VecX& v, const VecX& a, Gradients* out);

 private:
  void place(const VecX& q);
  void addPath(VecX* values, MatX* by_q);
  VecX whole(const VecX& planned) const;

  const Problem& problem_;
  const Kinematics& kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian J_;
  VecX torque_;
  InverseDynamics dynamics_;
  int path_count_ = 0;
  std::vector<int> torques_;  ///< planned coordinates whose torque is limited
  VecX effort_;               ///< of planned coordinates
};

}  // namespace allclear
