#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/contacts.h"
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

/// Proven bounds of a robot that stands, when the wrenches of all contacts besides the base are
/// given and the base's follows from them.
struct ContactForceBounds {
  std::vector<DynamicsBound> torques;  ///< of each planned coordinate, as `torqueBounds` has them
  struct OfContact {
    std::vector<DynamicsBound>
        cone;             ///< of each row of its `ContactCone`: carried where at least 0
    DynamicsBound press;  ///< of the force along its normal, over the robot's weight
  };
  std::vector<OfContact> contacts;  ///< as the problem lists them, the base among them
};

/// Pre: `contacts` (of `problem`) has a base; `wrenches` has its rows, and the trajectory's
/// duration to the bit, and is null where there are no rows. The limits of torques say where they
/// have to be tight.
ContactForceBounds contactForceBounds(const Problem& problem, const ContactSet& contacts,
                                      const Trajectory& trajectory, const Trajectory* wrenches,
                                      const VecX& limits);

/// Proven bounds, in the same way, of `SupportPolygon::room` of each edge, divided by the robot's
/// weight and the polygon's radius (so without unit): balanced where it is at least 0. With the
/// centre of mass as criterion the robot is taken to rest in every configuration of the trajectory.
std::vector<DynamicsBound> balanceBounds(const Problem& problem, const Trajectory& trajectory,
                                         const SupportPolygon& polygon);

}  // namespace allclear
