#pragma once

#include <algorithm>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/distance/minimum/minimiser_polish.h"
#include "allclear/distance/minimum/search_result.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear::mcd {

/// A bracket counts as narrow enough up to this share of the wanted width: the search's own
/// stopping rule compares the same numbers, rounded in another order.
constexpr double kWidthRounding = 1e-9;

/// Whether `bracket` is as narrow as asked for: the tolerance, or half of it plus `uncertainty`,
/// the width [m] that the motion's own error costs.
inline bool isNarrow(const DistanceBracket& bracket, double tolerance, double uncertainty) {
  const double width = std::max(tolerance, 0.5 * tolerance + uncertainty);
  return bracket.upper - bracket.lower <= width * (1.0 + kWidthRounding);
}

/// The true motion's bracket from a search over the polynomial one: both ends move outward by the
/// motion's error. `is_proved`: `result.lower` is a bound, not a guess, so that it may decide a
/// threshold.
template <class Motion>
DistanceBracket bracketOf(Motion& motion, SearchResult result, const McdOptions& options,
                          bool is_proved) {
  DistanceBracket bracket;
  if (options.refine && result.evaluated) {
    MinimiserPolish<Motion> polish(&motion, &result);
    polish.run();
    bracket.unique = options.check_unique && polish.isUnique(options.tolerance);
  }
  // Rounding may put the bound above the distance found: a bracket must not be upside down.
  bracket.lower = lowered(result.lower, result.best.ceiling) - motion.error();
  bracket.upper = result.best.ceiling + motion.error();
  bracket.t_star = result.best.t;
  bracket.evaluated = result.evaluated;
  bracket.witness_A = result.best.witness_A;
  bracket.witness_B = result.best.witness_B;
  bracket.normal = result.best.normal;
  bracket.distance_evaluations = result.evaluations;
  bracket.bound_evaluations = result.bound_evaluations;
  // Without a threshold the comparisons below all fail.
  const double threshold = options.threshold.value_or(-std::numeric_limits<double>::infinity());
  if (options.threshold && is_proved && (result.above_threshold || bracket.lower >= threshold)) {
    bracket.lower = std::max(bracket.lower, threshold);
    bracket.status = McdStatus::kCertifiedAbove;
  } else if (bracket.upper < threshold) {
    bracket.status = McdStatus::kBelow;
  } else {
    const bool narrow = isNarrow(bracket, options.tolerance, 2.0 * motion.error());
    bracket.status =
        narrow && !result.out_of_evaluations ? McdStatus::kBracketed : McdStatus::kUndecided;
  }
  return bracket;
}

}  // namespace allclear::mcd
