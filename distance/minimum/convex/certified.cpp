// The certified minimum over time of the distance of two convex shapes: branch and bound with the
// directional support-function bound.

#include "allclear/distance/minimum/convex/certified.h"

#include <array>
#include <cmath>
#include <limits>

#include "allclear/distance/minimum/cubic_minimum.h"

namespace allclear::mcd {
namespace {

constexpr int kDepth = 48;
constexpr int kEven = 10;  // from this depth on: splits near the middle

class ConvexSearch {
 public:
  ConvexSearch(const ConvexMotion& motion, const McdOptions& options)
      : motion_(motion), options_(options) {
    slack_ = std::max(options.tolerance - 2.0 * motion.error(), 0.5 * options.tolerance);
    threshold_ = std::numeric_limits<double>::infinity();
    stop_below_ = -threshold_;
    if (options.threshold) {
      threshold_ = *options.threshold + motion.error();
      if (options.decide_only) stop_below_ = *options.threshold - motion.error();
    }
    found_.best.ceiling = std::numeric_limits<double>::infinity();
    found_.lower = std::numeric_limits<double>::infinity();
  }

  Found run() {
    Instant left;
    bool has_left = false;
    double farthest = std::numeric_limits<double>::infinity();
    for (int cell = 0; cell < motion_.cells(); ++cell) {
      const Interval balls = motion_.ballBounds(cell);
      farthest = std::min(farthest, balls.upper);
      if (balls.lower >= threshold_ || stopped_) {
        found_.lower = std::min(found_.lower, balls.lower);
        has_left = false;
        continue;
      }
      // A node belongs to both its cells; a gap between the polynomials is a matter of rounding.
      if (!has_left || motion_.jump(cell) > kSameNode) left = at({cell, 0.0});
      left.place = {cell, 0.0};
      const Instant right = at({cell, 1.0});
      searchCell(cell, left, right);
      left = right;
      has_left = true;
    }
    found_.above_threshold = found_.lower >= threshold_;
    found_.evaluated = found_.evaluations > 0;
    if (!found_.evaluated) {
      found_.best.ceiling = farthest;
      found_.best.t = motion_.cellTime(0).lower;
    }
    return found_;
  }

 private:
  static constexpr double kSameNode = 1e-14;

  Instant at(Place place) {
    Instant instant = motion_.at(place);
    ++found_.evaluations;
    if (instant.ceiling < found_.best.ceiling) found_.best = instant;
    if (found_.best.ceiling < stop_below_) stopped_ = true;
    if (found_.evaluations >= options_.max_evaluations) {
      found_.out_of_evaluations = stopped_ = true;
    }
    return instant;
  }

  double cut() const { return std::min(found_.best.ceiling - slack_, threshold_); }

  /// Tries to bound part of a cell from below by the present cut; true when it is done with.
  bool dropped(int cell, const Instant& left, const Instant& right, double* split) {
    const double length = right.t - left.t;
    double bound = 0.5 * (left.distance + right.distance - motion_.leverSpeed(cell) * length);
    double predicted = 0.0;
    const bool inner = innerMinimum(left.distance, left.slope * length, right.distance,
                                    right.slope * length, split, &predicted);
    if (!inner) *split = 0.5;
    if (bound < cut() && (!inner || predicted >= cut())) {
      bound = std::max(
          bound, motion_.lowerBound(cell, left.place.s, right.place.s, left.normal, right.normal));
      ++found_.bound_evaluations;
      *split = std::clamp(*split, 0.1, 0.9);
    }
    const bool done = bound >= cut() || stopped_ || right.place.s - left.place.s < 1e-9;
    if (done) found_.lower = std::min(found_.lower, bound);
    return done;
  }

  void searchCell(int cell, Instant left, const Instant& right) {
    std::array<Instant, kDepth> pending;
    pending[0] = right;
    for (int top = 0; top >= 0;) {
      double split = 0.5;
      if (top + 1 == kDepth) found_.out_of_evaluations = stopped_ = true;
      if (dropped(cell, left, pending[top], &split)) {
        left = pending[top--];
        continue;
      }
      const double s0 = left.place.s, s1 = pending[top].place.s;
      // Predictions that creep along from one side must not use up the depth.
      const double margin = top < kEven ? 1e-3 : 0.4;
      pending[++top] = at({cell, s0 + std::clamp(split, margin, 1.0 - margin) * (s1 - s0)});
    }
  }

  const ConvexMotion& motion_;
  const McdOptions& options_;
  double slack_, threshold_, stop_below_;
  bool stopped_ = false;
  Found found_;
};

}  // namespace

Found certifiedConvex(const ConvexMotion& motion, const McdOptions& options) {
  return ConvexSearch(motion, options).run();
}

}  // namespace allclear::mcd
