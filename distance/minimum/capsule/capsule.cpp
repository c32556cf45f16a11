// The certified minimum over time of the distance of two capsules: branch and bound.
//
// On a cell the end points a_0, a_1 of A's axis and b_0, b_1 of B's are polynomials of degree 7 in
// Bernstein form. For any vector polynomial m(s), |w - m|^2 >= 0 with w the shortest connection
// gives
//   D^2 >= min_ij [2 m . (b_j - a_i) - |m|^2],
// the right side being linear in the witness and so least at end points. With m the cubic Hermite
// interpolant of w it is a polynomial of degree 10, bounded below by its Bernstein coefficients
//   c_r = C(10,r)^-1 [2 sum_{l+k=r} C(3,l) C(7,k) m_l . (b_jk - a_ik) - |m|^2_r].
// All is done for the polynomial motion; the remainders widen the bracket at the end.

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
constexpr int kDepth = 48;          // pending right ends of sub-cells
constexpr int kEven = 10;           // from this depth on: splits near the middle
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Search {
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

  ALLCLEAR_INLINE double cut() const {
    const double improved = best - slack;
    return improved < threshold ? improved : threshold;
  }
  ALLCLEAR_INLINE void drop(double bound) { lowest = bound < lowest ? bound : lowest; }
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

/// Bounds the cell [left, right] of `rows`, splitting it until all its parts are dropped.
ALLCLEAR_INLINE void searchCell(const double (*rows)[kRow], int cell, End left, const End& right,
                                double speed, double scale, Search* search) {
  End pending[kDepth];
  pending[0] = right;
  int top = 0;
  while (top >= 0) {
    const End& end = pending[top];
    const double length = end.s - left.s;
    const double lipschitz = 0.5 * (left.distance + end.distance - speed * length);
    const double cut = search->cut();
    bool drop = lipschitz >= cut || search->stopped;
    double bound = std::max(lipschitz, 0.0);
    double x = 0.5, predicted = 0.0;
    if (!drop && cut <= 0.0) {
      drop = true;
      bound = 0.0;
    }
    if (!drop) {
      const bool inner = innerMinimum(left.squared, left.slope * length, end.squared,
                                      end.slope * length, &x, &predicted);
      if (!inner) x = 0.5;
      if (!inner || predicted >= cut * cut) {
        double part[kCount][kRow];
        const bool whole = left.s == 0.0 && end.s == 1.0;
        if (!whole) restrictRows(rows, left.s, end.s, part);
        const double least = squaredDistanceBound(whole ? rows : part, left, end, scale);
        ++search->result.bound_evaluations;
        if (least >= cut * cut) {
          drop = true;
          bound = std::max(bound, std::sqrt(least));
        }
        x = std::clamp(x, 0.1, 0.9);
      }
    }
    if (!drop &&
        (top + 1 == kDepth || search->result.distance_evaluations >= search->max_evaluations)) {
      search->stopped = true;
      drop = true;
    }
    if (drop) {
      search->drop(bound);
      left = pending[top--];
      continue;
    }
    // Predictions that creep along from one side must not use up the depth.
    const double margin = top < kEven ? 1e-3 : 0.4;
    const double s = left.s + std::clamp(x, margin, 1.0 - margin) * length;
    double value[kRow], rate[kRow];
    evaluateRows(rows, s, value, rate);
    const SegmentPair pair = closestOfRow(value);
    ++search->result.distance_evaluations;
    const double distance = std::sqrt(pair.squared);
    fillEnd(value, rate, s, pair, distance, &pending[++top]);
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

ALLCLEAR_INLINE void nodeDistances(const Search& search, int first, int count,
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

/// Bound by the balls that the capsules sweep, as an axis distance of the polynomial motion.
ALLCLEAR_INLINE double ballBound(const CapsuleCurve& a, const CapsuleCurve& b,
                                 double* center_distance) {
  const double x = a.ball_center[0] - b.ball_center[0];
  const double y = a.ball_center[1] - b.ball_center[1];
  const double z = a.ball_center[2] - b.ball_center[2];
  *center_distance = std::sqrt(x * x + y * y + z * z);
  return *center_distance - (a.ball_radius - a.radius - a.error) -
         (b.ball_radius - b.radius - b.error);
}

ALLCLEAR_INLINE void searchChunk(int first, int count, unsigned active, Search* search) {
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
    // The right node was taken from the next cell's curves.
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
    End left, right;
    for (int c = 0; c < kRow; ++c) rate[c] = kDegree * (rows[1][c] - rows[0][c]);
    fillEnd(rows[0], rate, 0.0, {nodes.squared[i], nodes.sigma[i], nodes.tau[i]}, nodes.distance[i],
            &left);
    for (int c = 0; c < kRow; ++c) rate[c] = kDegree * (rows[kDegree][c] - rows[kDegree - 1][c]);
    fillEnd(rows[kDegree], rate, 1.0, {0.0, nodes.sigma[i + 1], nodes.tau[i + 1]}, right_distance,
            &right);
    searchCell(rows, cell, left, right, speed, a.scale + b.scale, search);
  }
}

/// The whole search: spheres, then nodes, then certificates.
ALLCLEAR_MULTIVERSION
void runSearch(Search* search) {
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
  // Without any distance evaluated the balls still say how far apart the axes are at most.
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

  Search search;
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
