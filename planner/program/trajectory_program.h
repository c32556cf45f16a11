#pragma once

#include <memory>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/clearance/soft_clearance.h"
#include "allclear/planner/program/nlp.h"
#include "allclear/planner/program/state_rows.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// One clearance row of the program: the least distance of a pair of bodies over one span.
struct ClearanceRow {
  int pair = -1;
  int span = -1;
  /// [m] of the softened distance, which then stands for the Euclidean one; 0: Euclidean.
  double softness = 0.0;
  double raise = 0.0;  ///< [m] added to the softened distance
  bool operator==(const ClearanceRow&) const = default;
};

/// A planning problem over the control points of a B-spline (and its duration, and the goal
/// configuration where the goal is a pose) as a nonlinear program.
///
/// Cost: duration and the integrals of squared derivatives, each scaled to one on the first guess.
/// Rows: velocity, acceleration and jerk at the derivatives' control points (which bound them for
/// all t), the goal's pose, waypoints, the given demands on the state at given instants
/// (state_rows.h), and the given clearances: value delta(t_star), gradient by the envelope theorem,
/// of the Euclidean distance or, where a row says so, of the softened one: never one's value with
/// the other's gradient.
/// The Hessian is exact but for the curvature of pose and clearance rows, which is left out.
class TrajectoryProgram : public NonlinearProgram {
 public:
  struct Settings {
    double clearance_target = 0.0;  ///< [m] kept beyond each pair's margin
    double ceiling = 0.05;    ///< [m] beyond the margin, above which a distance needs no accuracy
    double tolerance = 1e-4;  ///< [m] of a distance
    int threads = 1;          ///< that share the clearances; what they find does not depend on them
  };

  /// `guess` fixes the basis and the scales of the cost.
  /// `waypoint_times`: normalised times at which the waypoints without a time of their own are
  /// passed.
  TrajectoryProgram(const ClearanceEvaluator& evaluator, const BSpline& guess, Settings settings,
                    std::vector<double> waypoint_times = {});

  StateRows& stateRows() { return state_; }

  /// Keeps every variable within `radius` of `center`, besides its own bounds.
  void setRegion(VecX center, VecX radius);
  /// The radius, for every variable, that lets planned coordinate j move by `by_joint[j]` and the
  /// duration by the share `duration`.
  VecX regionRadius(const VecX& by_joint, double duration) const;

  void setRows(std::vector<ClearanceRow> rows);
  const SoftClearance& soft() const { return soft_; }
  const std::vector<ClearanceRow>& rows() const { return rows_; }

  VecX pointOf(const BSpline& curve) const;
  const VecX& point() const { return x_; }  ///< the last one
  BSpline currentCurve() const { return {basis_, C_, T_}; }
  BSpline curveAt(const VecX& x) const;
  /// Of the last point: the least of distance - margin - target over the rows, and which row.
  double worstRow(int* row) const;
  const std::vector<Clearance>& rowClearances();

  Bounds bounds() const override;
  std::vector<Entry> jacobianEntries() const override;
  std::vector<Entry> hessianEntries() const override;
  void setPoint(const VecX& x) override;
  double cost() override;
  double costOf(const BSpline& curve) const;
  void costGradient(Eigen::Ref<VecX> gradient) override;
  void constraints(Eigen::Ref<VecX> g) override;
  void jacobian(Eigen::Ref<VecX> values) override;
  void hessian(double factor, const VecX& multipliers, Eigen::Ref<VecX> values) override;

 private:
  /// Row "derivative `order` of coordinate `joint` at its control point `index`", over its limit.
  struct LimitRow {
    int order;
    int joint;
    int index;
    double limit;
  };
  struct EnergyTerm {
    int order;
    double weight;  ///< over the scale
    MatX Q;
  };

  int variableOf(int control, int joint) const;
  int durationVariable() const { return free_count_ * joints_; }
  int variableCount() const { return free_count_ * joints_ + 1 + (pose_goal_ ? joints_ : 0); }
  void buildLimitRows();
  void buildCost(const BSpline& guess);
  MatX boundaryPart(double T, int derivative) const;
  /// sum over l of coefficient * C(joint, l) for a limit row.
  double along(const LimitRow& row, const MatX& C) const;
  void evaluateClearances();
  void evaluateRow(int r, const BSpline& curve, ClearanceEvaluator::Workspace& workspace);
  void soften(int r, const BSpline& curve, ClearanceEvaluator::Workspace& workspace);
  void addEntries(int row, int first, int last, std::vector<Entry>* entries) const;

  const ClearanceEvaluator& evaluator_;
  const Problem& problem_;
  SoftClearance soft_;
  std::vector<ClearanceEvaluator::Workspace> workspaces_;  ///< one per thread
  std::shared_ptr<const BSplineBasis> basis_;
  Settings settings_;
  PlannedLimits limits_;
  bool pose_goal_ = false;  ///< the goal configuration is a variable
  StateRows state_;
  int joints_;
  int controls_;
  int free_count_;
  std::vector<MatX> difference_;  ///< by order - 1: control points to derivative control points
  MatX boundary_[3];              ///< fixed control points: b0 + b1 T + b2 T^2
  std::vector<LimitRow> limit_rows_;
  std::vector<EnergyTerm> energy_;
  double duration_weight_ = 0.0;
  std::vector<ClearanceRow> rows_;
  VecX region_center_, region_radius_;  ///< empty: no region

  VecX x_;
  MatX C_;
  double T_ = 1.0;
  bool clearances_known_ = false;
  std::vector<Clearance> clearances_;
  MatX clearance_gradients_;  ///< planned coordinates x rows
  VecX clearance_rates_;      ///< by time, of obstacles that move
};

}  // namespace allclear
