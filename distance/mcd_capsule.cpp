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
//
// Rows of 12 numbers hold one coefficient (or value) of all end points: coordinate * 4 + (a_0, a_1,
// b_0, b_1), so that plain loops over them vectorise.

#include "allclear/distance/mcd_capsule.h"

#include <algorithm>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/multiversion.h"
#include "allclear/distance/mcd_bernstein.h"
#include "allclear/distance/mcd_hermite.h"
#include "allclear/distance/mcd_segment.h"

namespace allclear {
namespace {

using mcd::SegmentPair;

constexpr int kDegree = BodyCurve::kDegree;
constexpr int kCount = kDegree + 1;
constexpr int kRow = 12;
constexpr int kChunk = 15;          // cells treated at once
constexpr int kNodes = kChunk + 1;  // their end points: a multiple of the vector length
constexpr int kDepth = 48;          // pending right ends of sub-cells
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Bounds the roundings of a certificate's coefficient relative to |m| (|a| + |b| + |m|):
// restriction (30 roundings of convex weights), products (12 terms) and sums, twice over three
// coordinates.
constexpr double kCertificateRounding = 600.0 * std::numeric_limits<double>::epsilon() / 2.0;

/// The closest connection w at one instant of a cell and its motion per unit of s.
struct End {
  double s;
  double distance;
  double squared;
  double slope;  // of the squared distance
  double w[3];
  double dw[3];
  bool has_derivative;  // dw is meaningful
  double sigma, tau;
};

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

