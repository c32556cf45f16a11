#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// The goal's alternatives; null where it has none.
const AnyTarget* alternativesOf(const Problem& problem);

/// The same target, as a goal or waypoint has it.
Target toTarget(const SingleTarget& target);

/// The same problem with one of its alternatives (from 0) as its only goal.
Problem withAlternative(const Problem& problem, int alternative);

/// "'top' (2 of 5)", or "alternative 2 of 5" where it has no name.
std::string alternativeName(const AnyTarget& any, int alternative);

/// All poses that the target places, those of all alternatives included.
std::vector<PoseTarget> posesOf(const Target& target);
/// And all directions.
std::vector<LookAtTarget> looksOf(const Target& target);

}  // namespace allclear
