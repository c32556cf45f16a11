// Least distance over time of a rigid shape A and a cloud B (docs/algorithms/clouds.md).
//
// The bound. Let n be any unit vector of the world, during a stretch of time of length h. An
// element of B reaches min n.b(t) towards A, A reaches max n.a(t) towards B, and for all t
//
//     distance(t) >= room(t) = min n.b(t) - max n.a(t) - r,
//
// with r the radius of B's balls. This is true in penetration as well: the signed distance of
// convex solids is the greatest room over all n. For bodies in linear interpolation between their
// poses at both ends, max n.a is convex in t (a maximum of linear functions) and min n.b concave,
// so the room is concave and at least the lesser of its values at the ends. True points leave the
// linear interpolation by at most E(rho) = h^2/8 (A_lin + A_ang rho), with rho their distance from
// the body's reference point and A the bounds of the second derivative, and the polynomial poses by
// error(rho):
//
//     distance(t) >= min over both ends of [ min n.b - max n.a ] - r - E_A - E_B - errors.
//
// A node of B's tree stands for its elements by its box; a leaf by the elements themselves.
//
// The search. An item is a stretch of time, a part of A and a node of B. It is closed when its
// bound reaches what is asked for; else it is split: in time where the motion (and E) is larger
// than the volumes, else into smaller volumes. Depth first, the nearest child first, so that a near
// pair is found soon; every so often the item with the least bound is taken, or the bracket's lower
// end would wait for the last branch. A node at a distance d from A has to be about as small as d
// before its box is told from A: so the number of items depends on how much of the cloud is near,
// and only the way down to it, the logarithm, on how many elements there are.
#include "allclear/distance/cloud/search.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud/element.h"

