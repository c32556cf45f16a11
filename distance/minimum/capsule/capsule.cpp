// The certified minimum over time of the distance of two capsules: branch and bound in time.
// (docs/algorithms/minimum-capsule.md has the whole story.)
//
// Symbols. On a cell, s in [0, 1], the end points a_0, a_1 of A's axis and b_0, b_1 of B's are
// polynomials of degree 7 in Bernstein form. D(s) is the distance of the axes, w(s) the shortest
// connection from A's axis to B's, |w| = D, m(s) any vector polynomial.
//
// The bound. |w - m|^2 >= 0 gives D^2 >= 2 m . w - |m|^2. As w = b - a for points of the two axes
// and the right side is linear in both, it is least at end points:
//   D^2 >= min_ij [2 m . (b_j - a_i) - |m|^2].
// It is sharp for m near w: m is the cubic Hermite interpolant of w between the ends of the
// interval. The right side is then a polynomial of degree 10, nowhere below its least Bernstein
// coefficient
//   c_r = C(10,r)^-1 [2 sum_{l+k=r} C(3,l) C(7,k) m_l . (b_jk - a_ik) - |m|^2_r]
// (`squaredDistanceBound` in rows.h).
//
// The loop. An interval is dropped when a bound of D on it reaches `cut()`: no instant of it can
// improve the result by more than the tolerance. Invariant: dropped and pending intervals cover all
// of the time, D >= `lowest` on all that was dropped, and `best` is a distance that occurs. In the
// end min(lowest, best) <= min D <= best. All is done for the polynomial motion; the curves' errors
// widen the bracket at the end.

#include "allclear/distance/minimum/capsule/capsule.h"

#include <algorithm>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/simd.h"
#include "allclear/distance/minimum/capsule/rows.h"
#include "allclear/distance/minimum/cubic_minimum.h"

