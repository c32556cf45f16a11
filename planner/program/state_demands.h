#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Demands of a problem on the state at every instant: path constraints, torques when they are
/// limited, balance. (Clearance and the limits of derivatives have rows of their own.) Each demand
/// is a function of order one that is at least 0 when it is kept. Holds scratch: one per thread.
class StateDemands {
 public:
  StateDemands(const Problem& problem, const Kinematics& kinematics);

  int count() const { return path_count_ + 2 * static_cast<int>(torques_.size()) + edgeCount(); }
  /// "'hand': angle of the kept axis".
  std::string name(int demand) const;

  /// At planned coordinates and their first two derivatives.
  void values(const VecX& q, const VecX& v, const VecX& a, VecX* out);

  struct Gradients {
    MatX by_q, by_v, by_a;  ///< demands x planned coordinates
  };
  void gradients(const VecX& q, const VecX& v, const VecX& a, Gradients* out);

 private:
  int edgeCount() const { return polygon_ ? static_cast<int>(polygon_->edges.size()) : 0; }
  /// Room at each edge of the support polygon, of order one.
  VecX rooms(const VecX& q, const VecX& v, const VecX& a);
  void addBalance(const VecX& q, const VecX& v, const VecX& a, Gradients* out);
  void addPath(VecX* values, MatX* by_q);
  /// Rates of all coordinates: zero where they are not planned.
  VecX whole(const VecX& planned) const;

  const Problem& problem_;
  std::unique_ptr<const Kinematics> loaded_;  ///< of the robot with what it carries, if that weighs
  const Kinematics& kinematics_;
  Kinematics::Workspace workspace_;
  std::vector<Pose> poses_;
  Jacobian J_;
  VecX torque_;
  InverseDynamics dynamics_;
  int path_count_ = 0;
  std::vector<int> torques_;  ///< planned coordinates whose torque is limited
  VecX effort_;               ///< of planned coordinates
  std::optional<SupportPolygon> polygon_;
  double weight_ = 0.0;  ///< [N]
};

}  // namespace allclear
