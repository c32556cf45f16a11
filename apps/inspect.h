#pragma once

#include <iosfwd>

#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// The robot as tables for people; with `list_pairs` every pair of links by name.
void printRobot(const RobotModel& robot, bool list_pairs, std::ostream& out);

/// The same facts as one JSON object; lengths in m, angles in rad, infinite limits as null.
void printRobotJson(const RobotModel& robot, std::ostream& out);

}  // namespace allclear
