#pragma once

#include <string>

#include "allclear/planner/clearance/evaluator.h"

namespace allclear {

/// "'a' and 'b' are 0.012 m deep in each other" or "... 0.0004 m apart, less than the margin of
/// 0.001 m".
std::string contactText(const CollisionModel& model, const Clearance& clearance);

/// Why no plan can exist, seen from the start, the goal, the waypoints and the duration alone: one
/// of them in contact (pair, depth) or beyond a path constraint, or a joint that cannot cover its
/// way in the longest duration allowed. What the user has to mend, as a sentence or two; empty when
/// nothing of that kind was found. Everything said is certain but for the rounding of distances.
std::string endFault(const Problem& problem, const ClearanceEvaluator& evaluator);

/// The pair that is deepest in contact, or nearest to it, on the straight way from start to `goal`,
/// as a sentence: a hint to what is in the way.
std::string straightWayText(const ClearanceEvaluator& evaluator, const VecX& goal);

}  // namespace allclear
