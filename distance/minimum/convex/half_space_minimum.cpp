// The certified minimum over time of the distance of a convex shape from a plane at rest: branch
// and bound in time on the bounds of half_space_motion.cpp.
//
// A stretch of time is dropped when its bound reaches `cut()`: no instant of it can improve the
// result by more than the tolerance. Else it is split where the cubic through both ends' distances
// and slopes is least. The distance is the least of the heights of the shape's points, so that its
// inner minima lie where one point is the lowest, and stretches there soon have one polynomial.
//
// Invariant: as in certified.cpp. Dropped and pending stretches cover all of the time, the distance
// is at least `result_.lower` on all that was dropped, and `best_` is a distance that occurs.

#include <algorithm>
#include <array>
#include <limits>

#include "allclear/distance/minimum/convex/half_space.h"
#include "allclear/distance/minimum/cubic_minimum.h"

namespace allclear::mcd {
namespace {

constexpr int kDepth = 48;  // pending stretches
// Splits stay this share of the stretch away from its ends, and from the depth `kEven` on near the
// middle, so that stretches shrink before the stack is full.
constexpr int kEven = 10;
constexpr double kMargin = 1e-3;
constexpr double kEvenMargin = 0.4;
/// Stretches shorter than this share of a cell are dropped with the bound that they have: the
/// distance changes by rounding within.
constexpr double kShortest = 1e-9;

class HalfSpaceSearch {
 public:
  HalfSpaceSearch(HalfSpaceMotion* motion, const McdOptions& options)
      : motion_(*motion), options_(options) {
    const double error = motion_.error();
    slack_ = std::max(options.tolerance - 2.0 * error, 0.5 * options.tolerance);
    if (options.threshold) {
      threshold_ = *options.threshold + error;
      if (options.decide_only) stop_below_ = *options.threshold - error;
    }
    result_.lower = kInfinity;
  }

  SearchResult run() {
    double farthest = kInfinity;
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      const Interval ball = motion_.ballBounds(cell);
      farthest = std::min(farthest, ball.upper);
      if (ball.lower >= threshold_ || stopped_) {
        result_.lower = std::min(result_.lower, ball.lower);
      } else {
        searchCell(cell);
      }
    }
    result_.above_threshold = result_.lower >= threshold_;
    result_.evaluated = result_.evaluations > 0;
    if (result_.evaluated) {
      result_.best = motion_.at(best_);  // once more, with witnesses
    } else {
      result_.best.ceiling = farthest;
      result_.best.t = motion_.cellTime(0).lower;
    }
    return result_;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  double cut() const { return std::min(least_ - slack_, threshold_); }

  void lookAt(TimePoint when, double distance) {
    if (!(distance < least_)) return;
    least_ = distance;
    best_ = when;
    if (least_ < stop_below_) stopped_ = true;
  }

  /// Drops the stretch if its bound reaches the cut (or the search has stopped); else says where to
  /// split it, as a share of its length.
  bool tryToDrop(HalfSpaceMotion::Stretch* stretch, double* share) {
    const StretchBounds bounds = motion_.bounds(stretch);
    lookAt({stretch->cell, stretch->s0}, bounds.left);
    lookAt({stretch->cell, stretch->s1}, bounds.right);
    if (++result_.evaluations >= options_.max_evaluations && bounds.lower < cut()) {
      result_.out_of_evaluations = stopped_ = true;
    }
    if (bounds.lower >= cut() || stopped_ || stretch->s1 - stretch->s0 < kShortest) {
      result_.lower = std::min(result_.lower, bounds.lower);
      return true;
    }
    double value;
    if (!innerMinimum(bounds.left, bounds.left_slope, bounds.right, bounds.right_slope, share,
                      &value)) {
      *share = 0.5;
    }
    return false;
  }

  /// Depth first, the left part first.
  void searchCell(int cell) {
    std::array<HalfSpaceMotion::Stretch, kDepth> pending;
    motion_.whole(cell, &pending[0]);
    for (int top = 0; top >= 0;) {
      if (top + 1 == kDepth) result_.out_of_evaluations = stopped_ = true;
      double share = 0.5;
      if (tryToDrop(&pending[top], &share)) {
        --top;
        continue;
      }
      const double margin = top < kEven ? kMargin : kEvenMargin;
      share = std::clamp(share, margin, 1.0 - margin);
      HalfSpaceMotion::split(pending[top], share, &pending[top + 1], &pending[top]);
      ++top;
    }
  }

  HalfSpaceMotion& motion_;
  const McdOptions& options_;
  double slack_ = 0.0, threshold_ = kInfinity, stop_below_ = -kInfinity;
  bool stopped_ = false;
  double least_ = kInfinity;  ///< the least distance seen, at `best_`
  TimePoint best_;
  SearchResult result_;
};

}  // namespace

SearchResult certifiedHalfSpace(HalfSpaceMotion* motion, const McdOptions& options) {
  return HalfSpaceSearch(motion, options).run();
}

}  // namespace allclear::mcd