namespace allclear {
namespace {

using namespace mcd;  // NOLINT: the pieces of this kernel

constexpr int kChunk = 15;          // cells treated at once
constexpr int kNodes = kChunk + 1;  // their end points: a multiple of the vector length
constexpr int kDepth = 48;          // pending right ends of intervals
// Splits stay this share of the interval away from its ends. A prediction may be off in the same
// direction again and again and creep along from one side; from the depth `kEven` on splits are
// near the middle, so that intervals shrink before the stack is full.
constexpr int kEven = 10;
constexpr double kMargin = 1e-3;
constexpr double kEvenMargin = 0.4;
/// Where a bound has failed the distance is low over a wide stretch: split it more evenly.
constexpr double kMarginAfterBound = 0.1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct CapsuleSearch {
  const CapsuleCurve* a;
  const CapsuleCurve* b;
  int a_step, b_step;  // 0 for a still capsule whose one curve serves all cells
  int cells;
  double slack;       // tolerance left for the polynomial motion
  double threshold;   // of the polynomial axes' distance
  double stop_below;  // deciding only: an axis distance below this ends the search
  int max_evaluations;

  double best = kInfinity;    // least axis distance found
  double lowest = kInfinity;  // least of the bounds of what was dropped
  bool stopped = false;
  CapsuleBracket result{};

  /// Intervals on which D is at least this cannot change the result: they improve `best` by less
  /// than the tolerance, or keep the threshold.
  ALLCLEAR_INLINE double cut() const {
    const double improved = best - slack;
    return improved < threshold ? improved : threshold;
  }
  /// An interval on which D >= `bound` is done with.
  ALLCLEAR_INLINE void drop(double bound) { lowest = bound < lowest ? bound : lowest; }
  /// A distance that occurs, at s of the cell, between axis points sigma and tau.
  ALLCLEAR_INLINE void offer(double distance, int cell, double s, double sigma, double tau) {
    if (distance >= best) return;
    best = distance;
    result.cell = cell;
    result.s = s;
    result.sigma = sigma;
    result.tau = tau;
    if (best < stop_below) stopped = true;
  }
};

/// What the bounds of an interval said.
struct IntervalBound {
  bool reaches_cut;
  double bound;  ///< of D on the interval
  double split;  ///< where to split it otherwise, as a share of its length
};

/// Bounds D on the interval [left, right] of the cell of `rows`, the cheapest bound first.
ALLCLEAR_INLINE IntervalBound boundInterval(const double (*rows)[kRow], const Connection& left,
                                            const Connection& right, double speed, double scale,
                                            CapsuleSearch* search) {
  const double length = right.s - left.s;
  // D falls from either end no faster than `speed`: it is least where both falls meet.
  const double lipschitz = 0.5 * (left.distance + right.distance - speed * length);
  const double cut = search->cut();
  IntervalBound out{lipschitz >= cut || search->stopped, std::max(lipschitz, 0.0), 0.5};
  if (out.reaches_cut) return out;
  if (cut <= 0.0) {  // the axes (all but) cross: no distance is below 0
    out = {true, 0.0, 0.5};
    return out;
  }
  // The cubic through the squared distances and slopes at both ends. Where it falls below the cut,
  // a bound would fail most likely: split at its minimum without one.
  double predicted = 0.0;
  const bool inner = innerMinimum(left.squared, left.slope * length, right.squared,
                                  right.slope * length, &out.split, &predicted);
  if (!inner) out.split = 0.5;
  if (inner && predicted < cut * cut) return out;
  double part[kCount][kRow];
  const bool whole = left.s == 0.0 && right.s == 1.0;
  if (!whole) restrictRows(rows, left.s, right.s, part);
  const double least = squaredDistanceBound(whole ? rows : part, left, right, scale);
  ++search->result.bound_evaluations;
  if (least >= cut * cut) {
    out.reaches_cut = true;
    out.bound = std::max(out.bound, std::sqrt(least));
  }
  out.split = std::clamp(out.split, kMarginAfterBound, 1.0 - kMarginAfterBound);
  return out;
}

/// Bounds D on the cell [left, right] of `rows`, splitting it until all its parts are dropped.
/// Depth first, the left part first: `left` moves on in time, and the right ends of the intervals
/// to come are on a stack.
ALLCLEAR_INLINE void searchCell(const double (*rows)[kRow], int cell, Connection left,
                                const Connection& right, double speed, double scale,
                                CapsuleSearch* search) {
  Connection pending[kDepth];
  pending[0] = right;
  int top = 0;
  while (top >= 0) {
    const Connection& end = pending[top];
    const IntervalBound interval = boundInterval(rows, left, end, speed, scale, search);
    bool drop = interval.reaches_cut;
    // Out of memory or evaluations: the interval keeps the bound that it has, and the result says
    // that it is undecided.
    if (!drop &&
        (top + 1 == kDepth || search->result.distance_evaluations >= search->max_evaluations)) {
      search->stopped = true;
      drop = true;
    }
    if (drop) {
      search->drop(interval.bound);
      left = pending[top--];
      continue;
    }
    const double margin = top < kEven ? kMargin : kEvenMargin;
    const double length = end.s - left.s;
    const double s = left.s + std::clamp(interval.split, margin, 1.0 - margin) * length;
    double value[kRow], rate[kRow];
    evaluateRows(rows, s, value, rate);
    const SegmentPair pair = closestOfRow(value);
    ++search->result.distance_evaluations;
    const double distance = std::sqrt(pair.squared);
    fillConnection(value, rate, s, pair, distance, &pending[++top]);
    search->offer(distance, cell, s, pair.sigma, pair.tau);
  }
}

/// Distances at the nodes (ends of cells) of a chunk, all at once.
struct NodeDistances {
  alignas(64) double distance[kNodes];
  alignas(64) double squared[kNodes];
  alignas(64) double sigma[kNodes];
  alignas(64) double tau[kNodes];
};

ALLCLEAR_INLINE void nodeDistances(const CapsuleSearch& search, int first, int count,
                                   NodeDistances* nodes) {
  alignas(64) double x[kRow][kNodes];
  const int padded = (count + 4) / 4 * 4;  // count + 1 nodes, whole vectors of four
  for (int i = 0; i < padded; ++i) {
    const int cell = first + std::min(i, count - 1);
    const int row = i < count ? 0 : kDegree;
    const CapsuleCurve& a = search.a[cell * search.a_step];
    const CapsuleCurve& b = search.b[cell * search.b_step];
    for (int c = 0; c < 3; ++c) {
      x[4 * c][i] = a.end[row][c][0];
      x[4 * c + 1][i] = a.end[row][c][1];
      x[4 * c + 2][i] = b.end[row][c][0];
      x[4 * c + 3][i] = b.end[row][c][1];
    }
  }
  for (int i = 0; i < padded; ++i) {
    const SegmentPair pair =
        closestOfSegments(x[1][i] - x[0][i], x[5][i] - x[4][i], x[9][i] - x[8][i],
                          x[3][i] - x[2][i], x[7][i] - x[6][i], x[11][i] - x[10][i],
                          x[2][i] - x[0][i], x[6][i] - x[4][i], x[10][i] - x[8][i]);
    nodes->squared[i] = pair.squared;
    nodes->sigma[i] = pair.sigma;
    nodes->tau[i] = pair.tau;
  }
  for (int i = 0; i < padded; ++i) nodes->distance[i] = std::sqrt(nodes->squared[i]);
}

/// Bound by the balls that the capsules sweep, as an axis distance of the polynomial motion: the
/// balls contain radius and error, which an axis does not have.
ALLCLEAR_INLINE double ballBound(const CapsuleCurve& a, const CapsuleCurve& b,
                                 double* center_distance) {
  const double x = a.ball_center[0] - b.ball_center[0];
  const double y = a.ball_center[1] - b.ball_center[1];
  const double z = a.ball_center[2] - b.ball_center[2];
  *center_distance = std::sqrt(x * x + y * y + z * z);
  return *center_distance - (a.ball_radius - a.radius - a.error) -
         (b.ball_radius - b.radius - b.error);
}

/// Cells [first, first + count), of which the bits of `active` say which the balls left over.
ALLCLEAR_INLINE void searchChunk(int first, int count, unsigned active, CapsuleSearch* search) {
  NodeDistances nodes;
  nodeDistances(*search, first, count, &nodes);
  search->result.distance_evaluations += count + 1;
  for (int i = 0; i <= count; ++i) {
    search->offer(nodes.distance[i], i < count ? first + i : first + count - 1,
                  i < count ? 0.0 : 1.0, nodes.sigma[i], nodes.tau[i]);
  }
  for (int i = 0; i < count; ++i) {
    if (!(active >> i & 1u)) continue;
    const int cell = first + i;
    const CapsuleCurve& a = search->a[cell * search->a_step];
    const CapsuleCurve& b = search->b[cell * search->b_step];
    const double speed = a.speed + b.speed;
    // The right node was taken from the next cell's curves, which may start a little elsewhere.
    double jump = 0.0;
    if (i + 1 < count) {
      jump =
          search->a_step * (&a)[search->a_step].jump + search->b_step * (&b)[search->b_step].jump;
    }
    const double right_distance = nodes.distance[i + 1] - jump;
    const double lipschitz = 0.5 * (nodes.distance[i] + right_distance - speed);
    const double cut = search->cut();
    if (lipschitz >= cut || cut <= 0.0 || search->stopped) {
      search->drop(std::max(lipschitz, 0.0));
      continue;
    }
    double rows[kCount][kRow], rate[kRow];
    gatherRows(a, b, rows);
    Connection left, right;
    for (int c = 0; c < kRow; ++c) rate[c] = kDegree * (rows[1][c] - rows[0][c]);
    fillConnection(rows[0], rate, 0.0, {nodes.squared[i], nodes.sigma[i], nodes.tau[i]},
                   nodes.distance[i], &left);
    for (int c = 0; c < kRow; ++c) rate[c] = kDegree * (rows[kDegree][c] - rows[kDegree - 1][c]);
    fillConnection(rows[kDegree], rate, 1.0, {0.0, nodes.sigma[i + 1], nodes.tau[i + 1]},
                   right_distance, &right);
    searchCell(rows, cell, left, right, speed, a.scale + b.scale, search);
  }
}

/// The whole search: balls, then the nodes' distances, then bounds of intervals.
ALLCLEAR_MULTIVERSION
void runSearch(CapsuleSearch* search) {
  double farthest = kInfinity;
  for (int first = 0; first < search->cells; first += kChunk) {
    const int count = std::min(kChunk, search->cells - first);
    unsigned active = 0;
    for (int i = 0; i < count; ++i) {
      const CapsuleCurve& a = search->a[(first + i) * search->a_step];
      const CapsuleCurve& b = search->b[(first + i) * search->b_step];
      double center_distance = 0.0;
      const double bound = ballBound(a, b, &center_distance);
      farthest = std::min(farthest, 2.0 * center_distance - bound);
      if (bound >= search->threshold || search->stopped) {
        search->drop(std::max(bound, 0.0));
      } else {
        active |= 1u << i;
      }
    }
    if (active != 0) searchChunk(first, count, active, search);
  }
  // Without any distance evaluated the balls still say how far apart the axes are at most: D is not
  // above the centres' distance plus both reaches, 2 centre_distance - bound.
  if (search->result.cell < 0) search->best = farthest;
}

}  // namespace

CapsuleBracket capsuleMinimum(std::span<const CapsuleCurve> a, std::span<const CapsuleCurve> b,
                              const CapsuleQuery& query) {
  const std::size_t cells = std::max(a.size(), b.size());
  ALLCLEAR_ASSERT(!a.empty() && !b.empty() && query.tolerance > 0.0);
  ALLCLEAR_ASSERT(a.size() == cells || (a.size() == 1 && a[0].still()));
  ALLCLEAR_ASSERT(b.size() == cells || (b.size() == 1 && b[0].still()));
  double a_error = 0.0, b_error = 0.0;
  for (const CapsuleCurve& curve : a) a_error = std::max(a_error, curve.error);
  for (const CapsuleCurve& curve : b) b_error = std::max(b_error, curve.error);
  const double error = a_error + b_error;
  const double radii = a[0].radius + b[0].radius;

  CapsuleSearch search;
  search.a = a.data();
  search.b = b.data();
  search.a_step = a.size() > 1 ? 1 : 0;
  search.b_step = b.size() > 1 ? 1 : 0;
  search.cells = static_cast<int>(cells);
  search.slack = std::max(query.tolerance - 2.0 * error, 0.5 * query.tolerance);
  search.threshold = query.threshold + radii + error;
  search.stop_below = query.decide_only ? query.threshold + radii - error : -kInfinity;
  search.max_evaluations = query.max_evaluations;
  search.result.cell = -1;
  runSearch(&search);

  CapsuleBracket result = search.result;
  // From axes of the polynomial motion to surfaces of the true one.
  result.lower = std::max(search.lowest, 0.0) - radii - error;
  result.upper = search.best - radii + error;
  if (search.lowest >= search.threshold) {
    result.lower = std::max(result.lower, query.threshold);
    result.status = McdStatus::kCertifiedAbove;
  } else if (query.threshold < kInfinity && result.upper < query.threshold) {
    result.status = McdStatus::kBelow;
  } else {
    result.status = search.stopped ? McdStatus::kUndecided : McdStatus::kBracketed;
  }
  return result;
}

}  // namespace allclear
