#pragma once

#include <string>

#include "allclear/distance/body_curve.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Throws `InputError` when a number that the proof rests on is not finite or so large that bounds
/// could overflow: of the robot's joints, the scene and its motions, the start, the demands, the
/// settings, and the trajectory (which has to keep `TrajectoryLimits`, as one from a file does).
void requireBoundable(const Problem& problem, const Trajectory& trajectory);

/// Throws `InputError`, with the joint's name, when a joint (one that follows another among them)
/// travels farther than 100 rad or m in a piece of the motion; rows of `control` by coordinate.
void requireShortTravel(const RobotModel& robot, Interval time, const MatX& control);

/// Throws `InputError` unless all numbers of the curve of body `name` are finite.
void requireFinite(const BodyCurve& curve, const std::string& name);

}  // namespace allclear
