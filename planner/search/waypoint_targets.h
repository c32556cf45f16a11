#pragma once

#include <optional>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// One configuration for each waypoint, in their order (the attempts take different ones where a
/// waypoint is a pose). Empty, and `missed` the waypoint's number from 1, when one has none.
std::optional<std::vector<VecX>> waypointConfigurations(const ClearanceEvaluator& evaluator,
                                                        const VecX& goal, int attempt,
                                                        const RunContext& context, int* missed);

/// Normalised times at which the curve comes nearest to the waypoints without a time of their own:
/// ascending, one after the other. `via` are configurations of all waypoints.
std::vector<double> passingTimes(const Problem& problem, const BSpline& curve,
                                 const std::vector<VecX>& via);

}  // namespace allclear
