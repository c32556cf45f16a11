#include "allclear/planner/problem/after_end.h"

#include <algorithm>

namespace allclear {

double lastMotion(const Problem& problem) {
  double last = 0.0;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.moves()) last = std::max(last, obstacle.motion.back().time);
  }
  return last;
}

/// A trajectory that ends at speed does not rest afterwards, whatever the task says.
bool restsAfterEnd(const Problem& problem) {
  const VecX& velocity = problem.goal_velocity;
  return problem.after == AfterEnd::kRest && (velocity.size() == 0 || velocity.isZero(0.0));
}

double coveredUntil(const Problem& problem, double duration) {
  return restsAfterEnd(problem) ? std::max(duration, lastMotion(problem)) : duration;
}

}  // namespace allclear
