#pragma once

#include <functional>
#include <optional>
#include <string>

#include "allclear/planner/clearance.h"
#include "allclear/planner/planner.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// What became of a first guess.
struct Refinement {
  bool clear =
      false;  ///< every pair keeps its margin and every limit holds, by the planner's own sums
  BSpline curve;
  std::optional<Clearance> worst;  ///< the pair nearest to (or deepest below) its margin
  double violation = 0.0;          ///< [m] by which it is below its margin; 0 when clear
  int rounds = 0;
  int iterations = 0;
  double cost = 0.0;
  double solve_seconds = 0.0;
};

/// The shortest duration for which the curve keeps all derivative limits (and at least the least
/// duration of the problem).
double feasibleDuration(const Problem& problem, const BSpline& curve);

/// Optimises a first guess until it is clear, by exchange: solve with the rows known, look at all
/// pairs over all spans, add what came near, solve again.
Refinement refine(const ClearanceEvaluator& evaluator, const BSpline& guess,
                  const std::function<bool(const PlanProgress&)>& observe);

}  // namespace allclear
