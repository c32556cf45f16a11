// Proves that a closed polygon whose corners move linearly never crosses itself.
//
// For two edges on an interval of t, the four places of the ends of each bound all its places. When
// a line separates the two sets of four, the edges stay apart over the interval; else the interval
// is halved. Lines across either edge at the interval's middle, and along the axes, are tried. Two
// neighbours, p to q and q to r, have only q in common unless they fold back: they do not while
// their cross product keeps its sign or their product stays positive, each a quadratic of t.
//
// Pairs of edges come from a sweep along x over the boxes of all places.
#include "allclear/distance/deform/patch_contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace allclear::deform {
namespace {

/// Halvings of [0, 1]: pairs that need more come close at some t.
constexpr int kDeepest = 6;
/// Edges that a sweep compares at most, per edge of the loop: crowded loops are no simple ones.
constexpr int kMostComparisons = 400;

struct Point {
  double x = 0.0, y = 0.0;
  Point operator-(const Point& q) const { return {x - q.x, y - q.y}; }
};
double dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y; }
double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }

/// A corner at both ends of an interval of t.
struct Corner {
  Point start, end;
  Point middle() const { return {0.5 * (start.x + end.x), 0.5 * (start.y + end.y)}; }
};
using Edge = std::array<Corner, 2>;

Edge half(const Edge& e, bool late) {
  Edge out = e;
  for (Corner& c : out) (late ? c.start : c.end) = c.middle();
  return out;
}

/// Whether all places of a lie beyond all of b along n, or the other way round.
bool separates(const Point& n, const Edge& a, const Edge& b, double rounding) {
  double least_a = HUGE_VAL, most_a = -HUGE_VAL, least_b = HUGE_VAL, most_b = -HUGE_VAL;
  for (int i = 0; i < 2; ++i) {
    for (const Point& p : {a[i].start, a[i].end}) {
      least_a = std::min(least_a, dot(n, p));
      most_a = std::max(most_a, dot(n, p));
    }
    for (const Point& p : {b[i].start, b[i].end}) {
      least_b = std::min(least_b, dot(n, p));
      most_b = std::max(most_b, dot(n, p));
    }
  }
  // Each value is off by `rounding` for both coordinates, and by the product's own roundings: the
  // same again.
  const double pad = 4 * rounding * (std::abs(n.x) + std::abs(n.y));
  return least_a > most_b + pad || least_b > most_a + pad;
}

bool stayApart(const Edge& a, const Edge& b, double rounding, int depth) {
  const Point along_a = a[1].middle() - a[0].middle(), along_b = b[1].middle() - b[0].middle();
  const Point across_a{-along_a.y, along_a.x}, across_b{-along_b.y, along_b.x};
  for (const Point& n : {Point{1, 0}, Point{0, 1}, across_a, across_b}) {
    if (separates(n, a, b, rounding)) return true;
  }
  return depth < kDeepest && stayApart(half(a, false), half(b, false), rounding, depth + 1) &&
         stayApart(half(a, true), half(b, true), rounding, depth + 1);
}

/// Whether a quadratic with these Bernstein coefficients stays above `least` or, where `either` is
/// set, below its opposite.
bool keepsSign(const std::array<double, 3>& b, double least, bool either) {
  const bool is_above = b[0] > least && b[1] > least && b[2] > least;
  return is_above || (either && b[0] < -least && b[1] < -least && b[2] < -least);
}

/// Neighbours: the second edge starts where the first ends.
bool neverFoldBack(const Edge& a, const Edge& b, double rounding, int depth) {
  const Point u0 = a[1].start - a[0].start, u1 = a[1].end - a[0].end;
  const Point v0 = b[1].start - b[0].start, v1 = b[1].end - b[0].end;
  double size = 0.0;
  for (const Point& p : {u0, u1, v0, v1}) size = std::max({size, std::abs(p.x), std::abs(p.y)});
  // Two factors, each off by 2 roundings of a place, in two products.
  const double least = 16 * rounding * size;
  const std::array<double, 3> turn{cross(u0, v0), 0.5 * (cross(u0, v1) + cross(u1, v0)),
                                   cross(u1, v1)};
  const std::array<double, 3> product{dot(u0, v0), 0.5 * (dot(u0, v1) + dot(u1, v0)), dot(u1, v1)};
  if (keepsSign(turn, least, true) || keepsSign(product, least, false)) return true;
  return depth < kDeepest && neverFoldBack(half(a, false), half(b, false), rounding, depth + 1) &&
         neverFoldBack(half(a, true), half(b, true), rounding, depth + 1);
}

struct Box {
  double left = 0.0, right = 0.0, low = 0.0, high = 0.0;
};

Box boxOf(const Edge& e, double rounding) {
  const auto [left, right] = std::minmax({e[0].start.x, e[0].end.x, e[1].start.x, e[1].end.x});
  const auto [low, high] = std::minmax({e[0].start.y, e[0].end.y, e[1].start.y, e[1].end.y});
  return {left - rounding, right + rounding, low - rounding, high + rounding};
}

}  // namespace

bool staysSimple(const MovingLoop& loop, bool for_all_times) {
  // Neighbours first, which is cheap and fails often; then the sweep.
  const int n = loop.count;
  std::vector<Edge> edges(n);
  for (int i = 0; i < n; ++i) {
    const double *p = loop.corners + 4 * i, *q = loop.corners + 4 * ((i + 1) % n);
    const int end = for_all_times ? 2 : 0;
    edges[i] = {Corner{{p[0], p[1]}, {p[end], p[end + 1]}},
                Corner{{q[0], q[1]}, {q[end], q[end + 1]}}};
  }
  for (int i = 0; i < n; ++i) {
    if (!neverFoldBack(edges[i], edges[(i + 1) % n], loop.rounding, 0)) return false;
  }
  std::vector<Box> boxes(n);
  for (int i = 0; i < n; ++i) boxes[i] = boxOf(edges[i], loop.rounding);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return boxes[i].left < boxes[j].left; });
  long comparisons = 0;
  for (int i = 0; i < n; ++i) {
    const int a = order[i];
    for (int j = i + 1; j < n && boxes[order[j]].left <= boxes[a].right; ++j) {
      if (++comparisons > static_cast<long>(kMostComparisons) * n) return false;
      const int b = order[j];
      const bool are_neighbours = (a + 1) % n == b || (b + 1) % n == a;
      if (are_neighbours || boxes[a].high < boxes[b].low || boxes[b].high < boxes[a].low) continue;
      if (!stayApart(edges[a], edges[b], loop.rounding, 0)) return false;
    }
  }
  return true;
}

}  // namespace allclear::deform
