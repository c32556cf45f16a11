// The first instant at which the distance of two moving convex shapes falls below a threshold.
//
// Stretches of time are examined from left to right. One whose bound is at least the level is
// dropped; one that begins below it ends the search; any other is split, where the cubic through
// both ends' distances and slopes meets the level first, or is least. So the search ends with a
// stretch no longer than the tolerance, before which the distance is proved to stay at the level.
//
// Two levels. The distances of the polynomial motion are within e of the true ones. Until the
// polynomial one falls below threshold + e the true one is above the threshold: that is
// `clear_until`. From the first instant at which it is below threshold - e the true one is below:
// that is `below_at`. Where the shapes fall fast enough both are found at once; between a graze and
// a near miss closer than 2 e to the threshold nothing can be told, and the answer says so.

#include "allclear/distance/minimum/convex/first_contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/convex/half_space.h"
#include "allclear/distance/minimum/cubic_minimum.h"
#include "allclear/distance/minimum/query.h"

namespace allclear {
namespace mcd {
namespace {

/// Pending stretches. At the depth `kDepth` a stretch counts as short enough: it is then shorter
/// than a 10^-9 of the cell, by the splits near the middle alone.
constexpr int kDepth = 64;
/// Every so many splits one is near the middle: predictions may be off in the same direction again
/// and again and creep along from one side.
constexpr int kEvenEvery = 4;
constexpr double kEvenMargin = 0.25;
/// Where a bound has failed without a crossing in sight, splits stay this share from the ends.
constexpr double kMargin = 0.05;
/// A predicted crossing is missed on purpose by this share of the tolerance, to either side in
/// turn: so the stretch that is left is short, and the one before it is clearly above the level.
constexpr double kBeside = 0.25;
/// Newton's steps for the root of a cubic: a prediction need not be exact.
constexpr int kRootSteps = 8;

/// Stretches of two moving convex shapes, as those of `HalfSpaceMotion`.
class ConvexStretches {
 public:
  struct Stretch {
    int cell = 0;
    double s0 = 0.0, s1 = 1.0;
    Instant left, right;
  };

  ConvexStretches(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b) : motion_(a, b) {}

  int cells() const { return motion_.cells(); }
  Interval cellTime(int cell) const { return motion_.cellTime(cell); }
  double error() const { return motion_.error(); }
  Interval ballBounds(int cell) const { return motion_.ballBounds(cell); }
  Instant at(TimePoint when) { return motion_.at(when); }

  void whole(int cell, Stretch* out) {
    *out = {cell, 0.0, 1.0, motion_.at({cell, 0.0}), motion_.at({cell, 1.0})};
  }

  void split(const Stretch& stretch, double share, Stretch* left, Stretch* right) {
    const double middle = stretch.s0 + share * (stretch.s1 - stretch.s0);
    const Stretch whole = stretch;
    const Instant instant = motion_.at({whole.cell, middle});
    *left = {whole.cell, whole.s0, middle, whole.left, instant};
    *right = {whole.cell, middle, whole.s1, instant, whole.right};
  }

  /// `lower` need not be better than `enough`.
  StretchBounds bounds(Stretch* stretch, double enough) {
    const Instant &left = stretch->left, &right = stretch->right;
    const double length = right.t - left.t;
    StretchBounds out;
    out.left = left.ceiling;
    out.right = right.ceiling;
    out.left_slope = left.slope * length;
    out.right_slope = right.slope * length;
    out.lower = 0.5 * (left.distance + right.distance - motion_.leverSpeed(stretch->cell) * length);
    // The directional bound is no use where an end is below already.
    if (out.lower < enough && std::min(left.distance, right.distance) >= enough) {
      out.lower = std::max(out.lower, motion_.lowerBound(stretch->cell, stretch->s0, stretch->s1,
                                                         left.normal, right.normal));
    }
    return out;
  }

 private:
  ConvexMotion motion_;
};

class HalfSpaceStretches : public HalfSpaceMotion {
 public:
  using HalfSpaceMotion::HalfSpaceMotion;
  StretchBounds bounds(Stretch* stretch, double) { return HalfSpaceMotion::bounds(stretch); }
};

/// The share at which the cubic through both ends meets 0: above at 0, below at 1. Newton's steps,
/// halved where they leave the bracket.
double cubicRoot(double d0, double f0, double d1, double f1) {
  const double rise = d1 - d0;
  const double c2 = 3.0 * rise - 2.0 * f0 - f1, c3 = f0 + f1 - 2.0 * rise;
  double low = 0.0, high = 1.0, x = d0 / (d0 - d1);
  for (int i = 0; i < kRootSteps; ++i) {
    const double value = d0 + x * (f0 + x * (c2 + x * c3));
    (value > 0.0 ? low : high) = x;
    const double next = x - value / (f0 + x * (2.0 * c2 + 3.0 * x * c3));
    x = next > low && next < high ? next : 0.5 * (low + high);
  }
  return x;
}

/// Where the distance comes below a level first.
struct Crossing {
  bool found = false;
  bool out_of_evaluations = false;
  TimePoint before;    ///< not below at any earlier instant
  TimePoint at;        ///< below, unless the search was for what may be below
  double value = 0.0;  ///< the distance at `at`
};

enum class Seek { kSurelyBelow, kPerhapsBelow };

template <class Motion>
class CrossingSearch {
 public:
  using Stretch = typename Motion::Stretch;

  CrossingSearch(Motion* motion, const FirstContactOptions& options)
      : motion_(*motion), options_(options) {}

  int evaluations() const { return evaluations_; }