namespace allclear::cloud {
namespace {

using deform::RigidPart;

/// The item with the least bound is taken once in so many, and more rarely when many are open, as
/// it has to be looked for.
constexpr long kLeastEvery = 16;
constexpr std::size_t kOpenPerStep = 4;

/// Stretches of time are not halved below this share of a second: poses round by as much.
constexpr double kShortest = 1e-12;

/// A stretch of time is split while E is so many times less than the volumes.
constexpr double kRemainderWeight = 8.0;

/// Surfaces that are nearer may cross, so that what is inside does not tell any more [m].
constexpr double kLeastApart = 1e-12;

/// Of a depth so much may be left open: deep inside of a dense cloud very many elements are about
/// as deep as the deepest, and any of them leads out.
constexpr double kDepthShare = 0.2;

/// Steps of the golden section: each leaves 0.62 of the time, 40 of them 5e-9.
constexpr int kRefinements = 40;

}  // namespace

/// What a bound has to reach to be closed.
double CloudSearch::limit() const {
  const double tolerance =
      std::max({tolerance_, 0.5 * tolerance_ + 2.0 * result_.error, -kDepthShare * result_.upper});
  return std::min(result_.upper - tolerance, threshold_);
}

/// The distance of a core or triangle and an element at the middle of a stretch, kept where it is
/// the least so far. Returns the direction between them.
Vec3 CloudSearch::measure(const Slice& slice, int p, std::int32_t element, double error) {
  ++result_.evaluations;
  const RigidPart& part = parts_[p].part;
  const ElementDistance d = elementDistance(shape_, part, slice.Am, cloud_, element, slice.Bm);
  // In contact the poses, which are only near rotations, count once more.
  const double upper = d.distance + d.gap + (d.distance > 0.0 ? error : 2.0 * error);
  if (shape_.isMesh() && !(d.distance > 0.0)) result_.contact = true;
  if (!result_.evaluated || upper < result_.upper) {
    result_.upper = std::min(result_.upper, upper);
    result_.error = error;
    result_.evaluated = true;
    result_.t = 0.5 * (slice.t0 + slice.t1);
    result_.width = slice.t1 - slice.t0;
    result_.a = d.a;
    result_.b = d.b;
    result_.normal = d.normal;
    result_.part = p;
    result_.element = element;
  }
  return d.normal;
}

/// Bounds an item, measures elements, and keeps it unless its bound is enough. `known`: of the
/// item that it is a part of.
void CloudSearch::push(int s, int p, std::int32_t node, double known) {
  needMiddle(s);
  const Slice& slice = slices_[s];
  const RigidPart& part = parts_[p].part;
  const AlignedBox box = boxOf(node);
  const double loss = lossOf(slice, part, box);
  const bool is_whole = !shape_.isSplit(part);
  const bool is_measured = node < 0 && is_whole;
  double bound = known;
  const auto raiseAlong = [&](const Vec3& n) {
    ++result_.bounds;
    const double own = roomAlong(slice, part, node, box, n) - loss;
    if (own > bound) bound = own;
  };
  // The nearest normal so far: most elements of a leaf are farther, which it shows for less than
  // their distance costs; and near the minimum it is often better than that of two boxes.
  if (is_measured && result_.evaluated) raiseAlong(result_.normal);
  if (bound >= limit()) return close(bound);
  const Vec3 n = is_measured ? measure(slice, p, ~node, errorOf(slice, part, box))
                             : direction(slice, part, box);
  if (result_.contact) return;
  if (!n.isZero(0.0)) raiseAlong(n);
  if (!is_measured && result_.evaluated && bound < limit()) raiseAlong(result_.normal);
  // Boxes about A are loose where it is round or slanted: the core itself tells more.
  if (bound < limit() && node >= 0 && is_whole) {
    const Vec3 nearer = directionTo(shape_, part, slice.Am, box, slice.Bm);
    if (!nearer.isZero(0.0)) raiseAlong(nearer);
  }
  if (bound >= limit()) return close(bound);
  fresh_.push_back({bound, s, p, node});
}

/// In time where the motion is larger than the volumes, and where nothing else is left.
bool CloudSearch::splitsInTime(const Item& item) const {
  const RigidPart& part = parts_[item.part].part;
  const bool part_splits = shape_.isSplit(part), node_splits = item.node >= 0;
  if (!node_splits) return !part_splits;
  const Slice& slice = slices_[item.slice];
  const AlignedBox box = boxOf(item.node);
  const double size_b = 0.5 * (box.upper - box.lower).norm() + cloud_.radius();
  const Vec3 center = 0.5 * (box.lower + box.upper);
  const Vec3 from = slice.A0 * part.center - slice.B0 * center;
  const Vec3 to = slice.A1 * part.center - slice.B1 * center;
  const double remainder = kRemainderWeight * remainderOf(slice, part, box);
  // A whole core has nothing to split: before its remainder is less than the node, smaller nodes
  // only repeat the same stretches of time.
  if (!part_splits && remainder > size_b) return true;
  const double motion =
      (to - from).norm() + (slice.A1.R - slice.A0.R).norm() * part.reach + remainder;
  return motion > std::max(size_b, part_splits || part.reach > size_b ? part.reach : 0.0);
}

void CloudSearch::split(const Item& item) {
  const RigidPart& part = parts_[item.part].part;
  const bool part_splits = shape_.isSplit(part), node_splits = item.node >= 0;
  const bool can_halve = slices_[item.slice].t1 - slices_[item.slice].t0 > kShortest;
  // A stretch that cannot be halved any more: its volumes, or the end with what is proved.
  if (!can_halve && !part_splits && !node_splits) return close(item.bound);
  if (can_halve && splitsInTime(item)) {
    const int child = halves(item.slice);
    push(child, item.part, item.node, item.bound);
    if (!result_.contact) push(child + 1, item.part, item.node, item.bound);
    return;
  }
  const AlignedBox box = boxOf(item.node);
  const double size_b = 0.5 * (box.upper - box.lower).norm();
  if (part_splits && (!node_splits || part.reach > size_b)) {
    needChildren(item.part);
    const int first = parts_[item.part].child, count = parts_[item.part].children;
    for (int i = first; i < first + count && !result_.contact; ++i) {
      push(item.slice, i, item.node, item.bound);
    }
    return;
  }
  const Cloud::Node& node = cloud_.nodes()[item.node];
  if (node.child >= 0) {
    push(item.slice, item.part, node.child, item.bound);
    if (!result_.contact) push(item.slice, item.part, node.child + 1, item.bound);
    return;
  }
  for (std::int32_t i = node.first; i < node.first + node.count && !result_.contact; ++i) {
    push(item.slice, item.part, ~i, item.bound);
  }
}

/// The last one, or now and then the one with the least bound.
void CloudSearch::pop(Item* item) {
  const long every = std::max<long>(kLeastEvery, static_cast<long>(open_.size() / kOpenPerStep));
  if (++popped_ % every == 0) {
    const auto least = std::min_element(
        open_.begin(), open_.end(), [](const Item& x, const Item& y) { return x.bound < y.bound; });
    std::swap(*least, open_.back());
  }
  *item = open_.back();
  open_.pop_back();
}

/// Opens what the last step left, the nearest last. False when nothing is open.
bool CloudSearch::openFresh() {
  std::sort(fresh_.begin(), fresh_.end(),
            [](const Item& x, const Item& y) { return x.bound > y.bound; });
  open_.insert(open_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  return !open_.empty();
}

CloudResult CloudSearch::run(const McdOptions& options) {
  threshold_ = options.threshold.value_or(std::numeric_limits<double>::infinity());
  // What surfaces of a mesh prove is a distance of 0 at most; depths are measured apart.
  if (shape_.isMesh()) threshold_ = std::max(kLeastApart, threshold_);
  tolerance_ = options.tolerance;
  makeSlices();
  bool is_far = true;
  const int count = static_cast<int>(slices_.size());
  for (int s = 0; s < count && !result_.contact; ++s) {
    const double ball = ballBound(slices_[s]);
    is_far = is_far && ball > 0.0;
    if (ball >= threshold_) {
      close(ball);
    } else {
      push(s, 0, b_.node, ball);
    }
  }
  StopSteps steps;
  while (!result_.contact && openFresh()) {
    steps.step();
    const bool is_decided =
        options.threshold && options.decide_only && result_.upper < *options.threshold;
    result_.spent = result_.evaluations >= options.max_evaluations;
    if (is_decided || result_.spent) break;
    Item item;
    pop(&item);
    if (item.bound >= limit()) {
      close(item.bound);
    } else {
      split(item);
    }
  }
  for (const Item& item : open_) close(item.bound);
  for (const Item& item : fresh_) close(item.bound);
  if (!result_.contact && !is_far && holdsElement()) {
    result_.contact = true;
    result_.upper = std::min(result_.upper, 0.0);
    result_.t = time().lower;
  }
  if (!result_.evaluated && !result_.contact) result_.upper = someDistance();
  return result_;
}

/// By golden section: only the upper end gets better. The lower one stays as proven, so that
/// another element or a second minimum, which this does not look for, costs exactness and never
/// truth.
void CloudSearch::refine(CloudResult* best) const {
  constexpr double kGolden = 0.6180339887498949;
  const Interval whole = time();
  double low = std::max(whole.lower, best->t - best->width);
  double high = std::min(whole.upper, best->t + best->width);
  const RigidPart& part = parts_[best->part].part;
  const AlignedBox box = boxOf(~best->element);
  const auto look = [&](double t) {
    Slice slice;
    while (slice.curve_a + 1 < static_cast<int>(a_.curves.size()) &&
           a_.curves[slice.curve_a].time.upper < t) {
      ++slice.curve_a;
    }
    while (slice.curve_b + 1 < static_cast<int>(b_.curves.size()) &&
           b_.curves[slice.curve_b].time.upper < t) {
      ++slice.curve_b;
    }
    const Pose A = poseA(slice.curve_a, t), B = poseB(slice.curve_b, t);
    const ElementDistance d = elementDistance(shape_, part, A, cloud_, best->element, B);
    const double error = errorOf(slice, part, box);
    const double upper = d.distance + d.gap + (d.distance > 0.0 ? error : 2.0 * error);
    if (upper < best->upper) {
      best->upper = upper;
      best->error = error;
      best->t = t;
      best->a = d.a;
      best->b = d.b;
      best->normal = d.normal;
    }
    return upper;
  };
  // The least may be at either end: where the motion ends.
  look(low);
  look(high);
  double x = high - kGolden * (high - low), y = low + kGolden * (high - low);
  double at_x = look(x), at_y = look(y);
  for (int i = 0; i < kRefinements && high > low; ++i) {
    if (at_x <= at_y) {
      high = y;
      y = x;
      at_y = at_x;
      x = high - kGolden * (high - low);
      at_x = look(x);
    } else {
      low = x;
      x = y;
      at_x = at_y;
      y = low + kGolden * (high - low);
      at_y = look(y);
    }
  }
}

}  // namespace allclear::cloud
