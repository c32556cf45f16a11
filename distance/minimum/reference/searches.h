#pragma once

// The thesis's searches for the minimum of the continuous distance, over any motion of two shapes
// that gives distances at instants and bounds of their speed (`CapsuleMotion`, `ConvexMotion`,
// `SampledMeshMotion`):
//   golden       III.B, golden-section search
//   advancement  III.C, Algorithm 3.1, conservative advancement inside a bisection of the distance
//   hybrid       III.D, advancement from both ends, then golden section
//   sampling     (6.3), equidistant samples with the error bound (t1 - t0) mu / n
// Departures from the print: Algorithm 3.1 exchanges its updates of d0 and d1 (when d2 is reached
// the upper end moves); golden section stops at |c - a| < tau (|b| + |d|); in (3.3) the length of
// the interval multiplies both terms. The thesis's bounds of the motion drop terms, ours do not:
// velocities are bounded for the polynomial motion, and its deviation from the true one widens the
// bracket.

#include <cmath>
#include <limits>

#include "allclear/distance/minimum/reference/approach_speed.h"
#include "allclear/distance/minimum/search_result.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear::mcd {

/// One search; `Motion` may be const. Each is run once.
template <class Motion>
class ReferenceSearch {
 public:
  /// Both are borrowed.
  ReferenceSearch(Motion* motion, const McdOptions& options)
      : motion_(*motion), options_(options), time_(wholeTime(*motion)) {
    result_.best.ceiling = std::numeric_limits<double>::infinity();
    slack_ = std::max(options.tolerance - 2.0 * motion_.error(), 0.5 * options.tolerance);
  }

  SearchResult golden() {
    goldenOn(time_);
    result_.lower = result_.best.ceiling - slack_;
    return result_;
  }

  SearchResult advancement(bool directional) {
    directional_ = directional;
    Instant front = at({0, 0.0});
    const Instant end = at({motion_.cells() - 1, 1.0});
    if (aboveThreshold(front)) return result_;
    result_.lower = lowestPossible(front, end);
    // Reached levels are met to within a quarter of the slack, so that halving ends.
    const double reach = kReachedShare * slack_;
    while (result_.best.ceiling - result_.lower > slack_ && !spent()) {
      const double level = 0.5 * (result_.lower + result_.best.ceiling);
      if (advance(level, level + reach, &front)) continue;  // d1 has become the distance there
      if (!spent()) result_.lower = level;
      front = restart_;
    }
    return result_;
  }

  /// Advances once from both ends, past all instants that cannot improve on the ends by more than
  /// the tolerance, and searches what is left by golden section. (The thesis goes on halving the
  /// distance first; that costs as much as advancement and still ends in golden section.)
  SearchResult hybrid() {
    directional_ = true;
    Instant front = at({0, 0.0});
    Instant back = at({motion_.cells() - 1, 1.0});
    if (aboveThreshold(front)) return result_;
    const double level = result_.best.ceiling - slack_, reach = kReachedShare * slack_;
    if (advance(level, level + reach, &front, kHybridSteps)) {
      retreat(level, level + reach, front.t, &back, kHybridSteps);
      goldenOn({front.t, back.t});
    }
    result_.lower = result_.best.ceiling - slack_;
    return result_;
  }

  SearchResult sampling() {
    double deviation = 0.0, least = std::numeric_limits<double>::infinity();
    for (int cell = 0; cell < motion_.cells() && !spent(); ++cell) {
      const double travel = motion_.cellTime(cell).length() * motion_.leverSpeed(cell);
      const int samples = std::max(1, static_cast<int>(std::ceil(travel / slack_)));
      deviation = std::max(deviation, travel / samples);
      for (int i = cell == 0 ? 0 : 1; i <= samples && !spent(); ++i) {
        least = std::min(least, at({cell, static_cast<double>(i) / samples}).distance);
      }
    }
    if (!spent()) result_.lower = least - deviation;
    return result_;
  }

 private:
  static constexpr double kReachedShare = 0.25;
  static constexpr int kAnySteps = std::numeric_limits<int>::max();
  /// Steps from one end in `hybrid`: near a level that is never quite reached they become tiny.
  static constexpr int kHybridSteps = 32;

  Instant at(TimePoint when) {
    Instant instant = motion_.at(when);
    ++result_.evaluations;
    if (instant.ceiling < result_.best.ceiling) result_.best = instant;
    if (result_.evaluations >= options_.max_evaluations) result_.out_of_evaluations = true;
    return instant;
  }
  Instant at(double t) { return at(timePointAt(motion_, t)); }
  bool spent() const { return result_.out_of_evaluations; }

