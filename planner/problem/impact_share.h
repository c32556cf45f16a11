#pragma once

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/impact_energy.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// Of the energy that a region bears, left by the planner for the bounds of the certificate: half a
/// percent of the force.
inline constexpr double kImpactRoom = 0.01;

/// How much of what people bear (`LimitSettings::contact`) a motion uses, at instants. Holds
/// scratch: one per thread.
class ImpactShare {
 public:
  explicit ImpactShare(const Problem& problem);

  /// The greatest share of any region's energy limit, at planned coordinates and rates: it grows
  /// with the square of the pace. Shares up to `least` do not matter: where none is greater the
  /// answer is `least`, most often without solving for any contact.
  double at(const VecX& q, const VecX& v, double least = 0.0);
  /// The greatest at `samples` instants of every span, or `least`.
  double along(const Trajectory& curve, int samples, double least = 0.0);

 private:
  const Problem& problem_;
  const ImpactModel model_;
  ImpactEnergy energy_;
};

/// Whether a motion of this problem may be slowed down to keep contact limits: it starts and ends
/// at rest, nothing else has a time, and no forces at its feet depend on its pace. (Moving
/// obstacles have a time, but who asks for `slow_down` takes the chance to meet them later.)
bool maySlowDown(const Problem& problem);

/// Whether the pace alone can keep contact limits, along whatever path: then the program plans the
/// path without them, and the pace (retiming) has them. Measured on 50 problems against rows in the
/// program: shorter plans in a fraction of the time, as the worst points of a body change from
/// iteration to iteration.
bool isKeptByPace(const Problem& problem);

/// The same path in `factor` times the duration, as rows for a controller. Pre: at rest at both
/// ends.
Trajectory slowedDown(const Trajectory& trajectory, double factor);

}  // namespace allclear
