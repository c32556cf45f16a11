#pragma once

#include <string>
#include <vector>

#include "allclear/core/text/value.h"
#include "allclear/distance/shape.h"
#include "allclear/planner/problem.h"
#include "allclear/robot_models/robot_model.h"
#include "allclear/trajectories/named_trajectory.h"

namespace allclear {

// Numbers that are right as numbers and hardly meant: millimetres for metres, degrees for radians.
// What could be meant gets a warning; what cannot is an error.

/// A positive angle that leaves something over [rad]: at most half a turn.
double readAngle(const Value& value);

/// Warns where an object of a scene is so large, or so far away, that no robot comes to its end:
/// "dimensions in metres?".
void warnOfUnits(const Value& object, const std::vector<Geometry>& geometry, const Pose& X_WO,
                 std::vector<std::string>& warnings);

/// Warns where a link is so large that its URDF, or its mesh, will be in millimetres.
void warnOfRobotUnits(const RobotModel& robot, std::vector<std::string>& warnings);

/// Warns where a trajectory looks as if its angles were degrees (beyond the limits as they are,
/// within them as degrees), or its times milliseconds.
std::vector<std::string> unitWarnings(const NamedTrajectory& trajectory, const Problem& problem);

}  // namespace allclear