  double speed(int cell, const Instant& from, bool backward) const {
    return directional_ ? approachSpeed(motion_, cell, from, backward) : motion_.leverSpeed(cell);
  }

  /// A lower bound to start from: no distance falls below both ends' by more than half of what the
  /// motion allows.
  double lowestPossible(const Instant& start, const Instant& end) const {
    double travel = 0.0;
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      travel += motion_.cellTime(cell).length() * motion_.leverSpeed(cell);
      travel += motion_.jump(cell);
    }
    return std::max(distanceFloor(motion_), 0.5 * (start.distance + end.distance - travel));
  }

  bool aboveThreshold(Instant front) {
    if (!options_.threshold) return false;
    const double level = *options_.threshold + motion_.error();
    if (!advance(level, level + kReachedShare * slack_, &front) && !spent()) {
      result_.above_threshold = true;
      result_.lower = level;
    } else if (options_.decide_only) {
      result_.lower = distanceFloor(motion_);
    }
    return result_.above_threshold;
  }

  /// (3.4): moves `front` on in time while the distance is known to stay above `level`, until it is
  /// at most `reached` (true, or out of steps) or the interval ends (false, with `restart_` where
  /// it started).
  bool advance(double level, double reached, Instant* front, int steps = kAnySteps) {
    restart_ = *front;
    TimePoint when = front->when;
    for (; !spent(); --steps) {
      // The distance may fall by `room` before it meets the level: advance until the bounds of
      // speed, cell by cell, have used that up.
      double room = front->distance - level;
      if (front->distance <= reached || steps == 0) return true;
      for (;; ++when.cell, when.s = 0.0) {
        if (when.cell == motion_.cells()) return false;
        if (when.s == 0.0) room -= motion_.jump(when.cell);
        const double length = motion_.cellTime(when.cell).length();
        const double rest = (1.0 - when.s) * length;
        const double rate = speed(when.cell, *front, false);
        if (rate * rest <= room) {
          room -= std::max(rate, 0.0) * rest;
          continue;
        }
        when.s = std::min(1.0, when.s + std::max(room, 0.0) / (rate * length));
        break;
      }
      *front = at(when);
    }
    return false;
  }

  /// The same backward in time, down to `earliest`.
  void retreat(double level, double reached, double earliest, Instant* back, int steps) {
    TimePoint when = back->when;
    for (; !spent() && back->distance > reached && steps > 0; --steps) {
      double room = back->distance - level;
      for (;; --when.cell, when.s = 1.0) {
        if (when.cell < 0) return;
        const double length = motion_.cellTime(when.cell).length();
        const double rest = when.s * length;
        const double rate = speed(when.cell, *back, true);
        if (rate * rest <= room) {  // past the whole cell
          room -= std::max(rate, 0.0) * rest + motion_.jump(when.cell);
          continue;
        }
        when.s = std::max(0.0, when.s - std::max(room, 0.0) / (rate * length));
        break;
      }
      if (motion_.cellTime(when.cell).lower + when.s * motion_.cellTime(when.cell).length() <=
          earliest) {
        return;
      }
      *back = at(when);
    }
  }

  /// Keeps a < b < c with f(b) the least of the three, and cuts the larger part at the golden
  /// ratio: one evaluation shrinks the interval by 0.618. Finds one local minimum, not always the
  /// least.
  void goldenOn(Interval interval) {
    constexpr double kRatio = 0.3819660112501051;  // (3 - sqrt 5) / 2
    // Times are mapped to [1, 2], where the relative stopping rule has a meaning.
    const auto valueAt = [&](double u) {
      return at(interval.lower + (u - 1.0) * interval.length()).distance;
    };
    // Near a smooth minimum an error e of time costs e^2 of distance.
    const double tau = 0.1 * std::sqrt(slack_ / (1.0 + slack_));
    double a = 1.0, b = 1.5, c = 2.0;
    valueAt(a);
    valueAt(c);
    double f_b = valueAt(b);
    if (interval.length() <= 0.0) return;
    for (double d = b; !spent();) {
      const bool left = b - a >= c - b;
      d = left ? b - kRatio * (b - a) : b + kRatio * (c - b);
      if (c - a < tau * (b + d)) return;
      const double f_d = valueAt(d);
      if (f_d >= f_b) {
        (left ? a : c) = d;
      } else {
        (left ? c : a) = b;
        b = d;
        f_b = f_d;
      }
    }
  }

  Motion& motion_;
  const McdOptions& options_;
  Interval time_;
  double slack_;
  bool directional_ = true;
  SearchResult result_;
  Instant restart_;
};

}  // namespace allclear::mcd
