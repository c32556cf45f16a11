#pragma once

#include <memory>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/program/torque_cost.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// What a plan costs by the problem's objective, in one measure for all plans of the problem. With
/// T0 the least time that any motion from the start to a goal takes (each joint alone, from rest
/// to rest), and integrals over the motion:
///
///   duration      T / T0
///   velocity      the path's length: of sqrt(sum (dq/dt / limit)^2), over T0
///   acceleration  of the sum of squared shares of the acceleration limits, over T0
///   jerk          of the sum of squared shares of the jerk limits, over T0
///   torque        of the sum of squared shares of the effort limits, over T0
///
/// Each is of order one and does not depend on a first guess. One object per thread.
class PlanCost {
 public:
  /// `goals`: planned coordinates, at least one.
  PlanCost(const Problem& problem, const std::vector<VecX>& goals);

  double operator()(const Trajectory& curve) const;

  /// T0 [s].
  double leastTime() const { return least_time_; }

 private:
  ObjectiveWeights weights_;
  PlannedLimits limits_;
  double least_time_;
  std::unique_ptr<TorqueEnergy> torque_;  ///< where the objective weighs torques
};

/// The least time [s] that any motion from the problem's start to `goal` (planned coordinates)
/// takes: of the slowest coordinate alone, from rest to rest; at least a tenth of a second.
double leastTimeTo(const Problem& problem, const PlannedLimits& limits, const VecX& goal);

/// Least time [s] from rest to rest over `length` with velocity, acceleration and jerk limited by
/// v, a and j (v may be infinite): the double-S profile.
double doubleSTime(double length, double v, double a, double j);

}  // namespace allclear
