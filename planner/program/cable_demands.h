#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/clearance/cable_model.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// Demands of cables on the state (`CableModel`), in units of `kMetres`: at least 0 when kept.
/// Holds scratch: one per thread.
class CableDemands {
 public:
  /// [m]: a demand of order one. With it, rows exist for what comes within 25 mm, and are kept with
  /// 0.2 mm to spare (`state_rows.cpp`), which covers the instants between those of the rows.
  static constexpr double kMetres = 0.1;

  explicit CableDemands(const Problem& problem);

  int count() const { return static_cast<int>(model_.demands().size()); }
  std::string name(int demand) const { return model_.name(demand); }

  /// At these link poses of the configuration q of the robot, and time t; obstacles that move do
  /// not count without one. Where `only` is given, those of other demands are left as they are;
  /// where not, those far from their limit are rough, never above what they are.
  void values(const VecX& q, const std::vector<Pose>& X_WL, std::optional<double> t,
              Eigen::Ref<VecX> out, const std::vector<bool>* only = nullptr) const;

  /// By planned coordinates, of which row k of `by_q` is demand k, and by time with the robot held.
  /// Pre: the workspace holds the configuration.
  void gradients(const Kinematics& kinematics, const Kinematics::Workspace& workspace,
                 const std::vector<Pose>& X_WL, std::optional<double> t, Eigen::Ref<MatX> by_q,
                 Eigen::Ref<VecX> by_t, const std::vector<bool>* only = nullptr);

 private:
  const Problem& problem_;
  const CableModel model_;
  Jacobian J_;
};

}  // namespace allclear
