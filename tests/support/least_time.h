#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear::test {

/// Least time [s] from rest to rest over `length` with velocity, acceleration and jerk limited by
/// v, a, j (v may be infinite): the double-S profile, in closed form.
inline double doubleSTime(double length, double v, double a, double j) {
  if (length <= 0.0) return 0.0;
  // From rest to speed w: with or without a phase of constant acceleration.
  const auto ramp = [&](double w) {
    return w * j >= a * a ? w / a + a / j : 2.0 * std::sqrt(w / j);
  };
  if (std::isfinite(v) && length >= v * ramp(v)) return length / v + ramp(v);
  // The peak speed w that a ramp up and a ramp down over the length reach: w * ramp(w) = length.
  double w = 0.5 * a * (std::sqrt(a * a / (j * j) + 4.0 * length / a) - a / j);
  if (w * j < a * a) w = std::cbrt(0.25 * length * length * j);
  return 2.0 * ramp(w);
}

/// Each joint alone from one end to the other, at rest at both: the greatest of their least times.
/// No motion between these ends is shorter.
inline double perJointLeastTime(const PlannedLimits& limits, const VecX& from, const VecX& to) {
  double seconds = 0.0;
  for (int k = 0; k < from.size(); ++k) {
    seconds = std::max(seconds, doubleSTime(std::abs(to[k] - from[k]), limits.velocity[k],
                                            limits.acceleration[k], limits.jerk[k]));
  }
  return seconds;
}

/// A time-optimal pass along a path within velocity and acceleration limits alone, from rest to
/// rest, on a fine grid of points of equal distance: what no motion along the path within more
/// limits can beat, to the error of the grid. By reachability (H. Pham, Q.-C. Pham, "A new approach
/// to time-optimal path parameterization based on reachability analysis", IEEE T-RO 2018), from the
/// points alone: squared speeds at the points, backwards the greatest from which a stop is
/// possible, forwards the greatest that can be reached.
class TimeOptimalPass {
 public:
  TimeOptimalPass(const PlannedLimits& limits, const Trajectory& curve, int points = 1000)
      : limits_(limits) {
    resample(curve, points);
  }

  double seconds() const {
    const auto n = q_.size();
    if (n < 3) return 0.0;
    std::vector<double> most(n, HUGE_VAL);  // squared speeds that a stop is possible from
    most.back() = 0.0;
    for (std::size_t i = n - 1; i-- > 0;) {
      most[i] = std::min(cap(i), greatest([&](double x) { return canGo(i, x, most[i + 1]); }));
    }
    double here = 0.0, seconds = 0.0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double next = std::min(
          most[i + 1], greatest([&](double y) { return y <= lastReach(i, here, most[i + 1]); }));
      seconds += 2.0 * h_ / std::max(1e-12, std::sqrt(here) + std::sqrt(next));
      here = next;
    }
    return seconds;
  }

 private:
  void resample(const Trajectory& curve, int points) {
    // Lengths in units of the joints' speed limits: joints that are slow count more.
    const VecX scale =
        limits_.velocity.unaryExpr([](double v) { return std::isfinite(v) ? 1.0 / v : 1.0; });
    const int samples = 40 * points;
    std::vector<double> length{0.0};
    std::vector<VecX> q{curve.value(0.0)};
    for (int i = 1; i <= samples; ++i) {
      q.push_back(curve.value(curve.duration() * i / samples));
      length.push_back(length.back() + (q[i] - q[i - 1]).cwiseProduct(scale).norm());
    }
    if (!(length.back() > 1e-9)) return;
    h_ = length.back() / points;
    std::size_t at = 1;
    for (int k = 0; k <= points; ++k) {
      const double u = h_ * k;
      while (at + 1 < length.size() && length[at] < u) ++at;
      const double step = length[at] - length[at - 1];
      const double share = step > 0.0 ? std::clamp((u - length[at - 1]) / step, 0.0, 1.0) : 0.0;
      q_.push_back(q[at - 1] + share * (q[at] - q[at - 1]));
    }
  }

  VecX tangent(std::size_t i) const { return (q_[i + 1] - q_[i]) / h_; }
  /// Of the middle of interval i: the mean of the second differences at its ends.
  VecX bend(std::size_t i) const {
    const auto at = [&](std::size_t k) {
      k = std::clamp<std::size_t>(k, 1, q_.size() - 2);
      return VecX((q_[k + 1] - 2.0 * q_[k] + q_[k - 1]) / (h_ * h_));
    };
    return 0.5 * (at(i) + at(i + 1));
  }

  double cap(std::size_t i) const {
    double out = HUGE_VAL;
    for (int k = 0; k < limits_.velocity.size(); ++k) {
      const double speed = std::abs(tangent(i)[k]);
      if (speed > 0.0) out = std::min(out, std::pow(limits_.velocity[k] / speed, 2));
    }
    return out;
  }

  /// The squared speeds y at the end of interval i that are within the acceleration limits when x
  /// is that at its start: |bend (x + y) / 2 + tangent (y - x) / (2 h)| <= a.
  std::pair<double, double> reach(std::size_t i, double x) const {
    double low = 0.0, high = HUGE_VAL;
    const VecX d = tangent(i), c = bend(i);
    for (int k = 0; k < d.size(); ++k) {
      const double by_y = 0.5 * c[k] + 0.5 * d[k] / h_, at = x * (0.5 * c[k] - 0.5 * d[k] / h_);
      const double a = limits_.acceleration[k];
      if (by_y == 0.0) {
        if (std::abs(at) > a) return {1.0, 0.0};
        continue;
      }
      const double one = (a - at) / by_y, other = (-a - at) / by_y;
      low = std::max(low, std::min(one, other));
      high = std::min(high, std::max(one, other));
    }
    return {low, high};
  }
  bool canGo(std::size_t i, double x, double most) const {
    const auto [low, high] = reach(i, x);
    return low <= std::min(high, most);
  }
  double lastReach(std::size_t i, double x, double most) const {
    return std::min(most, reach(i, x).second);
  }

  /// The greatest value for which the condition holds, if it holds from 0 up to there.
  template <class Holds>
  static double greatest(const Holds& holds) {
    double low = 0.0, high = 1e-9;
    while (holds(high) && high < 1e12) low = high, high *= 2.0;
    for (int i = 0; i < 60; ++i) (holds(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
    return low;
  }

  PlannedLimits limits_;
  std::vector<VecX> q_;
  double h_ = 0.0;
};

}  // namespace allclear::test
