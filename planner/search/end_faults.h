#pragma once

#include <string>

#include "allclear/planner/clearance/evaluator.h"

namespace allclear {

/// "'a' and 'b' are 0.012 m deep in each other" or "... 0.0004 m apart, less than the margin of
/// 0.001 m".
std::string contactText(const CollisionModel& model, const Clearance& clearance);

/// Why no plan can exist, from the start, the goal, the waypoints and the duration alone: one of
/// them is in contact (pair, depth) or violates a path constraint, or a joint cannot cover its way
/// in the longest duration allowed. A sentence or two that say what the user has to change; empty
/// when there is no such cause. All of it is certain, except for the rounding of distances.
std::string endFault(const Problem& problem, const ClearanceEvaluator& evaluator);

/// The pair that is deepest below its margin on the straight line from start to `goal`, as a
/// sentence: a hint to what is in the way. Empty when all pairs keep theirs at the samples.
std::string straightWayText(const ClearanceEvaluator& evaluator, const VecX& goal);

}  // namespace allclear
