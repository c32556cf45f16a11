#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

/// Reads a ROS 2 `trajectory_msgs/msg/JointTrajectory` in YAML (`ros2 topic echo`,
/// `formatRos2Trajectory`) as the curve that a joint trajectory controller runs: linear, cubic or
/// quintic between its points by the fields that all of them have, or as `interpolation` says.
///
/// The first point must be at time 0: how a controller comes to a later one is not in the message.
/// Fields of some points only, and effort, are errors. `expected_joints` as in trajectory_csv.h.
/// Throws `InputError` with file, line and key.
NamedTrajectory parseJointTrajectory(std::string_view text, const std::string& file,
                                     const std::vector<std::string>& expected_joints = {},
                                     std::optional<Interpolation> interpolation = std::nullopt);

}  // namespace allclear
