#pragma once

#include <string>

#include "allclear/planner/clearance/evaluator.h"

namespace allclear {

/// From when on the robot may rest at a goal, as far as obstacles that move can tell.
struct RestAtGoal {
  double from = 0.0;  ///< [s]; 0 when no obstacle comes by
  std::string fault;  ///< a sentence when it is never, or later than the longest duration
};

/// For a goal of joint values, when the robot rests after the end (`restsAfterEnd`); else {}.
/// Samples the obstacles' motion: a guide for the search, proven by the certificate alone.
RestAtGoal restAtGoal(const Problem& problem, const ClearanceEvaluator& evaluator);

}  // namespace allclear
