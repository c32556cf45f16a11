#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// The planned coordinates (indices among them) in groups that can move on their own: the left arm,
/// the right arm, the torso under both. Coordinates that move the same ends of the robot form one
/// group. One group for a single chain; never an empty one. In the order of their first coordinate.
std::vector<std::vector<int>> coordinateBlocks(const Problem& problem);

}  // namespace allclear
