#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/core/text/value.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

/// Reads a ROS `trajectory_msgs/JointTrajectory` in YAML (`ros2 topic echo`,
/// `formatRos2Trajectory`) as the curve that a joint trajectory controller runs: linear, cubic or
/// quintic between its points by the fields that all of them have, or as `interpolation` says.
/// Stamps are those of ROS 2 (sec, nanosec) or of ROS 1 (secs, nsecs).
///
/// The first point must be at time 0: how a controller comes to a later one is not in the message.
/// Fields of some points only, and effort, are errors. `expected_joints` as in trajectory_files.h.
/// Throws `InputError` with file, line and key.
NamedTrajectory parseJointTrajectory(std::string_view text, const std::string& file,
                                     const std::vector<std::string>& expected_joints = {},
                                     std::optional<Interpolation> interpolation = std::nullopt);

/// A motion of joints as a file gives it, or a path alone.
struct JointMotion {
  /// Without times: straight lines, one row per second.
  NamedTrajectory motion;
  InputPlace names;  ///< where the joints are named, for errors
  bool is_timed = true;
};

/// The message as `parseJointTrajectory` reads it; a path when no point has a time above 0.
JointMotion readJointTrajectory(const Value& message, std::optional<Interpolation> interpolation);

/// Rows of a path, each a list of numbers, straight between them. `list` is where they stand.
Trajectory readPathRows(const std::vector<Value>& rows, int joint_count, const Value& list);

InputPlace placeOfNames(const Value& list);

}  // namespace allclear
