#pragma once

#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// A path as its user gives it, over the planned coordinates, ready to be followed.
struct GivenPath {
  Trajectory path;  ///< as given, but for whole turns of coordinates that wrap
  MatX points;      ///< a polyline near it that joins start and goal; of a smooth curve, empty
  /// Per point, the place in the path: its row and the share of the way to the next one.
  std::vector<double> places;
  /// Of the tolerance, what the polyline leaves to the roundings of its corners.
  double room_share = 1.0;

  bool isSmooth() const { return points.cols() == 0; }
};

/// Reads a path for a tolerance [rad or m]: whole turns are added to coordinates that wrap, so that
/// it goes on without a jump and begins where the problem starts. A curve that can be followed as
/// it is (twice continuously differentiable, at rest at its ends) is smooth; any other becomes a
/// polyline within a part of the tolerance. Throws `InputError` as `retime` does.
GivenPath givenPath(const Problem& problem, const Trajectory& path, double tolerance);

/// A polyline as a curve, one row per second.
Trajectory polyline(const MatX& points);

}  // namespace allclear
