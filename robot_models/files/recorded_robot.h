#pragma once

#include <filesystem>
#include <vector>

#include "allclear/robot_models/load_robot.h"

namespace allclear {

/// `loadRobot`, which also adds the path of every file that it reads (or fails to) to `files_read`:
/// URDF, SRDF and meshes; not what the program `xacro` reads by itself.
RobotModel loadRobot(const RobotSource& source, std::vector<std::filesystem::path>* files_read);

}  // namespace allclear
