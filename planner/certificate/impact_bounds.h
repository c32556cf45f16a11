#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/impact_points.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

struct ImpactBoundOptions {
  /// Where the cheap bound T K / (T + K) does not decide, take the tight one too.
  bool tight = true;
  /// Halve until every bound that counts is close to the force itself, even inside of the limit.
  bool everywhere = false;
  int most_halvings = 12;
  /// Factor of the second derivative's share in every bound: 1. Anything else proves nothing; tests
  /// set it to 0 to see that they notice.
  double remainder = 1.0;
};

/// The force of an unplanned contact of one body with one region, along a whole trajectory.
struct ImpactBound {
  int limit = -1;        ///< of `LimitSettings::contact`
  int body = -1;         ///< of `ImpactModel::bodies`
  double upper = 0.0;    ///< [N] proven: any point, any direction, any time
  double reached = 0.0;  ///< [N] the greatest value seen, of the bound that decided
  double t = 0.0;        ///< [s] where that was
};

/// What was proven of one cell of time.
struct ImpactCell {
  Interval time;
  std::vector<double> force;  ///< by limit: of any body that it limits [N]
};

struct ImpactBounds {
  std::vector<ImpactBound> bounds;  ///< by limit, then by body that it limits
  std::vector<ImpactCell> cells;    ///< from 0 to the duration
  int tight_cells = 0;              ///< of these, those that took the tight bound for some body
};

/// Proven bounds for all limits and bodies. For the body that comes nearest to a limit within half
/// a percent of the force, or of the cheap form's where that keeps the limit; coarser for others. A
/// robot that stands on several contacts is bounded by the cheap form alone, which holds whichever
/// of them give way (impact_bounds.cpp).
ImpactBounds impactBounds(const Problem& problem, const ImpactModel& model,
                          const Trajectory& trajectory, const ImpactBoundOptions& options = {});

}  // namespace allclear
