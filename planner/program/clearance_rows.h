#pragma once

#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/clearance/soft_clearance.h"
#include "allclear/planner/program/curve_variables.h"

namespace allclear {

/// One clearance row of the program: the least distance of a pair of bodies over one span.
struct ClearanceRow {
  int pair = -1;
  int span = -1;
  /// [m] of the softened distance, which replaces the Euclidean one; 0: Euclidean.
  double softness = 0.0;
  double raise = 0.0;  ///< [m] added to the softened distance
  bool operator==(const ClearanceRow&) const = default;
};

struct ClearanceRowSettings {
  double clearance_target = 0.0;  ///< [m] kept beyond each pair's margin
  double ceiling = 0.05;          ///< [m] beyond the margin: larger distances count as this one
  double tolerance = 1e-4;        ///< [m] of a distance
};

/// The clearance rows of a program: distance - margin - target >= 0 for each of `rows`.
///
/// The value of a row is the least distance over a span's time, delta(t*). Its gradient is that of
/// delta at t* with t* held (the envelope theorem: the derivative by t* vanishes where the minimum
/// is inside of the span). Value and gradient are both of the Euclidean distance or both of the
/// softened one, never mixed.
class ClearanceRows {
 public:
  /// `threads` share the evaluation, span by span; the result does not depend on them.
  ClearanceRows(const ClearanceEvaluator& evaluator, const ClearanceRowSettings& settings,
                int threads);

  /// Replaces the rows; sorts them by span, then pair.
  void set(std::vector<ClearanceRow> rows);
  const std::vector<ClearanceRow>& rows() const { return rows_; }
  int count() const { return static_cast<int>(rows_.size()); }
  const SoftClearance& soft() const { return soft_; }

  /// The curve is about to change: the next query evaluates again.
  void forgetCurve() { known_ = false; }
  /// Distances of all rows. Pre: `curve` is the same since the last `forgetCurve`.
  const std::vector<Clearance>& clearances(const BSpline& curve);

  void values(const BSpline& curve, Eigen::Ref<VecX> out);
  void addEntries(const CurveVariables& variables, int first_row,
                  std::vector<Entry>* entries) const;
  /// Writes the entries from out[at] on, in the order of `addEntries`; returns the next place. `dC`
  /// is the derivative of the control points by the duration.
  int jacobian(const CurveVariables& variables, const BSpline& curve, const MatX& dC, int at,
               Eigen::Ref<VecX> out);

  /// The least value among the rows, and which row; infinite, and `row` unchanged, when there are
  /// none. Pre: as for `clearances`.
  double least(const BSpline& curve, int* row);

 private:
  double excess(std::size_t row) const;
  void evaluate(const BSpline& curve);
  void evaluateRow(int r, const BSpline& curve, ClearanceEvaluator::Workspace& workspace);
  void measureEuclidean(int r, const BSpline& curve, ClearanceEvaluator::Workspace& workspace);
  void measureSoftened(int r, const BSpline& curve, ClearanceEvaluator::Workspace& workspace);
  void holdTime(int r, const BSpline& curve);

  const ClearanceEvaluator& evaluator_;
  SoftClearance soft_;
  ClearanceRowSettings settings_;
  std::vector<ClearanceEvaluator::Workspace> workspaces_;  ///< one per thread
  std::vector<ClearanceRow> rows_;

  bool known_ = false;  ///< what follows is of the current rows and curve
  std::vector<Clearance> clearances_;
  MatX gradients_;  ///< planned coordinates x rows
  VecX rates_;      ///< by the time t*, of obstacles that move
};

}  // namespace allclear
