#include "allclear/planner/certificate/dynamics_search.h"

#include <algorithm>
#include <array>

#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// More than the rounding, relative, of the length, its square and the product with the bulge's
/// rest.
constexpr double kBulgeRounding = 1e-12;

}  // namespace

std::vector<double> timesOfPieces(const Trajectory& trajectory, const Trajectory* wrenches) {
  std::vector<double> times{0.0, trajectory.duration()};
  for (const Trajectory* curve : {&trajectory, wrenches}) {
    for (int i = 1; curve != nullptr && i < curve->spanCount(); ++i) {
      times.push_back(curve->spanTime(i).lower);
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

EnclosedState enclosedState(const Problem& problem, const Trajectory& trajectory,
                            const Trajectory* wrenches, Interval time, StateRates rates) {
  throwIfStopped();
  // Each of position, velocity and acceleration needs two more derivatives: orders 0 to 3 or 4.
  const bool has_a = rates == StateRates::kAccelerations;
  std::array<Trajectory::Bounds, 5> d;
  for (int order = 0; order < (has_a ? 5 : 4); ++order) d[order] = trajectory.bounds(order, time);
  EnclosedState state;
  for (int c = 0; c < problem.robot->dimension(); ++c) {
    state.q.emplace_back(problem.start[c]);
    state.v.emplace_back(0.0);
    state.a.emplace_back(0.0);
  }
  for (int i = 0; i < problem.plannedCount(); ++i) {
    const auto of = [&](int order) { return Enclosure{d[order].lower[i], d[order].upper[i]}; };
    const int c = problem.planned[i];
    state.q[c] = {of(0), of(1), of(2)};
    state.v[c] = {of(1), of(2), of(3)};
    if (has_a) state.a[c] = {of(2), of(3), of(4)};
  }
  if (wrenches != nullptr) {
    for (int order = 0; order < 3; ++order) d[order] = wrenches->bounds(order, time);
    for (int i = 0; i < wrenches->dimension(); ++i) {
      const auto of = [&](int order) { return Enclosure{d[order].lower[i], d[order].upper[i]}; };
      state.w.emplace_back(of(0), of(1), of(2));
    }
  }
  return state;
}

Enclosure boundBetween(const EnclosedSeries& first, const EnclosedSeries& last,
                       const EnclosedSeries& inside, Interval time) {
  const double factor = time.length() * time.length() / 8.0 * (1.0 + kBulgeRounding);
  const double bulge = factor * inside.second.magnitude();
  return {lowered(first.value.lower, last.value.lower) - bulge,
          raised(first.value.upper, last.value.upper) + bulge};
}

}  // namespace allclear
