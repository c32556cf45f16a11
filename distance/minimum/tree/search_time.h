// Members of Search: stretches of time, and the least of a pair within one of them. Included where
// a search is instantiated.
#pragma once

#include <algorithm>

#include "allclear/distance/minimum/tree/search.h"

namespace allclear::tree {

/// Roundings of poses, interpolations and sums, relative to the coordinates: a few hundred
/// operations at most.
inline constexpr double kRounding = 500.0 * std::numeric_limits<double>::epsilon();

/// Steps of the golden section: each leaves 0.62 of the time, 40 of them 5e-9.
inline constexpr int kRefinements = 40;

/// To either side of the instant that was found the least is within so many times the interval
/// that golden section has left.
inline constexpr double kWindow = 2.0;

/// Turns of refining the instant of a pair and the pair of an instant. Each makes the distance
/// less; most often the first pair is the nearest.
inline constexpr int kRefineTurns = 6;

template <class Elements>
Search<Elements>::Search(const RigidShape& shape, const MovingShape& a, const Elements& elements,
                         const BoundTerms& terms)
    : shape_(shape), a_(a), elements_(elements), terms_(terms), X_FW_(elements.X_WF.inverse()) {
  parts_.push_back({shape.root(), -1, 0});
  double farthest = elements.X_WF.p.norm() + a.X_BG.p.norm() + shape.root().center.norm() +
                    shape.root().reach + elements.farthest();
  double of_curves = 0.0;
  for (const BodyCurve& curve : a.curves) {
    for (const Pose& X : curve.control) of_curves = std::max(of_curves, X.p.norm());
  }
  rounding_ = kRounding * 2.0 * (farthest + of_curves);
  makeSlices();
}

/// One instant of another search.
template <class Elements>
Search<Elements>::Search(const Search& other, int root, double t)
    : shape_(other.shape_),
      a_(other.a_),
      elements_(other.elements_),
      terms_(other.terms_),
      X_FW_(other.X_FW_),
      at_rest_(true),
      rounding_(other.rounding_),
      roots_(1) {
  parts_.push_back({shape_.root(), -1, 0});
  Slice slice;
  slice.cell = other.slices_[root].cell;
  slice.first = slice.last = other.snapshot(root, t);
  slices_.push_back(slice);
}

template <class Elements>
auto Search<Elements>::snapshot(int root, double t) const -> Snapshot {
  const Cell& cell = slices_[root].cell;
  return {t, X_FW_ * (a_.curves[cell.curve].pose(t) * a_.X_BG), elements_.at(cell.own, t)};
}

template <class Elements>
int Search<Elements>::rootAt(double t) const {
  int i = 0;
  while (i + 1 < roots_ && slices_[i].last.t < t) ++i;
  return i;
}

template <class Elements>
void Search<Elements>::makeSlices() {
  const std::vector<Cell> cells = elements_.cells(a_.curves);
  roots_ = static_cast<int>(cells.size());
  slices_.resize(cells.size());
  for (int i = 0; i < roots_; ++i) {
    Slice& slice = slices_[i];
    slice.cell = cells[i];
    // One curve of A may have many cells, each of which begins where the last one ends.
    if (i > 0 && cells[i].curve == cells[i - 1].curve) {
      slice.first.t = cells[i].time.lower;
      slice.first.A = slices_[i - 1].last.A;
      slice.first.B = elements_.at(cells[i].own, slice.first.t);
    } else {
      slice.first = snapshot(i, cells[i].time.lower);
    }
    slice.last = cells[i].time.length() > 0.0 ? snapshot(i, cells[i].time.upper) : slice.first;
  }
}

template <class Elements>
void Search<Elements>::needMiddle(Slice* slice) {
  if (slice->has_middle) return;
  slice->has_middle = true;
  const double t = 0.5 * (slice->first.t + slice->last.t);
  const Cell& cell = slice->cell;
  slice->middle = {t, X_FW_ * (a_.curves[cell.curve].pose(t) * a_.X_BG), elements_.at(cell.own, t)};
}

template <class Elements>
int Search<Elements>::halves(int i) {
  if (slices_[i].child >= 0) return slices_[i].child;
  needMiddle(&slices_[i]);
  const int child = static_cast<int>(slices_.size());
  slices_[i].child = child;
  Slice first;
  first.cell = slices_[i].cell;
  first.first = slices_[i].first;
  first.last = slices_[i].middle;
  Slice second = first;
  second.first = slices_[i].middle;
  second.last = slices_[i].last;
  slices_.push_back(first);
  slices_.push_back(second);
  return child;
}

template <class Elements>
void Search<Elements>::needChildren(int part) {
  if (parts_[part].child >= 0) return;
  std::vector<RigidPart> children;
  shape_.forChildren(parts_[part].part, [&](const RigidPart& child) { children.push_back(child); });
  parts_[part].child = static_cast<int>(parts_.size());
  parts_[part].children = static_cast<int>(children.size());
  for (RigidPart& child : children) parts_.push_back({child, -1, 0});
}

/// In turns the instant of the pair, and the nearest pair of the instant. Only the upper end gets
/// better. The lower one stays as proven, so that a second minimum in the stretch, which this does
/// not look for, costs exactness and never truth.
template <class Elements>
void Search<Elements>::refine() {
  const Interval whole = time();
  const Interval window{std::max(whole.lower, result_.t - result_.width),
                        std::min(whole.upper, result_.t + result_.width)};
  for (int turn = 0; turn < kRefineTurns; ++turn) {
    const bool is_earlier = minimizeInTime(window, kRefinements);
    if (turn > 0 && !is_earlier) return;
    Search instant(*this, rootAt(result_.t), result_.t);
    const SearchResult& there = instant.run(McdOptions());
    // A contact that the bracket excludes is one of rounding.
    if (there.contact || !there.evaluated) return;
    const double before = result_.upper;
    parts_.push_back({instant.parts_[there.part].part, -1, 0});
    measureAt(result_.t, static_cast<int>(parts_.size()) - 1, there.element, there.normal);
    if (!(result_.upper < before)) return;
  }
}

/// A pair of a part and an element at any instant: keeps it where it is nearer.
template <class Elements>
double Search<Elements>::measureAt(double t, int part, std::int32_t element, const Vec3& n) {
  const Item pair{0.0, 0.0, n, {}, rootAt(t), part, ~element};
  const double error = lookAt(pair).error;
  const Nearest d = measure(pair, snapshot(pair.slice, t));
  if (!d.meets) keep(d, pair, t, error);
  return d.distance + d.gap + d.errors * error;
}

/// By golden section: distances have kinks where the nearest features change, and no slope to rely
/// on. Whether the result is less.
template <class Elements>
bool Search<Elements>::minimizeInTime(Interval window, int steps) {
  constexpr double kGolden = 0.6180339887498949;
  double low = window.lower, high = window.upper;
  const SearchResult before = result_;
  const auto look = [&](double t) {
    return measureAt(t, before.part, before.element, before.normal);
  };
  // The least may be at either end: where the motion ends.
  look(low);
  look(high);
  double x = high - kGolden * (high - low), y = low + kGolden * (high - low);
  double at_x = look(x), at_y = look(y);
  for (int i = 0; i < steps && high > low; ++i) {
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
  if (!(result_.upper < before.upper)) return false;
  result_.width = kWindow * (high - low);
  return true;
}

}  // namespace allclear::tree
