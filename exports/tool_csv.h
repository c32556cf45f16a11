#pragma once

#include <string>

#include "allclear/core/pose.h"
#include "allclear/exports/output_settings.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// The motion of a tool's frame P, fixed to a link, as CSV at a rate: a header
/// `time,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz`, then a line per instant. Position of P's origin [m],
/// its orientation as a unit quaternion that does not change sign from line to line, the velocity
/// of the origin [m/s] and the angular velocity [rad/s], all in the world's axes. Instants are
/// k / rate [Hz] and the end. Each number is the shortest text that reads back to the bit. Throws
/// `InputError` for an unknown link, and for a rate of millions of rows.
std::string formatToolCsv(const Problem& problem, const Trajectory& trajectory,
                          const ToolCsvSettings& tool);

}  // namespace allclear
