#include "allclear/planner/seeds/configuration_space.h"

#include <cmath>
#include <numbers>

#include "allclear/core/assert.h"

namespace allclear {
ConfigurationSpace::ConfigurationSpace(const Problem& problem, const VecX& goal, VecX reach)
    : reach_(std::move(reach)) {
  const VecX start = problem.plannedPart(problem.start);
  ALLCLEAR_ASSERT(goal.size() == start.size() && reach_.size() == start.size());
  // Limits where there are any, for sampling.
  lower_ = upper_ = start;
  for (int k = 0; k < dimension(); ++k) {
    const Coordinate& c = problem.robot->coordinates()[problem.planned[k]];
    wrapping_.push_back(c.wraps);
    wraps_ = wraps_ || c.wraps;
    // A range to sample where the coordinate has no limits: one full turn about the start, or one
    // unit beyond start and goal.
    const double half = c.wraps ? std::numbers::pi : 0.0;
    const double near = c.wraps ? start[k] : std::min(start[k], goal[k]) - 1.0;
    const double far = c.wraps ? start[k] : std::max(start[k], goal[k]) + 1.0;
    lower_[k] = std::isfinite(c.lower) ? c.lower : near - half;
    upper_[k] = std::isfinite(c.upper) ? c.upper : far + half;
  }
}

VecX ConfigurationSpace::sample(RandomStream& random) const {
  VecX q(dimension());
  for (int k = 0; k < dimension(); ++k) {
    q[k] = lower_[k] + (upper_[k] - lower_[k]) * random.uniform();
  }
  return q;
}

VecX ConfigurationSpace::difference(const VecX& from, const VecX& to) const {
  // The remainder of IEEE rounds to the nearest turn: within [-pi, pi].
  VecX step = to - from;
  if (!wraps_) return step;
  for (int k = 0; k < dimension(); ++k) {
    if (wrapping_[k]) step[k] = std::remainder(step[k], 2.0 * std::numbers::pi);
  }
  return step;
}

double pathLength(const ConfigurationSpace& space, const std::vector<VecX>& path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += space.length(path[i] - path[i - 1]);
  return length;
}

}  // namespace allclear
