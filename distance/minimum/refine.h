#pragma once

// From an instant within the tolerance of the minimum to the minimiser itself, by the sign of the
// distance's slope, and whether it is the only one.

#include <cmath>

#include "allclear/distance/minimum/cubic_minimum.h"
#include "allclear/distance/minimum/search_result.h"

namespace allclear::mcd {

template <class Motion>
class Refinement {
 public:
  Refinement(const Motion& motion, Found* found)
      : motion_(motion), time_(wholeTime(motion)), found_(found) {
    for (int cell = 0; cell < motion.cells(); ++cell) {
      speed_ = std::max(speed_, motion.leverSpeed(cell));
    }
  }

  /// Moves `best` of the search to the minimiser; true when it and its witnesses are unique as far
  /// as seen: no other local minimum within `tolerance` among those that show at eight instants per
  /// cell, no kink, no flat stretch, no other witnesses.
  bool run(double tolerance) {
    polish();
    const Instant best = found_->best;
    return speed_ > 0.0 && time_.length() > 0.0 && !isFlat(best) && !kink_ &&
           motion_.witnessIsUnique(best) && !hasRival(best, tolerance);
  }

 private:
  Instant at(double t) {
    ++found_->evaluations;
    return motion_.at(placeAt(motion_, std::clamp(t, time_.lower, time_.upper)));
  }

  bool isEnd(const Instant& instant) const {
    return instant.t <= time_.lower || instant.t >= time_.upper;
  }

  void polish() {
    Instant inner = found_->best;
    const double direction = inner.slope > 0.0 ? -1.0 : 1.0;
    if (inner.slope == 0.0 || time_.length() <= 0.0) return;
    if (direction * (inner.t - (direction > 0.0 ? time_.upper : time_.lower)) >= 0.0) return;
    // Downhill until the slope changes its sign or the time ends.
    Instant outer = inner;
    for (double step = 1e-3 * time_.length();; step *= 2.0) {
      outer = at(inner.t + direction * step);
      if (direction * outer.slope >= 0.0) break;
      inner = outer;
      if (isEnd(outer)) return keep(outer);
    }
    bisect(direction > 0.0 ? inner : outer, direction > 0.0 ? outer : inner);
  }

  /// Illinois' variant of the secant rule, with a bisection now and then, on slopes of opposite
  /// signs.
  void bisect(Instant low, Instant high) {
    double f_low = low.slope, f_high = high.slope;
    Instant middle = std::abs(f_low) < std::abs(f_high) ? low : high;
    const double resolution = 1e-15 * (std::abs(time_.lower) + time_.length());
    int last = 0;
    for (int i = 0; i < 100 && high.t - low.t > resolution; ++i) {
      const bool halve = i % 4 == 3;
      const double t =
          halve ? 0.5 * (low.t + high.t) : low.t + (high.t - low.t) * (f_low / (f_low - f_high));
      const Instant next = at(t);
      if (!(next.t > low.t && next.t < high.t)) break;
      if (std::abs(next.slope) < std::abs(middle.slope)) middle = next;
      if (next.slope < 0.0) {
        low = next;
        f_low = next.slope;
        if (last < 0) f_high *= 0.5;
        last = -1;
      } else {
        high = next;
        f_high = next.slope;
        if (last > 0) f_low *= 0.5;
        last = 1;
      }
      if (std::abs(next.slope) <= 1e-14 * speed_) break;
    }
    kink_ = std::abs(middle.slope) > 1e-7 * speed_;
    keep(middle);
  }

  /// Takes a polished instant unless it is worse by more than rounding (several minima on the way).
  void keep(const Instant& instant) {
    if (instant.ceiling <= found_->best.ceiling + 1e-12 * (1.0 + std::abs(instant.distance))) {
      found_->best = instant;
    }
  }

  bool isFlat(const Instant& best) {
    const double step = 1e-2 * time_.length(), negligible = 1e-8 * speed_;
    return std::abs(best.slope) < negligible && std::abs(at(best.t - step).slope) < negligible &&
           std::abs(at(best.t + step).slope) < negligible;
  }

  bool hasRival(const Instant& best, double tolerance) {
    const double level = best.distance + tolerance;
    const double near = 1e-3 * time_.length();
    Instant left = at(time_.lower);
    if (left.slope >= 0.0 && left.distance <= level && best.t - left.t > near) return true;
    const int samples = 8 * motion_.cells();
    for (int i = 1; i <= samples; ++i) {
      const Instant right = at(time_.lower + time_.length() * i / samples);
      if (left.slope < 0.0 && right.slope >= 0.0) {
        const double length = right.t - left.t;
        double x = 0.5, value = 0.0;
        if (!innerMinimum(left.distance, left.slope * length, right.distance, right.slope * length,
                          &x, &value)) {
          value = std::min(left.distance, right.distance);
        }
        const bool is_best = best.t >= left.t - near && best.t <= right.t + near;
        if (!is_best && value <= level) return true;
      }
      left = right;
    }
    return left.slope <= 0.0 && left.distance <= level && left.t - best.t > near;
  }

  const Motion& motion_;
  Interval time_;
  Found* found_;
  double speed_ = 0.0;
  bool kink_ = false;
};

}  // namespace allclear::mcd
