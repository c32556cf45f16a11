#pragma once

#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// The highest derivative that must not jump along the trajectory, and must be the demanded one at
/// its ends. Rows of positions alone, which a controller joins by straight lines, promise 0
/// (positions); rows with velocities 1; all others, those of the planner among them, 2.
///
/// The derivative above it is bounded within each piece. Those above that cannot be: at the rows
/// they have no value.
int requiredContinuity(const Trajectory& trajectory);

/// The demands that the trajectory's interpolation leaves open, each with the greatest jump that is
/// why: empty for a trajectory whose acceleration must be continuous.
std::vector<std::string> demandsLeftOpen(const Problem& problem, const Trajectory& trajectory);

}  // namespace allclear
