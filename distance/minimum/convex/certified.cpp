// The certified minimum over time of the distance of two convex shapes: branch and bound in time.
// (docs/algorithms/minimum-convex.md has the whole story.)
//
// Bounds of an interval, the cheapest first: the balls that the shapes sweep (whole cells with a
// threshold only), lever arms, and the directional support-function bound (motion.cpp). An interval
// is dropped when one of them reaches `cut()`: no instant of it can improve the result by more than
// the tolerance. Else it is split, near the minimum of the cubic that has the distances and slopes
// of both its ends: a split at t* makes both halves easy to bound.
//
// Invariant: dropped and pending intervals cover all of the time, the distance is at least
// `result_.lower` on all that was dropped, and `result_.best` is a distance that occurs. In the end
// min(lower, best) <= minimum <= best, for the polynomial motion; `bracketOf` widens by its error.

#include "allclear/distance/minimum/convex/certified.h"

#include <array>
#include <cmath>
#include <limits>

#include "allclear/distance/minimum/cubic_minimum.h"

namespace allclear::mcd {
namespace {

constexpr int kDepth = 48;  // pending right ends of intervals
// Splits stay this share of the interval away from its ends. A prediction may be off in the same
// direction again and again and creep along from one side; from the depth `kEven` on splits are
// near the middle, so that intervals shrink before the stack is full.
constexpr int kEven = 10;
constexpr double kMargin = 1e-3;
constexpr double kEvenMargin = 0.4;
/// Where a bound has failed the distance is low over a wide stretch: split it more evenly.
constexpr double kMarginAfterBound = 0.1;
/// Intervals shorter than this share of a cell are dropped with the bound that they have: the
/// distance changes by rounding within.
constexpr double kShortest = 1e-9;
/// A gap [m] between cells that is rounding alone: the distance at the node serves both.
constexpr double kSameNode = 1e-14;

class ConvexSearch {
 public:
  ConvexSearch(ConvexMotion* motion, const McdOptions& options)
      : motion_(*motion), options_(options) {
    const double error = motion_.error();
    slack_ = std::max(options.tolerance - 2.0 * error, 0.5 * options.tolerance);
    threshold_ = std::numeric_limits<double>::infinity();
    stop_below_ = -threshold_;
    if (options.threshold) {
      threshold_ = *options.threshold + error;
      if (options.decide_only) stop_below_ = *options.threshold - error;
    }
    result_.best.ceiling = std::numeric_limits<double>::infinity();
    result_.lower = std::numeric_limits<double>::infinity();
  }

  SearchResult run() {
    Instant left;
    bool has_left = false;
    double farthest = std::numeric_limits<double>::infinity();
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      const Interval balls = motion_.ballBounds(cell);
      farthest = std::min(farthest, balls.upper);
      if (balls.lower >= threshold_ || stopped_) {
        result_.lower = std::min(result_.lower, balls.lower);
        has_left = false;
        continue;
      }
      // A node belongs to both its cells; the gap between their polynomials is rounding, mostly.
      if (!has_left || motion_.jump(cell) > kSameNode) left = at({cell, 0.0});
      left.when = {cell, 0.0};
      const Instant right = at({cell, 1.0});
      searchCell(cell, left, right);
      left = right;
      has_left = true;
    }
    result_.above_threshold = result_.lower >= threshold_;
    result_.evaluated = result_.evaluations > 0;
    if (!result_.evaluated) {
      result_.best.ceiling = farthest;
      result_.best.t = motion_.cellTime(0).lower;
    }
    return result_;
  }

 private:
  Instant at(TimePoint when) {
    Instant instant = motion_.at(when);
    ++result_.evaluations;
    if (instant.ceiling < result_.best.ceiling) result_.best = instant;
    if (result_.best.ceiling < stop_below_) stopped_ = true;
    if (result_.evaluations >= options_.max_evaluations) {
      result_.out_of_evaluations = stopped_ = true;
    }
    return instant;
  }

  /// Intervals on which the distance is at least this cannot change the result.
  double cut() const { return std::min(result_.best.ceiling - slack_, threshold_); }

  /// Drops the interval if a bound reaches the cut (or the search has stopped); else says where to
  /// split it, as a share of its length.
  bool tryToDrop(int cell, const Instant& left, const Instant& right, double* split) {
    const double length = right.t - left.t;
    // The true distance falls from either end no faster than the lever arms allow; it is within the
    // motion's error of the one evaluated here, which `bracketOf` subtracts.
    double bound = 0.5 * (left.distance + right.distance - motion_.leverSpeed(cell) * length) -
                   motion_.growth(left.t, right.t);
    // Where the cubic falls below the cut the directional bound would most likely fail.
    double predicted = 0.0;
    const bool inner = innerMinimum(left.distance, left.slope * length, right.distance,
                                    right.slope * length, split, &predicted);
    if (!inner) *split = 0.5;
    if (bound < cut() && (!inner || predicted >= cut())) {
      bound = std::max(
          bound, motion_.lowerBound(cell, left.when.s, right.when.s, left.normal, right.normal));
      ++result_.bound_evaluations;
      *split = std::clamp(*split, kMarginAfterBound, 1.0 - kMarginAfterBound);
    }
    const bool done = bound >= cut() || stopped_ || right.when.s - left.when.s < kShortest;
    if (done) result_.lower = std::min(result_.lower, bound);
    return done;
  }

  /// Depth first, the left part first: `left` moves on in time, and the right ends of the intervals
  /// to come are on a stack.
  void searchCell(int cell, Instant left, const Instant& right) {
    std::array<Instant, kDepth> pending;
    pending[0] = right;
    for (int top = 0; top >= 0;) {
      double split = 0.5;
      if (top + 1 == kDepth) result_.out_of_evaluations = stopped_ = true;
      if (tryToDrop(cell, left, pending[top], &split)) {
        left = pending[top--];
        continue;
      }
      // The new instant ends the left part, which is next, and starts the right one.
      const double s0 = left.when.s, s1 = pending[top].when.s;
      const double margin = top < kEven ? kMargin : kEvenMargin;
      pending[++top] = at({cell, s0 + std::clamp(split, margin, 1.0 - margin) * (s1 - s0)});
    }
  }

  ConvexMotion& motion_;
  const McdOptions& options_;
  double slack_, threshold_, stop_below_;
  bool stopped_ = false;
  SearchResult result_;
};

}  // namespace

SearchResult certifiedConvex(ConvexMotion* motion, const McdOptions& options) {
  return ConvexSearch(motion, options).run();
}

}  // namespace allclear::mcd
