#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "allclear/trajectories/hermite.h"

namespace allclear {

/// Rows of a trajectory as the YAML of a ROS 2 `trajectory_msgs/msg/JointTrajectory`, as
/// `ros2 topic pub` takes it: positions, velocities, accelerations and `time_from_start` per row,
/// 17 significant digits. A time is rounded to the message's nanosecond. `frame_id` is the root
/// link. Another kind of trajectory is sampled first (`sampledAtRate`). Throws `InputError` when
/// two rows fall into the same nanosecond.
std::string formatRos2Trajectory(const QuinticHermite& rows,
                                 const std::vector<std::string>& joint_names,
                                 const std::string& frame_id);

/// The same, into a file, atomically. Throws `InputError` when it cannot be written.
void writeRos2Trajectory(const std::filesystem::path& path, const QuinticHermite& rows,
                         const std::vector<std::string>& joint_names, const std::string& frame_id);

}  // namespace allclear
