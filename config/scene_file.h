#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "allclear/planner/workcell.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Reads a scene: a moveit_msgs/PlanningScene as YAML (MotionBenchMaker's files too), a map with
/// `collision_objects` and `attached` or `attached_collision_objects`, or a bare list of objects.
///
/// Object frames that are links are taken where the configuration `q_start` puts the link. Meshes
/// are found relative to the file; `package://` through `package_map` first.
/// Throws `InputError` with file and line.
Scene loadScene(const std::filesystem::path& path, const RobotModel& robot, const VecX& q_start,
                const std::map<std::string, std::filesystem::path>& package_map = {});

}  // namespace allclear
