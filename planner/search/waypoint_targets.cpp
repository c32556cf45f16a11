#include "allclear/planner/search/waypoint_targets.h"

#include <cmath>

#include "allclear/planner/seeds/goal_configurations.h"

namespace allclear {
namespace {

/// Instants at which a curve is compared with a waypoint: the optimiser moves the time no further,
/// but it moves the curve, so a quarter of a percent is close enough.
constexpr int kPassingSamples = 400;

}  // namespace

std::optional<std::vector<VecX>> waypointConfigurations(const ClearanceEvaluator& evaluator,
                                                        const VecX& goal, int attempt,
                                                        const RunContext& context, int* missed) {
  const Problem& problem = evaluator.problem();
  const auto count = static_cast<double>(problem.waypoints.size());
  std::vector<VecX> via;
  VecX from = problem.plannedPart(problem.start);
  for (std::size_t i = 0; i < problem.waypoints.size(); ++i) {
    // Coordinates that a waypoint leaves free go on evenly towards the goal.
    const VecX otherwise = from + (goal - from) / (count - static_cast<double>(i) + 1.0);
    Target target = problem.waypoints[i].target;
    // Several poses at once are met near the way, whatever posture they name.
    if (auto* posture = std::get_if<PostureTarget>(&target)) posture->reference.values = otherwise;
    const auto found = targetConfigurations(evaluator, target, from, otherwise, context);
    if (found.empty()) {
      *missed = static_cast<int>(i) + 1;
      return std::nullopt;
    }
    from = found[static_cast<std::size_t>(attempt) % found.size()];
    via.push_back(from);
  }
  return via;
}

std::vector<double> passingTimes(const Problem& problem, const BSpline& curve,
                                 const std::vector<VecX>& via) {
  std::vector<double> times;
  double after = 0.0;
  for (std::size_t i = 0; i < via.size(); ++i) {
    // The nearest instant after the one of the waypoint before.
    double least = HUGE_VAL, best = after;
    for (int k = 1; k < kPassingSamples; ++k) {
      const double s = static_cast<double>(k) / kPassingSamples;
      if (s <= after) continue;
      const double away = (curve.value(s * curve.duration()) - via[i]).norm();
      if (away < least) {
        least = away;
        best = s;
      }
    }
    after = best;
    if (!problem.waypoints[i].time) times.push_back(best);
  }
  return times;
}

}  // namespace allclear
