#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "allclear/planner/problem/pose_error.h"
#include "allclear/planner/program/nlp.h"
#include "allclear/planner/program/state_demands.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// A demand of the problem (`StateDemands`) at one normalised time.
struct DemandRow {
  int demand = -1;
  double s = 0.0;
};

/// Rows of the program that depend on the state of the curve at one instant: the goal's pose,
/// waypoints and demands. Values, and gradients by control points and duration.
class StateRows {
 public:
  /// `waypoint_times`: normalised, of the waypoints without a time of their own.
  StateRows(const Problem& problem, const Kinematics& kinematics,
            std::vector<double> waypoint_times);

  const StateDemands& demands() const { return demands_; }
  void setDemands(std::vector<DemandRow> rows) { demand_rows_ = std::move(rows); }
  const std::vector<DemandRow>& demandRows() const { return demand_rows_; }

  /// The most violated demand among the samples.
  struct Worst {
    double value = HUGE_VAL;  ///< at least 0: all are kept
    DemandRow row;
  };
  /// Evaluates all demands at `samples` + 1 instants of every span, ends included. For each demand
  /// whose least value in the span is below `influence` adds a row at that instant, unless one is
  /// there.
  Worst watch(const BSpline& curve, int samples, double influence);

  int count() const;
  /// Bounds of the rows, in order.
  void bounds(Eigen::Ref<VecX> lower, Eigen::Ref<VecX> upper) const;
  /// Which control points a row depends on: first and one past the last.
  std::pair<int, int> controls(int row, const BSplineBasis& basis) const;

  /// By how much the goal's pose or a waypoint is missed; 0 when none is.
  double targetViolation(const BSpline& curve);
  /// The curve with its inner control points moved as little as it takes to pass through the joint
  /// waypoints to rounding.
  BSpline throughWaypoints(const BSpline& curve) const;

  /// Values at the curve.
  void values(const BSpline& curve, Eigen::Ref<VecX> out);
  /// Gradients: by the control points of each row (planned coordinates x `controls`, row after row)
  /// and by the duration; `dC` is the derivative of the control points by the duration.
  void gradients(const BSpline& curve, const MatX& dC, std::vector<MatX>* by_control,
                 VecX* by_duration);

 private:
  /// A target: rows that share an instant.
  struct Group {
    const Target* target = nullptr;
    std::optional<double> time;  ///< [s], fixed
    double s = 0.0;              ///< normalised time, where there is no fixed one
    int rows = 0;
  };
  double normalisedTime(const Group& group, double duration) const;
  /// Values of a target's rows at planned coordinates q, and, when asked for, their gradients.
  void targetError(const Target& target, const VecX& q, Eigen::Ref<VecX> values, MatX* by_q);

  const Problem& problem_;
  PoseError pose_error_;
  StateDemands demands_;
  std::vector<Group> targets_;
  int target_rows_ = 0;
  std::vector<DemandRow> demand_rows_;  ///< sorted by time
};

}  // namespace allclear
