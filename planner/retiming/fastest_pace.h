#pragma once

#include "allclear/planner/retiming/pace_rows.h"

namespace allclear {

struct PaceOptions {
  /// Seconds of duration that a second of all joints at their jerk limits is worth: 0 for the least
  /// time, more for a smoother pace.
  double smoothness = 0.0;
  /// The same for accelerations.
  double gentleness = 0.0;
  bool keep_start = false;  ///< the pace at the ends stays 1: velocities there are given
  bool keep_end = false;
};

/// What the search for the pace took and found.
struct FastestPace {
  VecX coefficients;  ///< of the squared pace; empty when the start is beyond a limit
  int steps = 0;      ///< of Newton's method
};

/// Coefficients of the squared pace, from `start` (inside of all rows) to the least time, to about
/// half a percent; a local optimum, since jerk limits are not convex. Every step stays inside of
/// the rows. O(steps (rows + coefficients)), with a few dozen steps.
FastestPace fastestPace(const PaceRows& rows, VecX start, const PaceOptions& options = {});

}  // namespace allclear
