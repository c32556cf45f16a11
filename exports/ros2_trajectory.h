#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "allclear/trajectories/hermite.h"

namespace allclear {

/// Rows of a trajectory as the YAML of a ROS 2 `trajectory_msgs/msg/JointTrajectory`, as
/// `ros2 topic pub` takes it: positions, velocities and accelerations (those that the rows give)
/// and `time_from_start` per row, each number as the shortest text that reads back to the bit. A
/// time is rounded to the message's nanosecond; those of `controllerRows` are whole ones.
/// `frame_id` is the root link. Throws `InputError` when two rows fall into the same nanosecond.
std::string formatRos2Trajectory(const HermiteCurve& rows,
                                 const std::vector<std::string>& joint_names,
                                 const std::string& frame_id);

/// The same, into a file, atomically. Throws `InputError` when it cannot be written.
void writeRos2Trajectory(const std::filesystem::path& path, const HermiteCurve& rows,
                         const std::vector<std::string>& joint_names, const std::string& frame_id);

}  // namespace allclear
