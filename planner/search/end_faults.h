#pragma once

#include <string>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

/// "'a' and 'b' are 0.012 m deep in each other" or "... 0.0004 m apart, less than the margin of
/// 0.001 m".
std::string contactText(const CollisionModel& model, const Clearance& clearance);

/// Why no plan can exist, from the start, the goal, the waypoints and the duration alone: one of
/// them is in contact (pair, depth) or violates a path constraint, a joint cannot bear its load at
/// start or goal, cannot stop before its limit (or come to its goal's speed from it), or cannot
/// cover its way in the longest duration allowed. A sentence or two that say what the user has to
/// change; empty when there is no such cause. All of it is certain, except for the rounding of
/// distances.
std::string endFault(const Problem& problem, const ClearanceEvaluator& evaluator);

/// The way [rad or m] in which a coordinate that moves at `velocity` > 0, with `acceleration` at
/// first, comes to rest when it brakes as hard as its limits allow.
double stoppingDistance(double velocity, double acceleration, double acceleration_limit,
                        double jerk_limit);

/// The pair that is deepest below its margin on the straight line from start to `goal`, as a
/// sentence: a hint to what is in the way. Empty when all pairs keep theirs at the samples. Says so
/// when `context` ended the look before its last sample.
std::string straightWayText(const ClearanceEvaluator& evaluator, const VecX& goal,
                            const RunContext& context = {});

}  // namespace allclear
