// Distances of the program's pairs and spans, with their gradients by control points and duration.
//
// Symbols: delta(q, t) the distance of a pair with the robot at q and obstacles at time t; t* the
// instant of the span's least distance, s* = t*/T; g the gradient of delta by q at t*; rho its
// derivative by t with the robot held; w_l the basis weights at s*, so that q(t*) = sum_l w_l C_l.
//
// Envelope theorem: at a minimum inside of the span d delta/dt = 0 along the curve, so t* may be
// held while the variables change. Where t* is an end of the span, s* is constant instead. Either
// way
//   d delta/dC_l = w_l g,   d delta/dT = g . sum_l w_l C'_l + s* rho,
// with C' = dC/dT of the fixed control points.
//
// Invariant: while `known_`, values and gradients are of the current rows and curve.
#include "allclear/planner/program/clearance_rows.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/parallel.h"
#include "allclear/core/stop_scope.h"

namespace allclear {

ClearanceRows::ClearanceRows(const ClearanceEvaluator& evaluator,
                             const ClearanceRowSettings& settings, int threads)
    : evaluator_(evaluator), soft_(evaluator), settings_(settings) {
  for (int i = 0; i < std::max(1, threads); ++i) workspaces_.emplace_back(evaluator);
}

void ClearanceRows::set(std::vector<ClearanceRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const ClearanceRow& a, const ClearanceRow& b) {
    return std::pair(a.span, a.pair) < std::pair(b.span, b.pair);
  });
  rows_ = std::move(rows);
  known_ = false;
}

const std::vector<Clearance>& ClearanceRows::clearances(const BSpline& curve) {
  evaluate(curve);
  return clearances_;
}

void ClearanceRows::evaluate(const BSpline& curve) {
  if (known_) return;
  known_ = true;
  clearances_.resize(count());
  gradients_.resize(curve.dimension(), count());
  rates_.setZero(count());
  // Threads share the work span by span, as rows of one span share its curves.
  std::vector<int> first_of_span;
  for (int r = 0; r < count(); ++r) {
    if (r == 0 || rows_[r].span != rows_[r - 1].span) first_of_span.push_back(r);
  }
  parallelFor(static_cast<int>(workspaces_.size()), static_cast<int>(first_of_span.size()),
              [&](int i, int worker) {
                const int first = first_of_span[i];
                evaluator_.buildCurves(curve.span(rows_[first].span),
                                       kCurveShare * settings_.tolerance, workspaces_[worker],
                                       curve.duration());
                for (int r = first; r < count() && rows_[r].span == rows_[first].span; ++r) {
                  evaluateRow(r, curve, workspaces_[worker]);
                }
              });
}

/// Pre: the workspace has the curves of the row's span.
void ClearanceRows::evaluateRow(int r, const BSpline& curve,
                                ClearanceEvaluator::Workspace& workspace) {
  throwIfStopped();
  const ClearanceRow& row = rows_[r];
  const double ceiling = evaluator_.demand(row.pair, workspace) + settings_.ceiling;
  clearances_[r] =
      evaluator_.pairClearance(row.pair, row.span, ceiling, settings_.tolerance, true, workspace);
  if (clearances_[r].upper >= ceiling) {
    gradients_.col(r).setZero();  // constant at the ceiling
    return;
  }
  if (row.softness > 0.0) {
    measureSoftened(r, curve, workspace);
  } else {
    measureEuclidean(r, curve, workspace);
  }
  holdTime(r, curve);
}

void ClearanceRows::measureEuclidean(int r, const BSpline& curve,
                                     ClearanceEvaluator::Workspace& workspace) {
  Clearance& clearance = clearances_[r];
  gradients_.col(r) = evaluator_.gradient(clearance, curve.value(clearance.t_star), workspace,
                                          &clearance.upper, &rates_[r]);
}

/// The minimum of the softened distance is near that of the Euclidean one, where it starts.
void ClearanceRows::measureSoftened(int r, const BSpline& curve,
                                    ClearanceEvaluator::Workspace& workspace) {
  Clearance& clearance = clearances_[r];
  const SoftClearance::Value soft = soft_.minimum(clearance, curve, rows_[r].softness, workspace);
  clearance.upper = soft.distance + rows_[r].raise;
  clearance.t_star = soft.t_star;
  gradients_.col(r) = soft.gradient;
  rates_[r] = soft.rate;
}

/// The program's variables change the duration at a fixed share s* = t*/T of it. Against an
/// obstacle that moves, it is the time t* that stays inside of a span as the duration changes: the
/// distance is stationary there, or the obstacle's motion bends. So s* moves, and with it the robot
/// along its curve: that rate replaces the obstacle's.
void ClearanceRows::holdTime(int r, const BSpline& curve) {
  const Problem& problem = evaluator_.problem();
  const CollisionModel& model = evaluator_.model();
  const int obstacle = model.bodies[model.pairs[rows_[r].pair].b].obstacle;
  const Interval span = curve.spanTime(rows_[r].span);
  const double t = clearances_[r].t_star;
  if (obstacle >= 0 && problem.obstacles[obstacle].moves() && t > span.lower && t < span.upper) {
    rates_[r] = -gradients_.col(r).dot(curve.value(t, 1));
  }
}

double ClearanceRows::excess(std::size_t row) const {
  return clearances_[row].upper - clearances_[row].demand - settings_.clearance_target;
}

double ClearanceRows::least(const BSpline& curve, int* row) {
  evaluate(curve);
  double least = HUGE_VAL;
  for (std::size_t r = 0; r < clearances_.size(); ++r) {
    if (excess(r) >= least) continue;
    least = excess(r);
    *row = static_cast<int>(r);
  }
  return least;
}

void ClearanceRows::values(const BSpline& curve, Eigen::Ref<VecX> out) {
  evaluate(curve);
  for (int r = 0; r < count(); ++r) out[r] = excess(static_cast<std::size_t>(r));
}

void ClearanceRows::addEntries(const CurveVariables& variables, int first_row,
                               std::vector<Entry>* entries) const {
  for (const ClearanceRow& row : rows_) {
    throwIfStopped();
    const int first = variables.basis().firstControl(row.span);
    variables.addEntries(first_row++, first, first + variables.basis().degree() + 1, entries);
  }
}

int ClearanceRows::jacobian(const CurveVariables& variables, const BSpline& curve, const MatX& dC,
                            int at, Eigen::Ref<VecX> out) {
  evaluate(curve);
  const BSplineBasis& basis = variables.basis();
  for (int r = 0; r < count(); ++r) {
    const auto gradient = gradients_.col(r);
    const int first = basis.firstControl(rows_[r].span);
    const double s = clearances_[r].t_star / curve.duration();
    // An entry for every control point of the span, zero where the weight at s vanishes.
    const BasisWeights w = basis.weights(0, s);
    double by_duration = s * rates_[r];
    for (int l = first; l <= first + basis.degree(); ++l) {
      const int k = l - w.first;
      const double weight = k >= 0 && k < w.weights.size() ? w.weights[k] : 0.0;
      by_duration += weight * gradient.dot(dC.col(l));
      for (int j = 0; j < variables.joints(); ++j) {
        if (variables.of(l, j) >= 0) out[at++] = weight * gradient[j];
      }
    }
    out[at++] = by_duration;
  }
  return at;
}

}  // namespace allclear
