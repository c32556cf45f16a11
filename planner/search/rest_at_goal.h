#pragma once

#include <string>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

/// From when on the robot may rest at a goal, as far as obstacles that move can tell.
struct RestAtGoal {
  double from = 0.0;  ///< [s]; 0 when no obstacle comes by
  std::string fault;  ///< a sentence when it is never, or later than the longest duration
};

/// The same at one configuration.
RestAtGoal restAt(const ClearanceEvaluator& evaluator, const VecX& goal);

/// When the robot rests after the end (`restsAfterEnd`); else {}. Of a pose, for all of its
/// configurations that may rest at all. Samples the obstacles' motion: a guide for the search, as
/// only the certificate proves. {} for a goal with alternatives, each of which may have its own
/// time.
RestAtGoal restAtGoal(const ClearanceEvaluator& evaluator, const RunContext& context);

}  // namespace allclear
