#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// Velocity limits of the problem's own (`LimitSettings::velocity`) that are not positive, or above
/// what the robot's model allows. Pre: as many as the robot has coordinates, or none.
std::vector<Finding> velocityFindings(const Problem& problem);

}  // namespace allclear
