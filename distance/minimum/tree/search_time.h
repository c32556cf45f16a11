// Members of Search: stretches of time, and the least of a pair within one of them. Included where
// a search is instantiated.
#pragma once

#include <algorithm>
#include <cmath>

#include "allclear/distance/minimum/tree/search.h"

namespace allclear::tree {

/// Roundings of poses, interpolations and sums, relative to the coordinates: a few hundred
/// operations at most.
inline constexpr double kRounding = 500.0 * std::numeric_limits<double>::epsilon();

/// Steps of a minimum in time at most; about ten where the distance is smooth.
inline constexpr int kRefinements = 60;

/// An instant is wanted to this share of the stretch of time: nearer to the least a smooth distance
/// does not change any more.
inline constexpr double kInstant = 5e-9;

/// Of the golden section, from the nearer end: (3 - sqrt(5)) / 2.
inline constexpr double kGoldenShare = 0.3819660112501051;

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
    const bool is_earlier = minimizeInTime(window);
    if (turn > 0 && !is_earlier) return;
    // Only what is nearer than the pair is looked for.
    Search instant(*this, rootAt(result_.t), result_.t);
    instant.result_ = result_;
    instant.result_.upper = (result_.b - result_.a).dot(result_.normal);
    instant.result_.error = 0.0;
    const double known = instant.result_.upper;
    const SearchResult& there = instant.run(McdOptions());
    // A contact that the bracket excludes is one of rounding.
    if (there.contact || !(there.upper < known)) return;
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

/// By the method of R. Brent ("Algorithms for minimization without derivatives", 1973): to the
/// vertex of the parabola through the three nearest instants where that is safe, else by a golden
/// section, as distances have kinks where the nearest features change. Whether the result is less.
template <class Elements>
bool Search<Elements>::minimizeInTime(Interval window) {
  const SearchResult before = result_;
  const auto look = [&](double t) {
    return measureAt(t, before.part, before.element, before.normal);
  };
  const double step = kInstant * window.length();
  // low <= x <= high: x is the least so far; then w, and v, the least one before.
  double low = window.lower, high = window.upper;
  double x = std::clamp(before.t, low, high), w = x, v = x;
  double at_x = look(x), at_w = at_x, at_v = at_x;
  // At an end of the window one step inside tells whether the least is there.
  const double inside = x == low ? x + step : x - step;
  if ((x == low || x == high) && look(inside) >= at_x) return result_.upper < before.upper;
  double move = 0.0, move_before = 0.0;
  for (int i = 0; i < kRefinements && high - low > 2.0 * step; ++i) {
    const double middle = 0.5 * (low + high);
    if (std::abs(x - middle) + 0.5 * (high - low) <= 2.0 * step) break;
    const double r = (x - w) * (at_x - at_v), q = (x - v) * (at_x - at_w);
    const double above = (x - w) * r - (x - v) * q, below = 2.0 * (q - r);
    // x + above / below is the vertex.
    const double way = below != 0.0 ? above / below : 0.0;
    const bool is_safe = std::abs(move_before) > step && below != 0.0 &&
                         std::abs(way) < 0.5 * std::abs(move_before) && x + way > low &&
                         x + way < high;
    move_before = is_safe ? move : (x >= middle ? low - x : high - x);
    move = is_safe ? way : kGoldenShare * move_before;
    const double u = x + (std::abs(move) >= step ? move : std::copysign(step, move));
    const double at_u = look(u);
    if (at_u <= at_x) {
      (u >= x ? low : high) = x;
      v = w, at_v = at_w;
      w = x, at_w = at_x;
      x = u, at_x = at_u;
      continue;
    }
    (u < x ? low : high) = u;
    if (at_u <= at_w || w == x) {
      v = w, at_v = at_w;
      w = u, at_w = at_u;
    } else if (at_u <= at_v || v == x || v == w) {
      v = u, at_v = at_u;
    }
  }
  return result_.upper < before.upper;
}

}  // namespace allclear::tree
