#pragma once

#include <optional>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/retiming/pace_rows.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

struct RetimingOptions {
  double smoothness = 0.0;    ///< `PaceOptions::smoothness`
  double gentleness = 0.0;    ///< `PaceOptions::gentleness`
  double torque_share = 1.0;  ///< of the effort limits to use
  /// [s] of new time between rows, about; fewer rows where the duration is long.
  double row_step = 0.05;
  int most_rows = 128;
};

/// A curve along the same path, at another pace.
struct Retiming {
  HermiteCurve curve;
  /// [s] The least time along the path as the search for the pace sees it, at its samples: `curve`
  /// takes longer by what its limits need between samples.
  double pass = 0.0;
  /// [s] The time of the given curve at each row.
  std::vector<double> old_times;
};

/// Whether what was proven of a path holds at any pace: without moving obstacles, waypoints with a
/// time, and balance in motion.
bool mayRetime(const Problem& problem);

/// The curve's path at nearly the least time within the limits of velocity, acceleration, jerk and
/// (where `limits.torque`) torque. Rows at whole nanoseconds whose polynomials keep the limits of
/// velocity, acceleration and jerk at every instant; torques, and what people bear of unplanned
/// contacts, are kept at samples. The rows lie on
/// the path, the polynomials between them near it: only a certificate says how near. At rest at
/// both ends, it takes at least the problem's shortest duration; it may exceed the longest. Nothing
/// when no pace within the limits is found, or when the curve stands still. Pre: `mayRetime`.
/// `impacts`: of the problem, for who retimes several curves; made anew where it is empty.
std::optional<Retiming> retimed(const Problem& problem, const Trajectory& curve,
                                const RetimingOptions& options = {},
                                const ImpactFunction& impacts = {});

/// The largest share of a limit of velocity, acceleration or jerk that the curve uses at any
/// instant, as the factor by which its time has to be stretched. Proven but for rounding.
double neededStretch(const PlannedLimits& limits, const Trajectory& curve);

}  // namespace allclear
