#pragma once

#include <vector>

#include "allclear/planner/program/curve_cost.h"
#include "allclear/planner/program/curve_variables.h"

namespace allclear {

/// Rows of the program that keep velocity, acceleration and jerk within their limits for all t: a
/// spline stays within the hull of its control points, so one row per control point of each
/// derivative is enough. A row is the control point over its limit, within [-1, 1].
///
/// Most control points never come near their limit: `choose` leaves those out.
class LimitRows {
 public:
  /// All rows.
  LimitRows(const CurveVariables& variables, const PlannedLimits& limits);

  /// Keeps the rows of the present choice, and adds those whose value at C and T is at least
  /// `share`^k, for the k-th derivative: they would reach their limit if the curve took `share`
  /// times as long. The first choice starts from none. Returns the greatest value (without sign)
  /// among the rows that were not in the choice.
  double choose(const MatX& C, double T, double share);
  /// Rows of the choice (all before the first one).
  int count() const { return static_cast<int>(rows_.size()); }
  void addEntries(const CurveVariables& variables, std::vector<Entry>* entries) const;

  /// Writes the rows from out[0] on.
  void values(const MatX& C, double T, Eigen::Ref<VecX> out) const;
  /// Writes the entries from out[at] on, in the order of `addEntries`; returns the next place.
  int jacobian(const CurveVariables& variables, const MatX& C, double T, const MatX& dC, int at,
               Eigen::Ref<VecX> out) const;
  void addDurationCurvature(const VecX& multipliers, const MatX& C, double T, const MatX& dC,
                            const MatX& ddC, DurationCurvature* out) const;

 private:
  /// Derivative `order` of coordinate `joint` at its control point `index`, over its limit.
  struct Row {
    int order;
    int joint;
    int index;
    double limit;
  };
  /// Sum over l of difference(l, index) C(joint, l): the control point in normalised time.
  double along(const Row& row, const MatX& C) const;

  std::vector<MatX> difference_;  ///< by order - 1: control points to derivative control points
  std::vector<Row> all_;
  std::vector<bool> is_chosen_;  ///< by row of `all_`; empty before the first choice
  std::vector<Row> rows_;        ///< the choice, in the order of `all_`
};

}  // namespace allclear