  /// The first crossing of `level` from `from` on. With `kPerhapsBelow` a stretch shorter than the
  /// tolerance that cannot be proved to stay at the level counts as one.
  Crossing first(double level, TimePoint from, Seek seek) {
    Crossing result;
    for (int cell = from.cell; cell < motion_.cells(); ++cell) {
      if (motion_.ballBounds(cell).lower >= level) continue;
      const double start = cell == from.cell ? from.s : 0.0;
      if (searchCell(cell, start, level, seek, &result)) return result;
    }
    return result;
  }

 private:
  /// Whether the search is over.
  bool searchCell(int cell, double start, double level, Seek seek, Crossing* result) {
    std::array<Stretch, kDepth> pending;
    motion_.whole(cell, &pending[0]);
    if (start > 0.0) motion_.split(pending[0], start, &pending[1], &pending[0]);
    const double seconds = motion_.cellTime(cell).length();
    const double shortest = options_.tolerance < seconds ? options_.tolerance / seconds : 1.0;
    for (int top = 0; top >= 0;) {
      Stretch& stretch = pending[top];
      const StretchBounds bounds = motion_.bounds(&stretch, level);
      result->before = {cell, stretch.s0};
      if (++evaluations_ >= options_.max_evaluations) return result->out_of_evaluations = true;
      if (bounds.left < level) return finish(result, {cell, stretch.s0}, bounds.left);
      const double length = stretch.s1 - stretch.s0;
      const bool is_short = length <= shortest || top + 1 == kDepth;
      if (bounds.lower >= level) {
        --top;
      } else if (is_short) {
        const bool counts = bounds.right < level || seek == Seek::kPerhapsBelow;
        if (counts) return finish(result, {cell, stretch.s1}, bounds.right);
        --top;
      } else {
        // The right part takes the place of the whole, the left one goes on top.
        const double share = splitAt(bounds, level, kBeside * shortest / length);
        motion_.split(stretch, share, &pending[top + 1], &pending[top]);
        ++top;
      }
    }
    return false;
  }

  static bool finish(Crossing* result, TimePoint at, double value) {
    result->at = at;
    result->value = value;
    return result->found = true;
  }

  double splitAt(const StretchBounds& bounds, double level, double beside) {
    const double d0 = bounds.left - level, d1 = bounds.right - level;
    double share = 0.5, value;
    double margin = kMargin;
    if (d1 < 0.0) {
      share = cubicRoot(d0, bounds.left_slope, d1, bounds.right_slope);
      share += 1.0 - share < 2.0 * beside ? -beside : beside;
      margin = beside;
    } else if (!innerMinimum(d0, bounds.left_slope, d1, bounds.right_slope, &share, &value)) {
      share = 0.5;
    }
    if (++splits_ % kEvenEvery == 0) margin = kEvenMargin;
    return std::clamp(share, margin, 1.0 - margin);
  }

  Motion& motion_;
  const FirstContactOptions& options_;
  int evaluations_ = 0;
  int splits_ = 0;
};

template <class Motion>
double timeAt(const Motion& motion, TimePoint when) {
  const Interval time = motion.cellTime(when.cell);
  return when.s < 1.0 ? time.lower + when.s * time.length() : time.upper;
}

template <class Motion>
FirstContact firstContactOf(Motion* motion, double threshold, const FirstContactOptions& options) {
  const double error = motion->error();
  CrossingSearch<Motion> search(motion, options);
  FirstContact out;
  const Crossing perhaps = search.first(threshold + error, {}, Seek::kPerhapsBelow);
  out.clear_until = motion->cellTime(motion->cells() - 1).upper;
  if (perhaps.found || perhaps.out_of_evaluations) {
    out.clear_until = timeAt(*motion, perhaps.before);
    out.status = ContactStatus::kUndecided;
  }
  if (perhaps.found) {
    Crossing surely = perhaps;
    if (!(surely.value < threshold - error)) {
      surely = search.first(threshold - error, perhaps.before, Seek::kSurelyBelow);
    }
    if (surely.found) {
      const Instant instant = motion->at(surely.at);
      out.status = ContactStatus::kFound;
      out.below_at = instant.t;
      out.distance = instant.ceiling;
      out.witness_A = instant.witness_A;
      out.witness_B = instant.witness_B;
      out.normal = instant.normal;
    }
  }
  out.evaluations = search.evaluations();
  return out;
}

FirstContact exchanged(FirstContact contact) {
  std::swap(contact.witness_A, contact.witness_B);
  contact.normal = -contact.normal;
  return contact;
}

}  // namespace
}  // namespace mcd

FirstContact firstContact(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b,
                          double threshold, const FirstContactOptions& options) {
  if (!std::isfinite(threshold)) throw InputError("the threshold of a first contact is not finite");
  if (!(options.tolerance > 0.0)) {
    throw InputError("the tolerance of a first contact must be positive");
  }
  ALLCLEAR_ASSERT(!a.empty() && !b.empty());
  if (mcd::isHalfSpace(*b[0].shape)) {  // the motions want it first
    if (mcd::isHalfSpace(*a[0].shape)) {
      throw InputError("the distance of two half-spaces is unbounded");
    }
    return mcd::exchanged(firstContact(b, a, threshold, options));
  }
  if (mcd::isAboveStillPlane(a, b)) {
    mcd::HalfSpaceStretches motion(a, b);
    return mcd::firstContactOf(&motion, threshold, options);
  }
  mcd::ConvexStretches motion(a, b);
  return mcd::firstContactOf(&motion, threshold, options);
}

}  // namespace allclear
