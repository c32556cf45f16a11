#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/config/scene_file.h"
#include "allclear/config/values/frames.h"
#include "allclear/config/values/input_files.h"
#include "allclear/config/values/robot_names.h"
#include "allclear/core/text/value.h"

namespace allclear {

/// The robot, the frames and files known so far, and the scene that is being read.
struct SceneContext {
  const RobotModel& robot;
  Frames& frames;
  InputFiles& files;
  Scene& scene;  ///< objects that are read are added to it
  /// Clouds of which the robot's own points are left out, and how near these are [m]
  /// (`filterRobot`).
  std::map<std::string, double> robot_filters = {};
};

/// The robot's state in a scene document; empty when it has none.
JointValues readSceneState(const Value& document, const RobotModel& robot,
                           std::vector<std::string>& warnings,
                           std::vector<std::string>& assumptions);

/// A scene's file of any kind: a document, or an SDF world, whose frame is at `X_WS`.
void readSceneFile(const std::filesystem::path& path, const std::string& name, const Pose& X_WS,
                   SceneContext& context);

/// A whole scene document, in any of the forms that `scene_file.h` lists.
void readScene(const Value& document, SceneContext& context);

/// A list of objects, each in Allclear's own form or as a moveit_msgs/CollisionObject.
void readCollisionObjects(const Value& list, SceneContext& context);

/// A list of carried objects in Allclear's own form: `{id, link, <shape>, pose, touch_links}`.
void readAttached(const Value& list, SceneContext& context);

/// `mass`, `com` and `inertia` of a body, given in its frame O, as seen from that of its link; none
/// without a mass. Without an `inertia` the mass is a point.
std::optional<Inertia> readInertia(const Value& body, const Pose& X_LO);

/// A list of moveit_msgs/AttachedCollisionObject.
void readAttachedMessages(const Value& list, SceneContext& context);

}  // namespace allclear
