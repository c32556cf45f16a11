#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear::test {

/// The least time [s] along the very path of a curve, from rest to rest, within the limits of
/// velocity and acceleration alone: by reachability on a fine grid of the path's length (H. Pham,
/// Q.-C. Pham, "A new approach to time-optimal path parameterization based on reachability
/// analysis", IEEE T-RO 2018). The curve's own pace does not matter, except that it must rest
/// wherever its path has a corner.
///
/// Symbols. s the length of the path, b = (ds/dt)^2, u = d2s/dt2 = b'/2. With ' = d/ds
///   |q' | sqrt(b) <= v,   |q' u + q'' b| <= a.
/// Between two points of the grid u is constant: b_{i+1} = b_i + 2 h u.
class TimeOptimalBound {
 public:
  TimeOptimalBound(const PlannedLimits& limits, const Trajectory& curve, int points_per_span)
      : limits_(limits) {
    readPath(curve, points_per_span);
  }

  double seconds() const {
    const std::size_t n = points_.size();
    // Backwards: the greatest b at each point from which the end can be reached at rest.
    std::vector<double> most(n, 0.0);
    for (std::size_t i = n - 1; i-- > 0;) {
      if (!points_[i].is_rest) most[i] = greatest(i, most[i + 1]);
    }
    // Forwards: as fast as that allows.
    double b = 0.0, sum = 0.0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double h = points_[i + 1].s - points_[i].s;
      const double next = std::clamp(b + 2.0 * h * accelerations(i, b).second, 0.0, most[i + 1]);
      const double speeds = std::sqrt(b) + std::sqrt(next);
      if (speeds > 0.0) sum += 2.0 * h / speeds;
      b = next;
    }
    return sum;
  }

 private:
  struct Point {
    double s;
    VecX q1, q2;  ///< derivatives by s
    bool is_rest;
  };

  void readPath(const Trajectory& curve, int points_per_span) {
    double s = 0.0;
    VecX before = curve.value(0.0);
    // Below this the curve is at rest, and its direction that of the point before.
    const double slow = 1e-4 * curve.derivativeBound(1, {0.0, curve.duration()}).maxCoeff();
    for (int i = 0; i < curve.spanCount(); ++i) {
      const Interval span = curve.spanTime(i);
      for (int k = i == 0 ? 0 : 1; k <= points_per_span; ++k) {
        const double t =
            k == points_per_span ? span.upper : span.lower + span.length() * k / points_per_span;
        const VecX q = curve.value(t), v = curve.value(t, 1), a = curve.value(t, 2);
        const double step = (q - before).norm();
        s += step;
        before = q;
        const double speed = v.norm();
        const bool is_rest = speed < 1e-9;
        if (!points_.empty() && !(step > 1e-12)) {
          points_.back().is_rest = points_.back().is_rest || is_rest;
          continue;
        }
        Point point{s, VecX::Zero(q.size()), VecX::Zero(q.size()), is_rest};
        if (speed > slow) {
          point.q1 = v / speed;
          point.q2 = (a - point.q1 * point.q1.dot(a)) / (speed * speed);
        } else if (!points_.empty() && step > 0.0) {
          point.q1 = (q - curve.value(std::max(0.0, t - 1e-3))).normalized();
        }
        points_.push_back(std::move(point));
      }
    }
    points_.front().is_rest = points_.back().is_rest = true;
    // From a rest the path goes on as it does right after.
    for (std::size_t i = points_.size() - 1; i-- > 0;) {
      if (points_[i].is_rest || points_[i].q1.isZero(0.0)) points_[i].q1 = points_[i + 1].q1;
    }
  }

  /// The accelerations u that the limits allow at b: empty where lower > upper.
  std::pair<double, double> accelerations(std::size_t i, double b) const {
    double lower = -1e12, upper = 1e12;
    const Point& point = points_[i];
    for (Eigen::Index k = 0; k < point.q1.size(); ++k) {
      const double a = limits_.acceleration[k], part = std::abs(point.q1[k]);
      const double curved = point.q2[k] * b;
      if (part < 1e-9) {
        if (std::abs(curved) > a) return {1.0, -1.0};
        continue;
      }
      const double sign = point.q1[k] > 0.0 ? 1.0 : -1.0;
      lower = std::max(lower, (-a - sign * curved) / part);
      upper = std::min(upper, (a - sign * curved) / part);
    }
    return {lower, upper};
  }

  double greatest(std::size_t i, double most_next) const {
    const Point& point = points_[i];
    const double h = points_[i + 1].s - point.s;
    double cap = 1e12;
    for (Eigen::Index k = 0; k < point.q1.size(); ++k) {
      const double v = limits_.velocity[k] / std::max(std::abs(point.q1[k]), 1e-12);
      cap = std::min(cap, v * v);
    }
    // What is allowed is an interval from 0, as the room for u is concave in b.
    const auto is_allowed = [&](double b) {
      const auto [lower, upper] = accelerations(i, b);
      const double low = std::max(lower, -b / (2.0 * h));
      const double high = std::min(upper, (most_next - b) / (2.0 * h));
      return low <= high;
    };
    if (is_allowed(cap)) return cap;
    double low = 0.0, high = cap;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (is_allowed(middle) ? low : high) = middle;
    }
    return low;
  }

  const PlannedLimits& limits_;
  std::vector<Point> points_;
};

/// The bound for a curve, to about a thousandth.
inline double timeOptimalBound(const PlannedLimits& limits, const Trajectory& curve,
                               int points_per_span = 8) {
  return TimeOptimalBound(limits, curve, points_per_span).seconds();
}

}  // namespace allclear::test
