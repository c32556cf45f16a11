#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/program/nlp.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// The variables of a trajectory program, and the control points that they stand for: the free
/// control points one after the other (all coordinates of one, then of the next), then the
/// duration T, then the goal configuration where the goal is a pose, then the control points of the
/// curve of contact wrenches where there is one. That has the same basis and duration; its ends are
/// free, and its variables are in units of `wrench_unit`.
///
/// Position, velocity and acceleration at an end fix its three outermost control points. Velocities
/// are by time, control points are not, so these depend on T: C = b0 + b1 T + b2 T^2.
class CurveVariables {
 public:
  static constexpr int kEnds = 3;  ///< control points fixed at each end

  /// `guess` fixes the basis and, for a joint goal, the whole turns of wrapping coordinates there.
  CurveVariables(const Problem& problem, const BSpline& guess, int wrench_rows = 0,
                 double wrench_unit = 1.0);

  const std::shared_ptr<const BSplineBasis>& sharedBasis() const { return basis_; }
  const BSplineBasis& basis() const { return *basis_; }
  int joints() const { return joints_; }      ///< planned coordinates
  int controls() const { return controls_; }  ///< control points, the fixed ones too

  int wrenchRows() const { return wrench_rows_; }
  double wrenchUnit() const { return wrench_unit_; }

  int count() const { return firstWrench() + controls_ * wrench_rows_; }
  int duration() const { return free_count_ * joints_; }
  /// The variable behind a coordinate of a control point; -1 where it is fixed.
  int of(int control, int joint) const;
  /// The variable behind a row of a control point of the wrenches.
  int ofWrench(int control, int row) const { return firstWrench() + control * wrench_rows_ + row; }

  /// The part of the control points that depends on the duration alone, or its first or second
  /// derivative by the duration: zero in columns of free control points.
  MatX fixedPart(double T, int derivative) const;

  /// `wrenches` is not looked at where there are none; else it has the basis of the curve.
  VecX pointOf(const BSpline& curve, const std::optional<BSpline>& wrenches = {}) const;
  BSpline curveAt(const VecX& x) const;
  std::optional<BSpline> wrenchesAt(const VecX& x) const;

  /// One value per variable: `by_joint` for every control point, `duration` for the duration,
  /// `wrench` (in units of `wrenchUnit`) for all wrenches.
  VecX spread(const VecX& by_joint, double duration, double wrench = 0.0) const;

  /// Appends the entries of a row that depends on all coordinates of the control points
  /// [first, last) and on the duration. The three last control points of a pose goal are one
  /// variable: their entries repeat, and the solver adds them up.
  void addEntries(int row, int first, int last, std::vector<Entry>* entries) const;
  /// The same for the wrenches' control points, without the duration.
  void addWrenchEntries(int row, int first, int last, std::vector<Entry>* entries) const;

 private:
  int firstWrench() const { return duration() + 1 + (pose_goal_ ? joints_ : 0); }
  void fixEnds(const Problem& problem, const VecX& goal);

  std::shared_ptr<const BSplineBasis> basis_;
  bool pose_goal_;  ///< the goal configuration is a variable
  int joints_;
  int controls_;
  int free_count_;
  int wrench_rows_;
  double wrench_unit_;  ///< [N, and N m]
  MatX fixed_[3];       ///< b0, b1, b2
};

}  // namespace allclear
