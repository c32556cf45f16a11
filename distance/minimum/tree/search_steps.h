// Members of Search: the branch and bound. Included where a search is instantiated.
#pragma once

#include <algorithm>
#include <cmath>

#include "allclear/distance/minimum/tree/search.h"
#include "allclear/distance/minimum/tree/search_bounds.h"
#include "allclear/distance/minimum/tree/search_time.h"

namespace allclear::tree {

/// The item with the least bound is taken once in so many, and more rarely when many are open, as
/// it has to be looked for.
inline constexpr long kLeastEvery = 4;
inline constexpr std::size_t kOpenPerStep = 4;

/// Stretches of time are not halved below this share of a second: poses round by as much.
inline constexpr double kShortest = 1e-12;

/// A stretch of time is split while E is so many times less than what volumes can gain.
inline constexpr double kRemainderWeight = 8.0;

/// Looks at an item: closes it, or splits it.
template <class Elements>
void Search<Elements>::step(Item item) {
  if (item.bound >= limit()) return close(item.bound);
  Look look = lookAt(item);
  const bool is_whole = !shape_.isSplit(parts_[item.part].part);
  const bool has_children = hasChildren(item.node);
  // Where a distance is asked for, nothing is proven before one is seen: down to the nearest leaf.
  if (descends_ && !result_.evaluated && (has_children || !is_whole)) return splitVolumes(item);
  if (is_whole && !item.n.isZero(0.0)) {
    const bool is_kept = item.reach[0] == item.reach[0];
    raise(Vec3(item.n), is_kept ? std::array(item.reach) : reachOf(item.n, item), &look, &item);
  }
  if (item.bound >= limit()) return close(item.bound);
  const Snapshot& at = nearestInstant(look, item);
  if (has_children || !is_whole || item.n.isZero(0.0)) raiseByBoxes(at, &look, &item);
  if (item.bound >= limit()) return close(item.bound);
  if (is_whole && !has_children) raiseByElements(at, &look, &item);
  if (result_.contact) return;
  if (item.bound >= limit()) return close(item.bound);
  split(item, look);
}

template <class Elements>
void Search<Elements>::split(const Item& item, const Look& look) {
  const bool has_volumes = item.node >= 0 || shape_.isSplit(parts_[item.part].part);
  const bool can_halve = slices_[item.slice].length() > kShortest;
  // A bound that lacks more than that waits for a nearer pair, to be found among the elements.
  const double lack = std::max(look.missing, limit() - item.bound);
  if (can_halve && (!has_volumes || kRemainderWeight * look.remainder > lack)) {
    const int child = halves(item.slice);
    push(child, item.part, item.node, item);
    push(child + 1, item.part, item.node, item);
  } else if (has_volumes) {
    splitVolumes(item);
  } else {
    // A stretch that cannot be halved any more ends with what is proved.
    close(item.bound);
  }
}

/// The larger of both.
template <class Elements>
void Search<Elements>::splitVolumes(const Item& item) {
  const RigidPart& part = parts_[item.part].part;
  const AlignedBox box = elements_.box(item.node, slices_[item.slice].first.B);
  const double size = 0.5 * (box.upper - box.lower).norm();
  if (shape_.isSplit(part) && (item.node < 0 || part.reach > size)) {
    needChildren(item.part);
    const Part& parent = parts_[item.part];
    for (int i = 0; i < parent.children; ++i) push(item.slice, parent.child + i, item.node, item);
    return;
  }
  const auto& node = elements_.nodes()[item.node];
  if (node.child >= 0) {
    push(item.slice, item.part, node.child, item);
    push(item.slice, item.part, node.child + 1, item);
    return;
  }
  for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
    push(item.slice, item.part, ~i, item);
  }
}

/// Keeps an item unless what is known of it is enough.
template <class Elements>
void Search<Elements>::push(int s, int p, std::int32_t node, const Item& parent) {
  Item item{parent.bound, 0.0, parent.n, parent.reach, s, p, node};
  if (s != parent.slice || p != parent.part) item.reach[0] = std::nan("");
  Slice& slice = slices_[s];
  item.distance = gapOf(swept(s, p), slice, node);
  if (elements_.is_still) {
    item.bound = std::max(item.bound, item.distance - lookAt(item).loss);
    if (item.bound >= limit()) return close(item.bound);
  }
  const RigidPart& part = parts_[p].part;
  if (!shape_.isSplit(part)) {
    // The box about a slanted core, all along its way, is loose: no order to rely on.
    needMiddle(&slice);
    const Pose X_OG = elements_.inO(slice.middle.A, slice.middle.B);
    const AlignedBox box = elements_.box(node, slice.middle.B);
    item.distance = wayBetweenBoxes(X_OG * part.center, X_OG.R * part.half, box).norm();
  }
  fresh_.push_back(item);
}

/// The last one, or now and then the one with the least bound.
template <class Elements>
auto Search<Elements>::pop() -> Item {
  const long every = std::max<long>(kLeastEvery, static_cast<long>(open_.size() / kOpenPerStep));
  if (++popped_ % every == 0) {
    const auto least = std::min_element(
        open_.begin(), open_.end(), [](const Item& x, const Item& y) { return x.bound < y.bound; });
    std::swap(*least, open_.back());
  }
  const Item item = open_.back();
  open_.pop_back();
  return item;
}

/// Opens what the last step left, the nearest last. False when nothing is open.
template <class Elements>
bool Search<Elements>::openFresh() {
  std::sort(fresh_.begin(), fresh_.end(),
            [](const Item& x, const Item& y) { return x.distance > y.distance; });
  open_.insert(open_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  return !open_.empty();
}

/// What a bound has to reach to be closed.
template <class Elements>
double Search<Elements>::limit() const {
  if (!(result_.upper < kInfinity)) return threshold_;
  // Of an instant the distance is wanted to rounding.
  const double width =
      at_rest_ ? rounding_ : neededWidth(tolerance_, result_.upper, result_.error, focus_);
  return std::min(result_.upper - width, threshold_);
}

template <class Elements>
const SearchResult& Search<Elements>::run(const McdOptions& options, double focus) {
  if (options.threshold) threshold_ = *options.threshold;
  threshold_ = elements_.leastThreshold(shape_, threshold_);
  tolerance_ = options.tolerance;
  focus_ = focus;
  descends_ = !options.threshold || (options.refine && !options.decide_only);
  const Item all{-kInfinity, 0.0, Vec3::Zero(), {}, 0, 0, elements_.root()};
  for (int s = 0; s < roots_; ++s) push(s, 0, elements_.root(), all);
  StopSteps steps;
  while (!result_.contact && openFresh()) {
    steps.step();
    const bool is_decided =
        options.threshold && options.decide_only && result_.upper < *options.threshold;
    result_.spent = result_.evaluations >= options.max_evaluations;
    if (is_decided || result_.spent) break;
    step(pop());
  }
  for (const Item& item : open_) close(item.bound);
  const Snapshot& start = slices_.front().first;
  if (!result_.contact && !at_rest_ && elements_.meetsInside(shape_, start.A, start.B, start.t)) {
    result_.contact = result_.evaluated = true;
    result_.upper = std::min(result_.upper, 0.0);
    result_.t = start.t;
  }
  if (!result_.evaluated) {
    // A distance that occurs, or more than one.
    const Look look = lookAt(all);
    result_.upper =
        (start.A * shape_.points().front() - elements_.point(start.B)).norm() + look.error;
  }
  return result_;
}

}  // namespace allclear::tree