  ALLCLEAR_ALWAYS_INLINE double cut() const {
    const double improved = best - slack;
    return improved < threshold ? improved : threshold;
  }
  ALLCLEAR_ALWAYS_INLINE void drop(double bound) { lowest = bound < lowest ? bound : lowest; }
  ALLCLEAR_ALWAYS_INLINE void offer(double distance, int cell, double s, double sigma, double tau) {
    if (distance >= best) return;
    best = distance;
    result.cell = cell;
    result.s = s;
    result.sigma = sigma;
    result.tau = tau;
    if (best < stop_below) stopped = true;
  }
};

ALLCLEAR_ALWAYS_INLINE void gatherRows(const CapsuleCurve& a, const CapsuleCurve& b,
                                       double (*rows)[kRow]) {
  for (int k = 0; k < kCount; ++k) {
    for (int c = 0; c < 3; ++c) {
      rows[k][4 * c] = a.end[k][c][0];
      rows[k][4 * c + 1] = a.end[k][c][1];
      rows[k][4 * c + 2] = b.end[k][c][0];
      rows[k][4 * c + 3] = b.end[k][c][1];
    }
  }
}

/// Values and derivatives of all end points at s.
ALLCLEAR_ALWAYS_INLINE void evaluateRows(const double (*rows)[kRow], double s, double* x,
                                         double* dx) {
  const double r = 1.0 - s;
  const double s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s5 = s4 * s, s6 = s3 * s3;
  const double r2 = r * r, r3 = r2 * r, r4 = r2 * r2, r5 = r4 * r, r6 = r3 * r3;
  const double weights6[7] = {
      r6, 6.0 * s * r5, 15.0 * s2 * r4, 20.0 * s3 * r3, 15.0 * s4 * r2, 6.0 * s5 * r, s6};
  for (int i = 0; i < kRow; ++i) x[i] = 0.0;
  for (int i = 0; i < kRow; ++i) dx[i] = 0.0;
  for (int k = 0; k < kDegree; ++k) {
    const double value0 = weights6[k] * r, value1 = weights6[k] * s;
    const double rate = kDegree * weights6[k];
    for (int i = 0; i < kRow; ++i) {
      x[i] += value0 * rows[k][i] + value1 * rows[k + 1][i];
      dx[i] += rate * (rows[k + 1][i] - rows[k][i]);
    }
  }
}

ALLCLEAR_ALWAYS_INLINE SegmentPair closestOfRow(const double* x) {
  return mcd::closestOfSegments(x[1] - x[0], x[5] - x[4], x[9] - x[8], x[3] - x[2], x[7] - x[6],
                                x[11] - x[10], x[2] - x[0], x[6] - x[4], x[10] - x[8]);
}

/// Fills w and its derivative w' = x_b' - x_a' + tau' v - sigma' u, where sigma' and tau' keep w
/// perpendicular to the axes on which the witness is interior.
ALLCLEAR_ALWAYS_INLINE void fillEnd(const double* x, const double* dx, double s,
                                    const SegmentPair& pair, double distance, End* end) {
  double u[3], v[3], g[3];
  double uu = 0.0, vv = 0.0, uv = 0.0, p = 0.0, q = 0.0, slope = 0.0;
  const double sigma = pair.sigma, tau = pair.tau;
  for (int c = 0; c < 3; ++c) {
    const double* y = x + 4 * c;
    const double* dy = dx + 4 * c;
    u[c] = y[1] - y[0];
    v[c] = y[3] - y[2];
    const double du = dy[1] - dy[0], dv = dy[3] - dy[2];
    const double w = y[2] + tau * v[c] - y[0] - sigma * u[c];
    g[c] = dy[2] + tau * dv - dy[0] - sigma * du;
    end->w[c] = w;
    slope += 2.0 * w * g[c];
    uu += u[c] * u[c];
    vv += v[c] * v[c];
    uv += u[c] * v[c];
    p += du * w + u[c] * g[c];
    q += dv * w + v[c] * g[c];
  }
  const bool a_inside = sigma > 0.0 && sigma < 1.0;
  const bool b_inside = tau > 0.0 && tau < 1.0;
  double dsigma = 0.0, dtau = 0.0;
  end->has_derivative = true;
  if (a_inside && b_inside) {
    const double determinant = uu * vv - uv * uv;
    if (determinant > 1e-6 * uu * vv) {
      dsigma = (vv * p - uv * q) / determinant;
      dtau = (uv * p - uu * q) / determinant;
    } else {
      end->has_derivative = false;
    }
  } else if (a_inside) {
    dsigma = p / uu;
  } else if (b_inside) {
    dtau = -q / vv;
  }
  for (int c = 0; c < 3; ++c) end->dw[c] = g[c] + dtau * v[c] - dsigma * u[c];
  end->s = s;
  end->distance = distance;
  end->squared = distance * distance;
  end->slope = slope;
  end->sigma = sigma;
  end->tau = tau;
}

/// Bernstein coefficients over [s0, s1] of [0, 1].
ALLCLEAR_ALWAYS_INLINE void restrictRows(const double (*rows)[kRow], double s0, double s1,
                                         double (*part)[kRow]) {
  mcd::RestrictionWeights weights;
  mcd::restrictionWeights(s0, s1, weights);
  for (int i = 0; i < kCount; ++i) {
    for (int c = 0; c < kRow; ++c) part[i][c] = 0.0;
    for (int j = 0; j < kCount; ++j) {
      for (int c = 0; c < kRow; ++c) part[i][c] += weights[i][j] * rows[j][c];
    }
  }
}

/// Lower bound of the squared axis distance over the cell of `rows`, which is [start.s, end.s].
ALLCLEAR_ALWAYS_INLINE double certificate(const double (*rows)[kRow], const End& start,
                                          const End& end, double scale) {
  constexpr double kBinomial3[4] = {1, 3, 3, 1};
  constexpr double kBinomial4[5] = {1, 4, 6, 4, 1};
  constexpr double kBinomial7[8] = {1, 7, 21, 35, 35, 21, 7, 1};
  constexpr double kPerBinomial10[11] = {1.0,       1.0 / 10,  1.0 / 45,  1.0 / 120,
                                         1.0 / 210, 1.0 / 252, 1.0 / 210, 1.0 / 120,
                                         1.0 / 45,  1.0 / 10,  1.0};
  double m[4][3];  // Bernstein coefficients of m times binomials
  const bool cubic = start.has_derivative && end.has_derivative;
  const double third = (end.s - start.s) / 3.0;
  double largest = 0.0;
  for (int c = 0; c < 3; ++c) {
    const double chord = (end.w[c] - start.w[c]) / 3.0;
    m[0][c] = start.w[c];
    m[1][c] = start.w[c] + (cubic ? third * start.dw[c] : chord);
    m[2][c] = end.w[c] - (cubic ? third * end.dw[c] : chord);
    m[3][c] = end.w[c];
    for (int l = 0; l < 4; ++l) {
      largest = std::max(largest, std::abs(m[l][c]));
      m[l][c] *= kBinomial3[l];
    }
  }
  double products[11][4] = {};
  for (int k = 0; k < kCount; ++k) {
    for (int l = 0; l < 4; ++l) {
      const double x = m[l][0] * kBinomial7[k], y = m[l][1] * kBinomial7[k],
                   z = m[l][2] * kBinomial7[k];
      for (int e = 0; e < 4; ++e) {
        products[k + l][e] += x * rows[k][e] + y * rows[k][4 + e] + z * rows[k][8 + e];
      }
    }
  }
  double square[7] = {}, elevated[11] = {};
  for (int l = 0; l < 4; ++l) {
    for (int n = 0; n < 4; ++n) {
      square[l + n] += m[l][0] * m[n][0] + m[l][1] * m[n][1] + m[l][2] * m[n][2];
    }
  }
  for (int n = 0; n < 7; ++n) {
    for (int i = 0; i < 5; ++i) elevated[n + i] += kBinomial4[i] * square[n];
  }
  double least = kInfinity;
  for (int r = 0; r < 11; ++r) {
    const double far_a = std::max(products[r][0], products[r][1]);
    const double near_b = std::min(products[r][2], products[r][3]);
    least = std::min(least, (2.0 * (near_b - far_a) - elevated[r]) * kPerBinomial10[r]);
  }
  return least - kCertificateRounding * largest * (scale + largest);
}

/// Bounds the cell [left, right] of `rows`, splitting it until all its parts are dropped.
ALLCLEAR_ALWAYS_INLINE void searchCell(const double (*rows)[kRow], int cell, End left,
                                       const End& right, double speed, double scale,
                                       Search* search) {
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
      const bool inner = mcd::innerMinimum(left.squared, left.slope * length, end.squared,
                                           end.slope * length, &x, &predicted);
      if (!inner) x = 0.5;
      if (!inner || predicted >= cut * cut) {
        double part[kCount][kRow];
        const bool whole = left.s == 0.0 && end.s == 1.0;
        if (!whole) restrictRows(rows, left.s, end.s, part);
        const double least = certificate(whole ? rows : part, left, end, scale);
        ++search->result.certificates;
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
    const double s = left.s + std::clamp(x, 1e-3, 1.0 - 1e-3) * length;
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

ALLCLEAR_ALWAYS_INLINE void nodeDistances(const Search& search, int first, int count,
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
        mcd::closestOfSegments(x[1][i] - x[0][i], x[5][i] - x[4][i], x[9][i] - x[8][i],
                               x[3][i] - x[2][i], x[7][i] - x[6][i], x[11][i] - x[10][i],
                               x[2][i] - x[0][i], x[6][i] - x[4][i], x[10][i] - x[8][i]);
    nodes->squared[i] = pair.squared;
    nodes->sigma[i] = pair.sigma;
    nodes->tau[i] = pair.tau;
  }
  for (int i = 0; i < padded; ++i) nodes->distance[i] = std::sqrt(nodes->squared[i]);
}

/// Bound by the balls that the capsules sweep, as an axis distance of the polynomial motion.
ALLCLEAR_ALWAYS_INLINE double ballBound(const CapsuleCurve& a, const CapsuleCurve& b,
                                        double* center_distance) {
  const double x = a.ball_center[0] - b.ball_center[0];
  const double y = a.ball_center[1] - b.ball_center[1];
  const double z = a.ball_center[2] - b.ball_center[2];
  *center_distance = std::sqrt(x * x + y * y + z * z);
  return *center_distance - (a.ball_radius - a.radius - a.error) -
         (b.ball_radius - b.radius - b.error);
}

ALLCLEAR_ALWAYS_INLINE void searchChunk(int first, int count, unsigned active, Search* search) {
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

ALLCLEAR_MULTIVERSION
void capsuleInstant(const CapsuleCurve& a, const CapsuleCurve& b, double s,
                    CapsuleInstant* instant) {
  double rows[kCount][kRow];
  gatherRows(a, b, rows);
  evaluateRows(rows, s, instant->x, instant->dx);
  const SegmentPair pair = closestOfRow(instant->x);
  instant->distance = std::sqrt(pair.squared);
  instant->sigma = pair.sigma;
  instant->tau = pair.tau;
}

ALLCLEAR_MULTIVERSION
double capsuleCertificate(const CapsuleCurve& a, const CapsuleCurve& b, double s0, double s1) {
  double rows[kCount][kRow], part[kCount][kRow], value[kRow], rate[kRow];
  gatherRows(a, b, rows);
  End ends[2];
  for (int i = 0; i < 2; ++i) {
    const double s = i == 0 ? s0 : s1;
    evaluateRows(rows, s, value, rate);
    const SegmentPair pair = closestOfRow(value);
    fillEnd(value, rate, s, pair, std::sqrt(pair.squared), &ends[i]);
  }
  restrictRows(rows, s0, s1, part);
  return certificate(part, ends[0], ends[1], a.scale + b.scale);
}

ALLCLEAR_MULTIVERSION
double capsuleApproach(const CapsuleCurve& a, const CapsuleCurve& b, const Vec3& normal,
                       bool backward) {
  double rows[kCount][kRow];
  double n[3];
  for (int c = 0; c < 3; ++c) n[c] = backward ? -normal.data()[c] : normal.data()[c];
  gatherRows(a, b, rows);
  double fastest = -kInfinity;
  for (int k = 0; k < kDegree; ++k) {
    double along[4] = {};
    for (int c = 0; c < 3; ++c) {
      for (int e = 0; e < 4; ++e) {
        along[e] += n[c] * (rows[k + 1][4 * c + e] - rows[k][4 * c + e]);
      }
    }
    fastest = std::max(fastest, std::max(along[0], along[1]) - std::min(along[2], along[3]));
  }
  const double rounding = kCertificateRounding * (a.scale + b.scale);
  return kDegree * fastest + rounding;
}

}  // namespace allclear
