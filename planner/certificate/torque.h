#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/support_polygon.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Bounds of a quantity for all t.
struct DynamicsBound {
  Interval bound;
  double t = 0.0;  ///< where it comes nearest to its limit
};

/// Rigorous bounds of the inverse dynamics along the trajectory, gravity included: of the torque or
/// force of each planned coordinate [N m or N]. Tight to about a percent of the limit where they
/// matter.
///
/// On a cell of length h a twice differentiable function stays within its end values +- (h^2 / 8)
/// sup|second derivative|; the latter is found by running the recursion of Newton and Euler on
/// power series in time whose coefficients are intervals, rounded outward.
std::vector<DynamicsBound> torqueBounds(const Problem& problem, const Trajectory& trajectory,
                                        const VecX& limits);

/// In the same way, for each edge of the support polygon, of `SupportPolygon::room` over the
/// robot's weight and the polygon's radius. With the centre of mass as criterion: at rest in every
/// configuration of the trajectory. At least 0: balanced.
std::vector<DynamicsBound> balanceBounds(const Problem& problem, const Trajectory& trajectory,
                                         const SupportPolygon& polygon);

}  // namespace allclear
