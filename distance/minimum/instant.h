#pragma once

#include <algorithm>

#include "allclear/core/types.h"

namespace allclear::mcd {

/// An instant of a motion that is given in cells of time.
struct TimePoint {
  int cell = 0;
  double s = 0.0;  ///< in [0, 1]
};

/// Two shapes at one instant: what a static distance tells a search over time.
struct Instant {
  TimePoint when;
  double t = 0.0;         ///< [s]
  double distance = 0.0;  ///< signed [m]: never above the true one
  double ceiling = 0.0;   ///< never below the true one; above `distance` only where unproven
  double slope = 0.0;     ///< of the distance by time [m/s] (one-sided where the cell ends)
  Vec3 witness_A = Vec3::Zero();
  Vec3 witness_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, world, from A to B
  bool unique = true;           ///< witnesses and normal, as far as the static distance tells
};

/// Time t of a motion in cells; an instant between two cells belongs to the later one.
template <class Motion>
TimePoint timePointAt(const Motion& motion, double t) {
  int low = 0, high = motion.cells() - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    (motion.cellTime(middle).lower <= t ? low : high) =
        motion.cellTime(middle).lower <= t ? middle : middle - 1;
  }
  const Interval time = motion.cellTime(low);
  const double length = time.length();
  return {low, length > 0.0 ? std::clamp((t - time.lower) / length, 0.0, 1.0) : 0.0};
}

template <class Motion>
Interval wholeTime(const Motion& motion) {
  return {motion.cellTime(0).lower, motion.cellTime(motion.cells() - 1).upper};
}

}  // namespace allclear::mcd
