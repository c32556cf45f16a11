#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/retiming/rounded_path.h"
#include "allclear/trajectories/hermite.h"

namespace allclear {

/// A motion along stretches of a path, from rest to rest on each.
struct PathMotion {
  /// Rows of positions, velocities and accelerations.
  HermiteCurve curve;
  /// For each row, the stretch and its s; where two stretches meet, the later one's 0.
  struct Place {
    int stretch = 0;
    double s = 0.0;
  };
  std::vector<Place> places;
};

/// Of the limits, what the motion may use: less where a certificate refuses the whole.
struct PathMotionOptions {
  double torque_share = 1.0;
};

/// The motion along the stretches in nearly the least time within the limits of velocity,
/// acceleration, jerk and (where `limits.torque`) torque: at every instant, but torques at samples.
/// On straight lines the curve is on the line; in corners it is near the path, as the rows are
/// near to each other. Pre: at least one stretch.
PathMotion fastestAlong(const Problem& problem, const std::vector<PathStretch>& stretches,
                        const PathMotionOptions& options = {});

}  // namespace allclear
