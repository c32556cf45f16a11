#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Bounds, for all t, of the torque or force of one coordinate [N m or N].
struct TorqueBound {
  Interval bound;
  double t = 0.0;  ///< where it comes nearest to its limit
};

/// Rigorous bounds of the inverse dynamics along the trajectory, gravity included, one per planned
/// coordinate. Tight to about a percent of the limit where they matter.
///
/// On a cell of length h a twice differentiable function stays within its end values +- (h^2 / 8)
/// sup|second derivative|; the latter is found by running the recursion of Newton and Euler on
/// power series in time whose coefficients are intervals, rounded outward.
std::vector<TorqueBound> torqueBounds(const Problem& problem, const Trajectory& trajectory,
                                      const VecX& limits);

}  // namespace allclear
