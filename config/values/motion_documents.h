#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/config/values/joint_trajectory.h"

namespace allclear {

/// Reads a motion or a path of joints from YAML or JSON as ROS and MoveIt have them:
/// - `trajectory_msgs/JointTrajectory`;
/// - `moveit_msgs/RobotTrajectory` (`joint_trajectory:` within), and messages that hold one
///   (`DisplayTrajectory`, the goal of `FollowJointTrajectory`);
/// - a list of lists of numbers, one per row, for the joints `planned`; or such a list as
///   `positions`, `path` or `waypoints` beside `joint_names`;
/// - several such documents, as `ros2 topic echo` prints them: the last counts, with a warning.
/// Floating and planar joints (`multi_dof_joint_trajectory`) are refused. Throws `InputError`.
JointMotion parseMotionDocument(std::string_view text, const std::string& file,
                                const std::vector<std::string>& planned,
                                std::optional<Interpolation> interpolation);

/// Reads a path as text: a row of numbers per line, separated by spaces or commas (OMPL's
/// `printAsMatrix`), for the joints `planned`. Blank lines, and lines that begin with #, are no
/// rows. Throws `InputError`.
JointMotion parseMatrixText(std::string_view text, const std::string& file,
                            const std::vector<std::string>& planned);

/// Whether the first line that is neither blank nor a comment is numbers alone.
bool looksLikeMatrix(std::string_view text);

}  // namespace allclear
