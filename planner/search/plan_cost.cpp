// The measure that decides which of several certified plans is the best one.
#include "allclear/planner/search/plan_cost.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace allclear {
namespace {

/// Instants per polynomial piece that the integrals are made of, by the middle rule.
constexpr int kSamplesPerSpan = 4;
/// T0 is not below this [s]: start and goal may be the same.
constexpr double kLeastTime = 0.1;

}  // namespace

double doubleSTime(double length, double v, double a, double j) {
  if (!(length > 0.0)) return 0.0;
  // To speed w: with a phase of constant acceleration, or with none when jerk is what limits.
  const auto ramp = [&](double w) {
    return w * j >= a * a ? w / a + a / j : 2.0 * std::sqrt(w / j);
  };
  if (std::isfinite(v) && length >= v * ramp(v)) return length / v + ramp(v);
  // Two ramps and nothing between them cover the length: w * ramp(w) = length.
  double w = 0.5 * a * (std::sqrt(a * a / (j * j) + 4.0 * length / a) - a / j);
  if (w * j < a * a) w = std::cbrt(0.25 * length * length * j);
  return 2.0 * ramp(w);
}

double leastTimeTo(const Problem& problem, const PlannedLimits& limits, const VecX& goal) {
  const VecX start = problem.plannedPart(problem.start);
  double slowest = kLeastTime;
  for (int k = 0; k < start.size(); ++k) {
    const bool wraps = problem.robot->coordinates()[problem.planned[k]].wraps;
    double step = goal[k] - start[k];
    if (wraps) step = std::remainder(step, 2.0 * std::numbers::pi);
    slowest = std::max(slowest, doubleSTime(std::abs(step), limits.velocity[k],
                                            limits.acceleration[k], limits.jerk[k]));
  }
  return slowest;
}

PlanCost::PlanCost(const Problem& problem, const std::vector<VecX>& goals)
    : weights_(problem.objective), limits_(plannedLimits(problem)), least_time_(HUGE_VAL) {
  // Of several goals the nearest in time.
  for (const VecX& goal : goals) {
    least_time_ = std::min(least_time_, leastTimeTo(problem, limits_, goal));
  }
  if (weights_.torque > 0.0) torque_ = std::make_unique<TorqueEnergy>(problem);
}

double PlanCost::operator()(const Trajectory& curve) const {
  const VecX* limits[] = {&limits_.velocity, &limits_.acceleration, &limits_.jerk};
  const double weights[] = {weights_.velocity, weights_.acceleration, weights_.jerk};
  double cost = weights_.duration * curve.duration();
  for (int order = 1; order <= 3; ++order) {
    if (weights[order - 1] <= 0.0) continue;
    double sum = 0.0;
    for (int i = 0; i < curve.spanCount(); ++i) {
      const Interval span = curve.spanTime(i);
      for (int k = 0; k < kSamplesPerSpan; ++k) {
        const double t = span.lower + span.length() * (k + 0.5) / kSamplesPerSpan;
        // A limit may be infinite: its coordinate then does not count.
        const double square = curve.value(t, order).cwiseQuotient(*limits[order - 1]).squaredNorm();
        sum += (order == 1 ? std::sqrt(square) : square) * span.length() / kSamplesPerSpan;
      }
    }
    cost += weights[order - 1] * sum;
  }
  if (torque_) cost += weights_.torque * torque_->value(curve);
  return cost / least_time_;
}

}  // namespace allclear
