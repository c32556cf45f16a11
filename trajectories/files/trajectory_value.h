#pragma once

#include <string>
#include <vector>

#include "allclear/core/text/json.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

/// The trajectory of a JSON object (trajectory_files.h) that may stand inside another file, such as
/// a certificate. Throws `InputError` with its place in that file.
NamedTrajectory readTrajectory(const Value& value,
                               const std::vector<std::string>& expected_joints = {});

/// The same object as `formatTrajectoryJson`, compact, to stand inside another file.
std::string formatTrajectoryOnOneLine(const NamedTrajectory& trajectory);

}  // namespace allclear
