#pragma once

#include <string>
#include <vector>

#include "allclear/config/values/scene.h"

namespace allclear {

/// Types of objects that are clouds: "point_cloud", "octree", "height_map", "depth_image".
const std::vector<std::string>& cloudTypes();

/// Reads an object of one of these types and adds it to the scene.
void readCloudObject(const Value& object, const std::string& type, SceneContext& context);

/// Reads the octomap of a moveit_msgs/PlanningSceneWorld (octomap_msgs/OctomapWithPose), which
/// becomes the obstacle `<octomap>`, as MoveIt calls it. An empty one, as MoveIt writes when there
/// is none, adds nothing.
void readOctomapMessage(const Value& octomap, SceneContext& context);

}  // namespace allclear
