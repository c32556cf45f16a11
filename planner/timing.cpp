#include "allclear/planner/timing.h"

#include <algorithm>
#include <cmath>

namespace allclear {
namespace {

/// Shortest duration [s] of a guess: below, derivatives by time lose their digits.
constexpr double kShortestCurve = 1e-2;
/// Shortest segment of a motion with rests [s]: a segment of no length still needs time > 0.
constexpr double kShortestSegment = 1e-3;
/// Segments take this share longer, so that rounding cannot carry them beyond a limit.
constexpr double kRoundingShare = 1e-9;

// Greatest derivatives of the smooth step 10 s^3 - 15 s^4 + 6 s^5 over [0, 1]: of order 1 at 1/2,
// of order 2 at 1/2 -+ 1/sqrt(12), of order 3 at the ends.
constexpr double kStepVelocity = 1.875;
const double kStepAcceleration = 10.0 / std::sqrt(3.0);
constexpr double kStepJerk = 60.0;

/// A derivative of order k over a segment of T seconds is that of the step times length / T^k.
double segmentDuration(const PlannedLimits& limits, const VecX& from, const VecX& to) {
  double seconds = 0.0;
  for (int k = 0; k < to.size(); ++k) {
    const double length = std::abs(to[k] - from[k]);
    if (std::isfinite(limits.velocity[k])) {
      seconds = std::max(seconds, kStepVelocity * length / limits.velocity[k]);
    }
    seconds = std::max(seconds, std::sqrt(kStepAcceleration * length / limits.acceleration[k]));
    seconds = std::max(seconds, std::cbrt(kStepJerk * length / limits.jerk[k]));
  }
  return std::max(kShortestSegment, seconds * (1.0 + kRoundingShare));
}

/// When the motion is at each vertex of the path.
std::vector<double> timesAtCorners(const Problem& problem, const std::vector<VecX>& path) {
  const PlannedLimits limits = plannedLimits(problem);
  std::vector<double> times{0.0};
  for (std::size_t i = 1; i < path.size(); ++i) {
    times.push_back(times.back() + segmentDuration(limits, path[i - 1], path[i]));
  }
  // Slower than the limits allow, if the problem wants a longer motion: all segments alike.
  if (times.back() < problem.duration.min) {
    for (double& t : times) t *= problem.duration.min / times.back();
  }
  return times;
}

}  // namespace

double neededDuration(const Problem& problem, const BSpline& curve) {
  const PlannedLimits limits = plannedLimits(problem);
  const BSpline unit = curve.withDuration(1.0);
  double duration = std::max(problem.duration.min, kShortestCurve);
  BSpline derivative = unit;
  const VecX* by_order[] = {&limits.velocity, &limits.acceleration, &limits.jerk};
  for (int order = 1; order <= 3; ++order) {
    derivative = derivative.derivative();
    // A spline stays within the hull of its control points: their maximum bounds it for all t.
    const VecX greatest = derivative.control().cwiseAbs().rowwise().maxCoeff();
    for (int j = 0; j < curve.dimension(); ++j) {
      const double limit = (*by_order[order - 1])[j];
      if (std::isfinite(limit)) {
        duration = std::max(duration, std::pow(greatest[j] / limit, 1.0 / order));
      }
    }
  }
  return duration;
}

double feasibleDuration(const Problem& problem, const BSpline& curve) {
  return std::min(neededDuration(problem, curve), problem.duration.max);
}

HermiteCurve restingAtCorners(const Problem& problem, const std::vector<VecX>& path) {
  std::vector<double> times = timesAtCorners(problem, path);
  MatX positions(path.front().size(), static_cast<Eigen::Index>(path.size()));
  for (std::size_t i = 0; i < path.size(); ++i) {
    positions.col(static_cast<Eigen::Index>(i)) = path[i];
  }
  const MatX rest = MatX::Zero(positions.rows(), positions.cols());
  return {std::move(times), std::move(positions), rest, rest};
}

double durationAtCorners(const Problem& problem, const std::vector<VecX>& path) {
  return timesAtCorners(problem, path).back();
}

}  // namespace allclear
