#pragma once

#include <limits>

namespace allclear {

// Least and greatest of values, for bounds. `std::min` and `std::max` drop a NaN or keep it,
// depending on the order of their arguments, and a bound that lost a NaN claims what nothing
// proves. Here NaN counts as the value that proves nothing.

/// The lesser of a lower bound and one more value; -infinity when either is NaN.
inline double lowered(double bound, double value) {
  if (value >= bound) return bound;
  return value < bound ? value : -std::numeric_limits<double>::infinity();
}

/// The greater of an upper bound and one more value; infinity when either is NaN.
inline double raised(double bound, double value) {
  if (value <= bound) return bound;
  return value > bound ? value : std::numeric_limits<double>::infinity();
}

}  // namespace allclear
