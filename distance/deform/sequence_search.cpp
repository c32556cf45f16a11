// Least distance over time of a rigid shape A and a mesh B whose vertices move linearly between
// keyframes (docs/algorithms/mesh-sequences.md).
//
// The bound. On a stretch of time of length h between two keyframes let n be any unit vector. How
// far B reaches against n, max over its vertices of -n.b(t), is convex in t: a maximum of linear
// functions. So is the reach along n of A in linear interpolation between its poses at both ends.
// So at each t their sum is at most the greater of its values at the ends, and the room between the
// two along n at least the lesser. A's true points leave the linear interpolation by at most
// E(r) = h^2/8 (A_lin + A_ang r), with r the distance from the reference point and A the bounds of
// the second derivative, and the polynomial poses by error(r):
//
//     distance(t) >= min over both ends of [ min n.b - max n.a ] - E(r) - error(r).
//
// A node of B's tree stands for its triangles: its box at an instant is that of both keyframes
// interpolated. The direction n comes from boxes and triangles at the middle of the stretch.
//
// The search. An item is a stretch of time, a part of A and a node of B. It is closed when its
// bound reaches what is asked for; else it is split: in time where the motion (and E) is larger
// than the volumes, else into smaller volumes. Depth first, the nearest child first, so that a near
// pair is found soon; every so often the item with the least bound is taken, or the bracket's lower
// end would wait for the last branch. (Best first alone floods the memory where the bodies meet.)
#include "allclear/distance/deform/sequence_search.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"

