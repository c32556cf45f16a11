#pragma once

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/planner/search/refinement.h"

namespace allclear {

struct PolishOptions {
  int iterations = 60;    ///< of the solver
  std::vector<VecX> via;  ///< configurations of the waypoints, as in the plan
};

/// Optimises a certified plan anew, on more spans than it was found with: a B-spline that follows
/// it, refined for haste with little weight on jerk. `evaluator` is of the problem with the
/// objective to use. The result may be worse than the plan, or not clear: only the plan's cost and
/// a certificate decide.
Refinement polished(const ClearanceEvaluator& evaluator, const Trajectory& plan,
                    const RunContext& context, const PolishOptions& options);

/// The same of a curve that keeps contacts, with the forces there, before its fit on halved spans
/// (`ContactFit::refitted`): it is warm from `solved` as it is, on more spans where it has few.
Refinement polishedOnContacts(const ClearanceEvaluator& evaluator, const Refinement& solved,
                              const RunContext& context);

/// The objective to polish with: little jerk, as the pace is chosen afterwards, along the path that
/// was found.
ObjectiveWeights polishingWeights(const ObjectiveWeights& weights);

}  // namespace allclear
