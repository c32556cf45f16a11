#pragma once

#include <memory>

#include "allclear/planner/problem.h"

namespace allclear {

/// The robot with the masses of the objects that it carries added to the links that carry them:
/// what torques and balance are computed with. Without such objects it is the robot itself.
std::shared_ptr<const RobotModel> loadedRobot(const Problem& problem);

}  // namespace allclear
