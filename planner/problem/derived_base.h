#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// The coordinates of a floating base that follows from the joints, as a robot that stands has it
/// (`standOn`): "virtual_joint/x", ..., "virtual_joint/yaw". Empty where there is none.
std::vector<std::string> derivedBaseNames(const Problem& problem);

/// These coordinates, one row each, where the planned coordinates are the columns of `positions`.
/// The yaw goes on from column to column without jumps of a whole turn.
MatX derivedBase(const Problem& problem, const MatX& positions);

}  // namespace allclear
