#pragma once

#include <vector>

#include "allclear/planner/program/curve_cost.h"
#include "allclear/planner/program/curve_variables.h"

namespace allclear {

/// Rows of the program that keep velocity, acceleration and jerk within their limits for all t: a
/// spline stays within the hull of its control points, so one row per control point of each
/// derivative is enough. A row is the control point over its limit, within [-1, 1].
class LimitRows {
 public:
  LimitRows(const CurveVariables& variables, const PlannedLimits& limits);

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
  std::vector<Row> rows_;
};

}  // namespace allclear
