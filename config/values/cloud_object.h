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

/// Leaves out of each cloud that asks for it what is nearer to the robot at the start, or to what
/// it carries, than it says, with a warning and a note that count it. To be called when the whole
/// scene is read.
void filterRobot(SceneContext& context);

}  // namespace allclear
