#include "allclear/distance/minimum/tree/result.h"

#include <algorithm>

namespace allclear::tree {
namespace {

/// Of a depth so much may be left open.
constexpr double kDepthShare = 0.2;

/// Of what a distance is beyond the focus likewise.
constexpr double kShareBeyondFocus = 0.2;

/// Relative: the search's rule compares the same numbers.
constexpr double kWidthRounding = 1e-9;

}  // namespace

double neededWidth(double tolerance, double upper, double error, double focus) {
  const double beyond = upper > focus ? kShareBeyondFocus * (upper - focus) : 0.0;
  return std::max({tolerance, 0.5 * tolerance + 2.0 * error, -kDepthShare * upper, beyond});
}

DistanceBracket bracketOf(const SearchResult& found, const Pose& X_WF) {
  DistanceBracket bracket;
  bracket.lower = std::min(found.lower, found.upper);
  bracket.upper = found.upper;
  bracket.t_star = found.t;
  bracket.evaluated = found.evaluated;
  bracket.witness_A = X_WF * found.a;
  bracket.witness_B = X_WF * found.b;
  bracket.normal = X_WF.R * found.normal;
  bracket.distance_evaluations = found.evaluations;
  bracket.bound_evaluations = found.bounds;
  return bracket;
}

void setStatus(const McdOptions& options, const SearchResult& found, DistanceBracket* bracket,
               double focus) {
  const double width = neededWidth(options.tolerance, bracket->upper, found.error, focus);
  const bool is_narrow = bracket->upper - bracket->lower <= width * (1.0 + kWidthRounding);
  bracket->status = is_narrow && !found.spent ? McdStatus::kBracketed : McdStatus::kUndecided;
  if (!options.threshold) return;
  if (bracket->upper < *options.threshold) bracket->status = McdStatus::kBelow;
  if (bracket->lower >= *options.threshold) bracket->status = McdStatus::kCertifiedAbove;
}

}  // namespace allclear::tree
