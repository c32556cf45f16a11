#pragma once

#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/program/clearance_rows.h"
#include "allclear/planner/program/curve_cost.h"
#include "allclear/planner/program/curve_variables.h"
#include "allclear/planner/program/limit_rows.h"
#include "allclear/planner/program/nlp.h"
#include "allclear/planner/program/state_rows.h"
#include "allclear/planner/program/torque_cost.h"

namespace allclear {

/// A planning problem over the control points of a B-spline (and its duration, and the goal
/// configuration where the goal is a pose, and the curve of contact wrenches where the robot
/// stands) as a nonlinear program.
///
/// Cost: see `CurveCost`. Rows, in this order: limits of the derivatives (`LimitRows`); the goal's
/// pose, waypoints and demands on the state at given instants (`StateRows`); clearances
/// (`ClearanceRows`). The Hessian is exact but for the curvature of state and clearance rows and of
/// torques in the cost, which it leaves out.
class TrajectoryProgram : public NonlinearProgram {
 public:
  using Settings = ClearanceRowSettings;
  /// Interior points need some curvature in every direction. The cost has none along wrenches, and
  /// the Hessian, which leaves that of rows out anyway, has this little on their diagonal.
  static constexpr double kWrenchCurvature = 1e-3;

  /// `guess` fixes the basis and the scales of the cost. `threads` share the clearances.
  /// `waypoint_times`: normalised times at which the waypoints without a time of their own are
  /// passed. `wrenches`: where the problem has forces at contacts (`usesWrenches`), with the basis
  /// of `guess`.
  TrajectoryProgram(const ClearanceEvaluator& evaluator, const BSpline& guess, Settings settings,
                    int threads = 1, std::vector<double> waypoint_times = {},
                    std::optional<BSpline> wrenches = {});

  StateRows& stateRows() { return state_; }

  /// Keeps every variable within `radius` of `center`, besides its own bounds.
  void setRegion(VecX center, VecX radius);
  /// The radius, for every variable, that lets planned coordinate j move by `by_joint[j]`, the
  /// duration by a share of the current one, and every wrench by `weights` times the robot's
  /// weight.
  VecX regionRadius(const VecX& by_joint, double duration_share, double weights) const;

  /// Gives limits rows only where the curve is or was near them (`LimitRows::choose`).
  double chooseLimitRows(const BSpline& curve, double share) {
    return limit_rows_.choose(curve.control(), curve.duration(), share);
  }
  void setRows(std::vector<ClearanceRow> rows) { clearances_.set(std::move(rows)); }
  const SoftClearance& soft() const { return clearances_.soft(); }
  const std::vector<ClearanceRow>& rows() const { return clearances_.rows(); }

  VecX pointOf(const BSpline& curve, const std::optional<BSpline>& wrenches = {}) const {
    return variables_.pointOf(curve, wrenches);
  }
  BSpline curveAt(const VecX& x) const { return variables_.curveAt(x); }
  std::optional<BSpline> wrenchesAt(const VecX& x) const { return variables_.wrenchesAt(x); }
  const VecX& point() const { return x_; }  ///< of the last `setPoint`
  const BSpline& currentCurve() const { return curve_; }
  /// The least of distance - margin - target over the rows at `point()`, and which row.
  double worstRow(int* row) { return clearances_.least(curve_, row); }
  const std::vector<Clearance>& rowClearances() { return clearances_.clearances(curve_); }

  Bounds bounds() const override;
  std::vector<Entry> jacobianEntries() const override;
  std::vector<Entry> hessianEntries() const override;
  void setPoint(const VecX& x) override;
  double cost() override { return costOf(curve_); }
  double costOf(const BSpline& curve);
  void costGradient(Eigen::Ref<VecX> gradient) override;
  void constraints(Eigen::Ref<VecX> g) override;
  void jacobian(Eigen::Ref<VecX> values) override;
  void hessian(double factor, const VecX& multipliers, Eigen::Ref<VecX> values) override;

 private:
  /// The derivative of the control points by the duration.
  MatX controlRates() const { return variables_.fixedPart(curve_.duration(), 1); }
  int stateJacobian(const MatX& dC, int at, Eigen::Ref<VecX> values);

  const Problem& problem_;
  CurveVariables variables_;
  PlannedLimits limits_;
  CurveCost cost_;
  std::optional<TorqueEnergy> torque_;  ///< where the objective weighs torques
  double torque_weight_ = 0.0;          ///< over the energy of the guess
  LimitRows limit_rows_;
  StateRows state_;
  ClearanceRows clearances_;
  VecX region_center_, region_radius_;  ///< empty: no region

  VecX x_;
  BSpline curve_;                    ///< at x_; the guess before the first `setPoint`
  std::optional<BSpline> wrenches_;  ///< likewise
};

}  // namespace allclear
