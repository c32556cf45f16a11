#pragma once

#include <filesystem>
#include <optional>

#include "allclear/config/values/joint_trajectory.h"
#include "allclear/planner/problem.h"

namespace allclear {

/// Reads a motion or a path of the problem's robot from any file that is known: JSON of its own or
/// of ROS, YAML of ROS and MoveIt, CSV with a column of times or without, rows of numbers. The
/// joints come in the order of the planned coordinates. Those beside them are left out: held ones
/// must be where the problem holds them, and others are warned of. Throws `InputError`, with the
/// names where planned joints are missing.
JointMotion readPlannedMotion(const std::filesystem::path& path, const Problem& problem,
                              std::optional<Interpolation> interpolation);

}  // namespace allclear
