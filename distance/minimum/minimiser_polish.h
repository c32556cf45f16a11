#pragma once

// From an instant within the tolerance of the minimum to the minimiser itself, and whether it is
// the only one.
//
// The envelope gradient needs t* to rounding, not to the search's tolerance: where the minimum over
// time is smooth, an error e of the distance is an error of order sqrt(e) of t*. At an inner
// minimiser the distance's slope changes its sign, so t* is the root of the slope: first steps of
// doubling length downhill bracket it, then the secant rule closes in. An end of the whole time may
// be the minimiser too; there the slope has one sign and the steps stop.

#include <cmath>

#include "allclear/distance/minimum/cubic_minimum.h"
#include "allclear/distance/minimum/search_result.h"

namespace allclear::mcd {

template <class Motion>
class MinimiserPolish {
 public:
  /// Both are borrowed; `result->best` is where the search ended.
  MinimiserPolish(Motion* motion, SearchResult* result)
      : motion_(*motion), time_(wholeTime(*motion)), result_(*result) {
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      speed_ = std::max(speed_, motion_.leverSpeed(cell));
    }
  }

  /// Moves `best` of the search to the minimiser.
  void run() { polish(); }

  /// After `run`: whether the minimiser and its witnesses are unique as far as seen: no other local
  /// minimum within `tolerance` among those that show at eight instants per cell, no kink, no flat
  /// stretch, no other witnesses.
  bool isUnique(double tolerance) {
    const Instant best = result_.best;
    return speed_ > 0.0 && time_.length() > 0.0 && !isFlat(best) && !has_kink_ &&
           motion_.witnessIsUnique(best) && !hasRival(best, tolerance);
  }

 private:
  // Slopes are compared with `speed_`, the largest that the lever arms allow; times with the whole
  // time; so that none of the shares below has a unit.
  /// First step downhill. `best` is near already; too short a step costs one doubling each.
  static constexpr double kFirstStep = 1e-3;
  /// Two times closer than this cannot be told apart in double precision.
  static constexpr double kTimeRounding = 1e-15;
  /// A slope of this share is zero up to rounding.
  static constexpr double kZeroSlope = 1e-14;
  /// The best slope found stays above this share: it jumps over zero, the distance has a kink.
  static constexpr double kKinkSlope = 1e-7;
  /// Slopes below this share half a hundredth to either side: a flat valley, t* is not unique.
  static constexpr double kFlatSlope = 1e-8;
  static constexpr double kFlatStep = 1e-2;
  /// How much [m, and per metre of distance] a polished instant may be worse by rounding alone.
  static constexpr double kDistanceRounding = 1e-12;
  /// Minima this near in time are the same one.
  static constexpr double kSameMinimum = 1e-3;
  static constexpr int kSamplesPerCell = 8;
  static constexpr int kMostSecants = 100;

  Instant at(double t) {
    ++result_.evaluations;
    return motion_.at(timePointAt(motion_, std::clamp(t, time_.lower, time_.upper)));
  }

  bool isEnd(const Instant& instant) const {
    return instant.t <= time_.lower || instant.t >= time_.upper;
  }

  void polish() {
    Instant inner = result_.best;
    const double direction = inner.slope > 0.0 ? -1.0 : 1.0;
    if (inner.slope == 0.0 || time_.length() <= 0.0) return;
    if (direction * (inner.t - (direction > 0.0 ? time_.upper : time_.lower)) >= 0.0) return;
    // Invariant: the slope at `inner` points downhill in `direction`.
    Instant outer = inner;
    for (double step = kFirstStep * time_.length();; step *= 2.0) {
      outer = at(inner.t + direction * step);
      if (direction * outer.slope >= 0.0) break;
      inner = outer;
      if (isEnd(outer)) return keep(outer);
    }
    findZeroSlope(direction > 0.0 ? inner : outer, direction > 0.0 ? outer : inner);
  }

  /// Illinois' variant of the secant rule for the zero of the slope in [low, high]: an end that
  /// stays twice in a row counts with half its slope, so that both ends move. Every fourth step
  /// halves the interval, for slopes that jump. Invariant: slope(low) < 0 <= slope(high).
  void findZeroSlope(Instant low, Instant high) {
    double f_low = low.slope, f_high = high.slope;
    Instant flattest = std::abs(f_low) < std::abs(f_high) ? low : high;
    const double resolution = kTimeRounding * (std::abs(time_.lower) + time_.length());
    int last = 0;
    for (int i = 0; i < kMostSecants && high.t - low.t > resolution; ++i) {
      const bool halve = i % 4 == 3;
      const double t =
          halve ? 0.5 * (low.t + high.t) : low.t + (high.t - low.t) * (f_low / (f_low - f_high));
      const Instant next = at(t);
      if (!(next.t > low.t && next.t < high.t)) break;
      if (std::abs(next.slope) < std::abs(flattest.slope)) flattest = next;
      if (next.slope < 0.0) {
        low = next;
        f_low = next.slope;
        if (last < 0) f_high *= 0.5;  // `high` stayed twice: count it less
        last = -1;
      } else {
        high = next;
        f_high = next.slope;
        if (last > 0) f_low *= 0.5;
        last = 1;
      }
      if (std::abs(next.slope) <= kZeroSlope * speed_) break;
    }
    has_kink_ = std::abs(flattest.slope) > kKinkSlope * speed_;
    keep(flattest);
  }

  /// Makes a polished instant the best one unless it is worse by more than rounding (several minima
  /// on the way).
  void keep(const Instant& instant) {
    const double rounding = kDistanceRounding * (1.0 + std::abs(instant.distance));
    if (instant.ceiling <= result_.best.ceiling + rounding) result_.best = instant;
  }

  bool isFlat(const Instant& best) {
    const double step = kFlatStep * time_.length(), negligible = kFlatSlope * speed_;
    return std::abs(best.slope) < negligible && std::abs(at(best.t - step).slope) < negligible &&
           std::abs(at(best.t + step).slope) < negligible;
  }

  /// Whether another local minimum, at most `tolerance` higher, shows between the samples. Where
  /// the slope turns from falling to rising there is one; the cubic through both samples predicts
  /// it.
  bool hasRival(const Instant& best, double tolerance) {
    const double level = best.distance + tolerance;
    const double near = kSameMinimum * time_.length();
    Instant left = at(time_.lower);
    if (left.slope >= 0.0 && left.distance <= level && best.t - left.t > near) return true;
    // At the start and the end of the whole time a slope outward is a minimum by itself.
    const int samples = kSamplesPerCell * motion_.cells();
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

  Motion& motion_;
  Interval time_;
  SearchResult& result_;
  double speed_ = 0.0;
  bool has_kink_ = false;
};

}  // namespace allclear::mcd
