#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "allclear/planner/scene.h"

namespace allclear {

/// The motion of an obstacle from CSV. The header names the columns, in any order: `time` [s],
/// `x`, `y`, `z` [m], and either none of, or all of, `qx`, `qy`, `qz`, `qw` or `roll`, `pitch`,
/// `yaw` [rad]. Times ascend strictly. Empty lines and lines that begin with # are skipped.
/// Throws `InputError` with file and line.
std::vector<PoseKnot> parseMotion(std::string_view text, const std::string& file_name);

}  // namespace allclear
