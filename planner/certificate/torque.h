#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Bounds of a quantity for all t of a trajectory.
struct DynamicsBound {
  Interval bound;
  double t = 0.0;  ///< the instant evaluated at which it comes nearest to its limit [s]
};

/// Proven bounds of the torque or force [N m or N] of each planned coordinate along the trajectory,
/// by inverse dynamics, gravity included. Tight to half a percent of the limit where a torque comes
/// near its limit; coarser elsewhere. The derivation is in torque.cpp.
std::vector<DynamicsBound> torqueBounds(const Problem& problem, const Trajectory& trajectory,
                                        const VecX& limits);

/// Proven bounds, in the same way, of `SupportPolygon::room` of each edge, divided by the robot's
/// weight and the polygon's radius (so without unit): balanced where it is at least 0. With the
/// centre of mass as criterion the robot is taken to rest in every configuration of the trajectory.
std::vector<DynamicsBound> balanceBounds(const Problem& problem, const Trajectory& trajectory,
                                         const SupportPolygon& polygon);

}  // namespace allclear
