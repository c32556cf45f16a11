#pragma once

#include <functional>
#include <string>

#include "allclear/core/pose.h"
#include "allclear/core/text/value.h"

namespace allclear {

/// A quaternion's norm may be this far from one; it is then scaled to one. Beyond it the numbers
/// are taken for a mistake.
inline constexpr double kQuaternionTolerance = 1e-3;

/// The rotation of the quaternion, or nothing when its norm is not one within
/// `kQuaternionTolerance`.
std::optional<Mat3> rotationFromQuaternion(double x, double y, double z, double w);

/// `[x, y, z]` or `{x: , y: , z: }`.
Vec3 readPoint(const Value& value);

/// `[x, y, z, w]` or `{x: , y: , z: , w: }`.
Mat3 readOrientation(const Value& value);

/// `{position: , orientation: }` or `{position: , rpy: }`; what is left out is zero.
Pose readPose(const Value& value);

/// `[roll, pitch, yaw]` [rad]; an error where one is more than a turn.
Vec3 readRpy(const Value& value);

/// The same as a ROS message may hold it: a quaternion of four zeros, the message's value when
/// nobody sets it, is the identity, as MoveIt reads it.
Pose readMessagePose(const Value& value);

/// `{translation: , rotation: }`, a geometry_msgs/Transform.
Pose readMessageTransform(const Value& value);

/// A direction that is scaled to length one: `x`, `y`, `z`, `-x`, `-y`, `-z` or `[x, y, z]`.
Vec3 readDirection(const Value& value);

}  // namespace allclear
