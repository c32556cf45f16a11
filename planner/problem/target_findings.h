#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// Goal and waypoints of a problem whose robot and planned coordinates are right: wrong sizes and
/// indices. Where there are none, `targetFindings` may be asked.
std::vector<Finding> targetShapeFindings(const Problem& problem);

/// Goal and waypoints that are beyond limits, not finite, or that ask for nothing. An alternative
/// of the goal may be beyond limits: the planner leaves it out.
std::vector<Finding> targetFindings(const Problem& problem);

/// A coordinate that is not finite, or beyond its limits, of `what` ("start").
std::optional<Finding> positionFinding(const Problem& problem, const std::string& what,
                                       int coordinate, double value);

}  // namespace allclear