namespace allclear::deform {
namespace {

/// The item with the least bound is taken once in so many, and more rarely when many are open, as
/// it has to be looked for.
constexpr long kLeastEvery = 16;
constexpr std::size_t kOpenPerStep = 4;

/// Stretches of time are not halved below this share of a second: poses round by as much.
constexpr double kShortest = 1e-12;

/// Off the surface a winding number is whole.
constexpr double kInside = 0.5;

/// A stretch of time is split while E is so many times less than the volumes.
constexpr double kRemainderWeight = 8.0;

}  // namespace

/// What a bound has to reach to be closed.
double SequenceSearch::limit() const {
  const double tolerance = std::max(tolerance_, 0.5 * tolerance_ + 2.0 * result_.error);
  return std::min(result_.upper - tolerance, threshold_);
}

/// The nearest points of a core (or triangle) and a triangle at the middle of a stretch, kept where
/// they are the nearest so far. Returns the unit vector from A to B; zero in contact.
Vec3 SequenceSearch::measure(const Slice& slice, const RigidPart& part, std::int32_t node,
                             double error) {
  ++result_.evaluations;
  const TriangleCorners T = cornersAt(slice, ~node, 0.5 * (slice.f0 + slice.f1));
  TriangleCorners in_G;
  for (int k = 0; k < 3; ++k) {
    const Vec3 x = slice.Pm.R.transpose() * (T.corner(k) - slice.Pm.p);
    for (int axis = 0; axis < 3; ++axis) in_G.p[k][axis] = x[axis];
  }
  const RigidShape::Nearest near = shape_.nearest(part, in_G, hint_);
  // The pose is only near a rotation: a point of each body in O makes a distance that occurs.
  const Vec3 a = slice.Pm * near.a, b = nearestOnTriangle(T, a);
  const double length = (b - a).norm(), distance = length - part.radius;
  const bool meets = !(near.distance > 0.0) || !(distance > 0.0);
  if (meets || distance + error < result_.upper) {
    result_.upper = meets ? std::min(result_.upper, error) : distance + error;
    result_.error = error;
    result_.evaluated = true;
    result_.t = 0.5 * (slice.t0 + slice.t1);
    result_.width = slice.t1 - slice.t0;
  }
  result_.contact = meets;
  if (meets) return Vec3::Zero();
  hint_ = near.normal;
  const Vec3 n = (b - a) / length;
  if (result_.upper == distance + error) {
    result_.a = a + part.radius * n;
    result_.b = b;
    result_.normal = n;
  }
  return n;
}

/// Bounds an item, measures triangles, and keeps it unless its bound is enough. `known`: of the
/// item that it is a part of.
void SequenceSearch::push(int s, int p, std::int32_t node, double known) {
  needMiddle(s);
  const Slice& slice = slices_[s];
  const RigidPart& part = parts_[p].part;
  const double error = errorOf(slice, part);
  const bool is_leaf = node < 0 && !shape_.isSplit(part);
  double bound = known;
  const auto raiseAlong = [&](const Vec3& n) {
    ++result_.bounds;
    const double own = roomAlong(slice, part, node, n) - remainderOf(slice, part) - error;
    if (own > bound) bound = own;
  };
  // The nearest normal so far: most triangles of a leaf are farther, which it shows for less than
  // their distance costs; and near the minimum it is often better than that of two boxes.
  if (is_leaf && result_.evaluated) raiseAlong(result_.normal);
  if (bound >= limit()) return close(bound);
  const Vec3 n = is_leaf ? measure(slice, part, node, error) : direction(slice, part, node);
  if (result_.contact) return;
  if (!n.isZero(0.0)) raiseAlong(n);
  if (!is_leaf && result_.evaluated && bound < limit()) raiseAlong(result_.normal);
  if (bound >= limit()) return close(bound);
  fresh_.push_back({bound, s, p, node});
}

/// In time where the motion is larger than the volumes, else the larger volume.
void SequenceSearch::split(const Item& item) {
  const bool part_splits = shape_.isSplit(parts_[item.part].part);
  const bool node_splits = item.node >= 0;
  const Slice slice = slices_[item.slice];
  bool in_time = !part_splits && !node_splits;
  double size_b = 0.0;
  if (node_splits) {
    const NodeBox b0 = boxAt(slice, item.node, slice.f0), b1 = boxAt(slice, item.node, slice.f1);
    size_b = 0.25 * (b0.upper - b0.lower + b1.upper - b1.lower).norm();
    const RigidPart& part = parts_[item.part].part;
    const Vec3 from = slice.P0 * part.center - 0.5 * (b0.lower + b0.upper);
    const Vec3 to = slice.P1 * part.center - 0.5 * (b1.lower + b1.upper);
    const double motion = (to - from).norm() + (slice.P1.R - slice.P0.R).norm() * part.reach +
                          kRemainderWeight * remainderOf(slice, part);
    in_time = motion > std::max(size_b, part_splits || part.reach > size_b ? part.reach : 0.0);
  }
  // A stretch that cannot be halved any more: its volumes, or the end with what is proved.
  const bool can_halve = slice.t1 - slice.t0 > kShortest;
  if (in_time && !can_halve) {
    if (!part_splits && !node_splits) return close(item.bound);
    in_time = false;
  }
  if (in_time) {
    const int child = halves(item.slice);
    push(child, item.part, item.node, item.bound);
    if (!result_.contact) push(child + 1, item.part, item.node, item.bound);
    return;
  }
  if (part_splits && (!node_splits || parts_[item.part].part.reach > size_b)) {
    needChildren(item.part);
    const int first = parts_[item.part].child, count = parts_[item.part].children;
    for (int i = first; i < first + count && !result_.contact; ++i) {
      push(item.slice, i, item.node, item.bound);
    }
    return;
  }
  const DeformingMesh::Node& node = mesh_.nodes()[item.node];
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
void SequenceSearch::pop(Item* item) {
  const long every = std::max<long>(kLeastEvery, static_cast<long>(open_.size() / kOpenPerStep));
  if (++popped_ % every == 0) {
    const auto least = std::min_element(
        open_.begin(), open_.end(), [](const Item& x, const Item& y) { return x.bound < y.bound; });
    std::swap(*least, open_.back());
  }
  *item = open_.back();
  open_.pop_back();
}

/// While the surfaces stay apart solids hold one another always or never: the beginning tells.
bool SequenceSearch::isInside() const {
  const double t = time().lower;
  const Pose P = pose(0, t);
  if (mesh_.hasInside()) {
    for (const Vec3& p : shape_.points()) {
      if (std::abs(mesh_.windingNumber(P * p, t)) > kInside) return true;
    }
  }
  return std::any_of(mesh_.representatives().begin(), mesh_.representatives().end(), [&](int v) {
    return shape_.contains(P.R.transpose() * (mesh_.position(v, mesh_.at(t)) - P.p));
  });
}

/// A distance that occurs.
double SequenceSearch::someDistance() const {
  const double t = time().lower;
  return (pose(0, t) * shape_.points().front() -
          mesh_.position(mesh_.triangles()[0][0], mesh_.at(t)))
             .norm() +
         errorOf(slices_[0], parts_[0].part);
}

/// Opens what the last step left, the nearest last. False when nothing is open.
bool SequenceSearch::openFresh() {
  std::sort(fresh_.begin(), fresh_.end(),
            [](const Item& x, const Item& y) { return x.bound > y.bound; });
  open_.insert(open_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  return !open_.empty();
}

SequenceResult SequenceSearch::run(const McdOptions& options) {
  // What surfaces prove is a distance of 0 at most; depths are measured apart.
  threshold_ = options.threshold ? std::max(0.0, *options.threshold)
                                 : std::numeric_limits<double>::infinity();
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
      push(s, 0, 0, ball);
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
  if (!result_.contact && !is_far && isInside()) {
    result_.contact = true;
    result_.evaluated = true;
    result_.upper = 0.0;
    result_.t = time().lower;
  }
  if (!result_.evaluated) result_.upper = someDistance();
  return result_;
}

SequenceResult SequenceSearch::at(double t, double upper) const {
  SequenceSearch instant(shape_, a_, mesh_, X_OW_.inverse());
  const int curve = curveAt(t);
  instant.addSlice(curve, t, t, pose(curve, t));
  instant.result_.upper = upper;
  instant.push(0, 0, 0, -std::numeric_limits<double>::infinity());
  StopSteps steps;
  while (!instant.result_.contact && instant.openFresh()) {
    steps.step();
    const Item item = instant.open_.back();
    instant.open_.pop_back();
    if (item.bound < instant.result_.upper - instant.rounding_) instant.split(item);
  }
  return instant.result_;
}

}  // namespace allclear::deform
