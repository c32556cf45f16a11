#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <variant>
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
/// waypoints, contacts and demands. Values, and gradients by control points and duration.
class StateRows {
 public:
  /// `waypoint_times`: normalised, of the waypoints without a time of their own. `basis`: of the
  /// curves, for the instants at which contacts have rows.
  StateRows(const Problem& problem, const Kinematics& kinematics,
            std::vector<double> waypoint_times, const BSplineBasis& basis);

  const StateDemands& demands() const { return demands_; }
  void setDemands(std::vector<DemandRow> rows) { demand_rows_ = std::move(rows); }
  const std::vector<DemandRow>& demandRows() const { return demand_rows_; }

  /// Adds rows for the cones of contacts all along the curve. Wrenches cost nothing, so between
  /// rows that came one by one they would swing out of the cones at ever new instants.
  void addCones(const BSpline& curve);

  /// The most violated demand among the samples.
  struct Worst {
    double value = HUGE_VAL;  ///< at least 0: all are kept
    DemandRow row;
  };
  /// Evaluates all demands at `samples` + 1 instants of every span, ends included. For each demand
  /// whose least value in the span is below `influence` adds a row at that instant, unless one is
  /// there.
  Worst watch(const BSpline& curve, const std::optional<BSpline>& wrenches, int samples,
              double influence);

  int count() const;
  /// Bounds of the rows, in order.
  void bounds(Eigen::Ref<VecX> lower, Eigen::Ref<VecX> upper) const;
  /// Which control points a row depends on: first and one past the last.
  std::pair<int, int> controls(int row, const BSplineBasis& basis) const;
  /// Whether it also depends on the same control points of the contact wrenches.
  bool usesWrenches(int row) const;

  /// By how much the goal's pose, a waypoint or a contact is missed; 0 when none is. `what` gets
  /// the words for what is missed most, if not null.
  double targetViolation(const BSpline& curve, std::string* what = nullptr);
  /// The curve with its inner control points moved as little as it takes to pass through the joint
  /// waypoints to rounding.
  BSpline throughWaypoints(const BSpline& curve) const;

  /// Values at the curve, and at the contact wrenches where demands use them.
  void values(const BSpline& curve, const std::optional<BSpline>& wrenches, Eigen::Ref<VecX> out);
  struct Gradients {
    std::vector<MatX> by_control;  ///< of each row: planned coordinates x `controls`
    std::vector<MatX> by_wrench;   ///< of each row: wrench rows x `controls`; empty: none
    VecX by_duration;
  };
  /// `dC` is the derivative of the control points by the duration.
  void gradients(const BSpline& curve, const std::optional<BSpline>& wrenches, const MatX& dC,
                 Gradients* out);

 private:
  /// The demands that have a row at this instant.
  std::vector<int> demandsAt(double s) const;
  /// What one group of rows is about.
  using RowTarget = std::variant<const JointTarget*, const PoseTarget*, const LookAtTarget*>;
  /// A target: rows that share an instant.
  struct Group {
    RowTarget target;
    std::optional<double> time;  ///< [s], fixed
    double s = 0.0;              ///< normalised time, where there is no fixed one
    int rows = 0;
    bool is_contact = false;
  };
  void addWaypoint(const Target& target, std::optional<double> time, double s);
  double normalisedTime(const Group& group, double duration) const;
  double missedBy(const BSpline& curve, const Group& group);
  /// Values of a target's rows at planned coordinates q, and, when asked for, their gradients.
  void targetError(const RowTarget& target, const VecX& q, Eigen::Ref<VecX> values, MatX* by_q);

  const Problem& problem_;
  PoseError pose_error_;
  StateDemands demands_;
  std::vector<PoseTarget> contacts_;  ///< poses that contacts keep
  std::vector<Group> targets_;
  int target_rows_ = 0;
  std::vector<DemandRow> demand_rows_;  ///< sorted by time
};

}  // namespace allclear
