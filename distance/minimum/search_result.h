#pragma once

#include <limits>

#include "allclear/distance/minimum/instant.h"

namespace allclear::mcd {

/// What a search knows when it ends: distances [m] of the polynomial motion, not yet widened by the
/// motion's error.
struct SearchResult {
  Instant best;                                             ///< least distance found
  double lower = -std::numeric_limits<double>::infinity();  ///< proved or guessed
  bool above_threshold = false;                             ///< proved
  bool out_of_evaluations = false;
  bool evaluated = true;  ///< else `best` has no witnesses: its distance is a bound by balls
  int evaluations = 0;
  int bound_evaluations = 0;
};

}  // namespace allclear::mcd
