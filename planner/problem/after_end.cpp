#include "allclear/planner/problem/after_end.h"

#include <algorithm>
#include <cmath>

namespace allclear {

double lastMotion(const Problem& problem) {
  double last = 0.0;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.moves()) last = std::max(last, obstacle.lastChange());
  }
  return last;
}

/// A trajectory that ends at speed does not rest afterwards, whatever the task says. And where an
/// obstacle may be anywhere in the end, nothing can be claimed of a rest.
bool restsAfterEnd(const Problem& problem) {
  const VecX& velocity = problem.goal_velocity;
  return problem.after == AfterEnd::kRest && (velocity.size() == 0 || velocity.isZero(0.0)) &&
         std::isfinite(lastMotion(problem));
}

double coveredUntil(const Problem& problem, double duration) {
  return restsAfterEnd(problem) ? std::max(duration, lastMotion(problem)) : duration;
}

}  // namespace allclear
