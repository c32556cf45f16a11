// Members of Search: what a stretch of time proves of two volumes (search.h has the inequality).
// Included where a search is instantiated.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/distance/minimum/tree/search.h"

namespace allclear::tree {

/// Elements of a leaf that are measured at once: each is the nearest along the normal of the one
/// before, and nearly always the second one is the first again.
inline constexpr int kMeasuredOfLeaf = 3;

/// Of the last part and stretch that was asked for: most items in a row share theirs.
template <class Elements>
auto Search<Elements>::swept(int s, int p) -> const Swept& {
  if (swept_.slice == s && swept_.part == p) return swept_;
  const Slice& slice = slices_[s];
  const RigidPart& part = parts_[p].part;
  const BodyCurve& curve = a_.curves[slice.cell.curve];
  swept_.slice = s;
  swept_.part = p;
  swept_.first = boxAbout(part, elements_.inO(slice.first.A, slice.first.B));
  swept_.last = boxAbout(part, elements_.inO(slice.last.A, slice.last.B));
  swept_.radius = (a_.X_BG * part.center - curve.reference_B).norm() + part.reach;
  swept_.error = rounding_ + (at_rest_ ? 0.0 : curve.error(swept_.radius));
  swept_.acceleration =
      terms_.remainder_a * (curve.bounds.linear[1] + curve.bounds.angular[1] * swept_.radius);
  return swept_;
}

/// Between the boxes about the part and the node, without any loss: of bodies that move linearly
/// the rooms along the axes are at least those at the ends.
template <class Elements>
double Search<Elements>::gapOf(const Swept& A, const Slice& slice, std::int32_t node) const {
  const AlignedBox from = elements_.box(node, slice.first.B);
  const AlignedBox to = elements_.box(node, slice.last.B);
  double squared = 0.0, greatest = -kInfinity;
  for (int k = 0; k < 3; ++k) {
    const double below = lowered(from.lower[k] - A.first.upper[k], to.lower[k] - A.last.upper[k]);
    const double above = lowered(A.first.lower[k] - from.upper[k], A.last.lower[k] - to.upper[k]);
    const double room = std::max(below, above);
    greatest = std::max(greatest, room);
    if (room > 0.0) squared += room * room;
  }
  return greatest > 0.0 ? std::sqrt(squared) : greatest;
}

template <class Elements>
auto Search<Elements>::lookAt(const Item& item) -> Look {
  const Swept& A = swept(item.slice, item.part);
  const Slice& slice = slices_[item.slice];
  Look look;
  const double h = slice.length();
  look.error = A.error + (at_rest_ ? 0.0 : elements_.error(slice.cell.own, item.node));
  look.remainder =
      h * h / 8.0 *
      (A.acceleration + terms_.remainder_b * elements_.acceleration(slice.cell.own, item.node));
  look.loss = terms_.radius * elements_.radius() + look.remainder + terms_.error * look.error;
  return look;
}

/// max n.a at both ends.
template <class Elements>
std::array<double, 2> Search<Elements>::reachOf(const Vec3& n, const Item& item) const {
  const Slice& slice = slices_[item.slice];
  const RigidPart& part = parts_[item.part].part;
  const auto reachAt = [&](const Snapshot& at) {
    return n.dot(at.A.p) + shape_.reachAlong(part, at.A.R.transpose() * n);
  };
  const double first = reachAt(slice.first);
  return {first, slice.length() > 0.0 ? reachAt(slice.last) : first};
}

/// Raises the item's bound to what n proves.
template <class Elements>
void Search<Elements>::raise(const Vec3& n, Look* look, Item* item) {
  raise(n, reachOf(n, *item), look, item);
}

template <class Elements>
void Search<Elements>::raise(const Vec3& n, const std::array<double, 2>& reach, Look* look,
                             Item* item) {
  ++result_.bounds;
  const Slice& slice = slices_[item->slice];
  const bool is_exact = !shape_.isSplit(parts_[item->part].part) && !hasChildren(item->node);
  const auto leastAt = [&](const Snapshot& at) {
    // Of volumes a leaf's box is good enough.
    return is_exact ? elements_.leastOfElements(item->node, n, at.B)
                    : elements_.leastOfBox(item->node, n, at.B);
  };
  const double first = leastAt(slice.first) - reach[0];
  const bool one_end = !(slice.length() > 0.0) || terms_.far_end == 0.0;
  const double last = one_end ? first : leastAt(slice.last) - reach[1];
  const double proven = lowered(first, last) - look->loss;
  if (!(proven > look->proven)) return;
  look->proven = proven;
  look->first = first;
  look->last = last;
  item->n = n;
  item->reach = reach;
  item->bound = std::max(item->bound, proven);
}

/// Along the normal of the nearest pair so far. A reaches as far for all nodes, which is kept.
template <class Elements>
void Search<Elements>::raiseByNearest(Look* look, Item* item) {
  if (!result_.evaluated || result_.normal.isZero(0.0)) return;
  Slice& slice = slices_[item->slice];
  if (slice.part != item->part || slice.normal != result_.normal) {
    slice.part = item->part;
    slice.normal = result_.normal;
    slice.reach = reachOf(slice.normal, *item);
  }
  raise(Vec3(slice.normal), std::array(slice.reach), look, item);
}

/// The end at which A is nearest, as far as the rooms along n tell; the middle, if the remainder
/// leaves it open.
template <class Elements>
auto Search<Elements>::nearestInstant(const Look& look, const Item& item) -> const Snapshot& {
  Slice& slice = slices_[item.slice];
  if (!(slice.length() > 0.0)) return slice.first;
  const double slope = look.last - look.first;
  if (look.proven > -kInfinity && std::abs(slope) > look.remainder) {
    return slope > 0.0 ? slice.first : slice.last;
  }
  needMiddle(&slice);
  return slice.middle;
}

/// The distance of a part and an element at an instant.
template <class Elements>
Nearest Search<Elements>::measure(const Item& item, const Snapshot& at) {
  ++result_.evaluations;
  return elements_.nearest(shape_, parts_[item.part].part, at.A, ~item.node, at.B, item.n);
}

/// Keeps it where it is the least so far.
template <class Elements>
void Search<Elements>::keep(const Nearest& d, const Item& item, double t, double error) {
  const double upper = d.distance + d.gap + d.errors * error;
  if (!d.meets && result_.evaluated && !(upper < result_.upper)) return;
  result_.upper = std::min(result_.upper, upper);
  result_.error = error;
  result_.evaluated = true;
  result_.t = t;
  result_.width = slices_[item.slice].length();
  result_.a = d.a;
  result_.b = d.b;
  result_.normal = d.normal;
  result_.part = item.part;
  result_.element = ~item.node;
}

/// Of a leaf, or one element, and a convex part: from one element to that which is nearer along its
/// normal.
template <class Elements>
void Search<Elements>::raiseByElements(const Snapshot& at, Look* look, Item* item) {
  const Slice& slice = slices_[item->slice];
  Item one = *item;
  double nearest = kInfinity;
  for (int i = 0; i < kMeasuredOfLeaf; ++i) {
    const std::int32_t before = one.node;
    if (item->node >= 0) one.node = ~elements_.leastElement(item->node, item->n, at.B);
    if (i > 0 && one.node == before) break;
    one.n = item->n;
    const Nearest d = measure(one, at);
    keep(d, one, at.t, look->error);
    result_.contact = d.meets;
    if (d.meets) return;
    nearest = std::min(nearest, d.distance);
    if (!d.normal.isZero(0.0)) raise(d.normal, look, item);
    if (item->bound >= limit() || item->node < 0) return;
  }
  const double room = &at == &slice.first  ? look->first
                      : &at == &slice.last ? look->last
                                           : 0.5 * (look->first + look->last);
  look->missing = nearest - (room - elements_.radius());
}

/// Of all else: along the nearest normal so far, from the nearest points of boxes, and from the
/// nearest points of the part itself and the box, as a box about it is loose where it is round or
/// slanted.
template <class Elements>
void Search<Elements>::raiseByBoxes(const Snapshot& at, Look* look, Item* item) {
  raiseByNearest(look, item);
  if (item->bound >= limit()) return;
  const RigidPart& part = parts_[item->part].part;
  const Pose X_OG = elements_.inO(at.A, at.B);
  const AlignedBox box = elements_.box(item->node, at.B);
  const Vec3 n =
      elements_.inF(directionBetweenBoxes(X_OG * part.center, X_OG.R * part.half, box), at.B);
  if (!n.isZero(0.0)) raise(n, look, item);
  const bool is_near_leaf =
      item->node >= 0 && elements_.nodes()[item->node].count <= Elements::kNearLeaves;
  if (item->bound < limit() && is_near_leaf && !shape_.isSplit(part)) {
    const Vec3 nearer = directionTo(shape_, part, X_OG, box);
    if (!nearer.isZero(0.0)) raise(elements_.inF(nearer, at.B), look, item);
  }
  // How wide the two are along n; all of them where no direction parts them.
  if (!(look->proven > -kInfinity)) {
    look->missing = (box.upper - box.lower).norm() + 2.0 * part.reach;
    return;
  }
  if (item->node >= 0) {
    look->missing = elements_.inO(item->n, at.B).cwiseAbs().dot(box.upper - box.lower);
  }
  if (shape_.isSplit(part)) {
    look->missing +=
        2.0 * (part.half.transpose() * (at.A.R.transpose() * item->n)).cwiseAbs().sum();
  }
}

}  // namespace allclear::tree
