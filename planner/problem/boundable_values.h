#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// Numbers of the problem that are not finite, or so large or so close together that bounds made of
/// them could overflow: of the robot's joints, the objects and their motions, the start, the
/// targets, path constraints and settings. Pre: dimensions and indices are right.
std::vector<Finding> unboundableValues(const Problem& problem);

}  // namespace allclear
