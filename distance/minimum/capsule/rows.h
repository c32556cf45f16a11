#pragma once

// Pieces of the capsules' kernels, to be inlined into them. All instants and intervals are of one
// cell, s in [0, 1]. Symbols and the idea of the bound: capsule.cpp.
//
// Rows of 12 numbers hold one coefficient (or value) of all end points: coordinate * 4 + (a_0, a_1,
// b_0, b_1), so that plain loops over them vectorise.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "allclear/core/simd.h"
#include "allclear/distance/geometry/bernstein.h"
#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/distance/minimum/capsule/segments_kernel.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // never passed through a real call

namespace allclear::mcd {

constexpr int kDegree = BodyCurve::kDegree;
constexpr int kCount = kDegree + 1;
constexpr int kRow = 12;
// Bounds the roundings of a certificate's coefficient relative to |m| (|a| + |b| + |m|), in units
// of half an epsilon: restriction (14 levels of 3, and 42 for the rounded end as seen from the
// other one), products and sums (some 16), twice over three coordinates: 600 at most.
constexpr double kCertificateRounding = 800.0 * std::numeric_limits<double>::epsilon() / 2.0;

/// Below this share of |u|^2 |v|^2 the determinant of the witnesses' equations has lost so many
/// digits to cancellation (axes within 1e-3 rad of parallel) that w' is not worth having.
constexpr double kParallel = 1e-6;

/// The closest connection w from A's axis to B's at one instant of a cell, and its motion per unit
/// of s.
struct Connection {
  double s;
  double distance;  // |w|
  double squared;
  double slope;  // of the squared distance
  double w[3];
  double dw[3];
  bool has_derivative;  // dw is meaningful
  double sigma, tau;
};

ALLCLEAR_INLINE void gatherRows(const CapsuleCurve& a, const CapsuleCurve& b,
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

/// Values and derivatives of all end points at s. Bernstein polynomials of degree 6 give both: the
/// value is the mean of neighbouring coefficients weighted by 1 - s and s, the derivative seven
/// times their difference.
ALLCLEAR_INLINE void evaluateRows(const double (*rows)[kRow], double s, double* x, double* dx) {
  // Plain powers: all weights are sums of positive terms, which lose no digits.
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

ALLCLEAR_INLINE SegmentPair closestOfRow(const double* x) {
  return closestOfSegments(x[1] - x[0], x[5] - x[4], x[9] - x[8], x[3] - x[2], x[7] - x[6],
                           x[11] - x[10], x[2] - x[0], x[6] - x[4], x[10] - x[8]);
}

/// Fills w and its derivative. With the axes' vectors u = a_1 - a_0, v = b_1 - b_0 and the
/// witnesses a_0 + sigma u, b_0 + tau v,
///   w' = g + tau' v - sigma' u,   g = (b_0 + tau v)' - (a_0 + sigma u)' at fixed sigma and tau.
/// A witness that is interior to its axis stays where w is perpendicular to that axis: (u . w)' = 0
/// gives uu sigma' - uv tau' = p = u' . w + u . g, and (v . w)' = 0 gives uv sigma' - vv tau' = q =
/// v' . w + v . g. A witness at an end point stays there: its derivative is 0, and so is its
/// equation dropped. The slope of D^2 needs no sigma' nor tau': w . w' = w . g, as w is
/// perpendicular to the axes on which the witnesses can move.
ALLCLEAR_INLINE void fillConnection(const double* x, const double* dx, double s,
                                    const SegmentPair& pair, double distance, Connection* end) {
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
    g[c] = dy[2] + tau * dv - dy[0] - sigma * du;  // symbols as above
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
    if (determinant > kParallel * uu * vv) {
      dsigma = (vv * p - uv * q) / determinant;
      dtau = (uv * p - uu * q) / determinant;
    } else {
      end->has_derivative = false;  // the witnesses slide along parallel axes
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

/// Bernstein coefficients over [s0, s1] of [0, 1] by de Casteljau's algorithm: a cut at s0 leaves
/// the coefficients of [s0, 1], a second one at s1, as seen from there, those of [s0, s1].
ALLCLEAR_INLINE void restrictRows(const double (*rows)[kRow], double s0, double s1,
                                  double (*part)[kRow]) {
  // Seen from [s0, 1] the second cut lies at (s1 - s0) / (1 - s0).
  const double cut = s1 < 1.0 ? (s1 - s0) / (1.0 - s0) : 1.0;
  for (int c = 0; c < kRow; c += 4) {
    Pack4 x[kCount];
    for (int k = 0; k < kCount; ++k) x[k] = packOf4(rows[k] + c);
    if (s0 > 0.0) {
#pragma GCC unroll 8
      for (int level = kDegree; level > 0; --level) {
#pragma GCC unroll 8
        for (int k = 0; k < level; ++k) x[k] = (1.0 - s0) * x[k] + s0 * x[k + 1];
      }
    }
    if (cut < 1.0) {
#pragma GCC unroll 8
      for (int level = 1; level < kCount; ++level) {
#pragma GCC unroll 8
        for (int k = kDegree; k >= level; --k) x[k] = (1.0 - cut) * x[k - 1] + cut * x[k];
      }
    }
    for (int k = 0; k < kCount; ++k) std::memcpy(part[k] + c, &x[k], sizeof x[k]);
  }
}

/// Bernstein coefficients, times binomials C(3,l), of the cubic m with the values w and the
/// derivatives w' of both ends; of the chord where either has none. Returns the largest
/// |coordinate| of a coefficient.
ALLCLEAR_INLINE double hermiteOf(const Connection& start, const Connection& end, double (*m)[3]) {
  constexpr double kBinomial3[4] = {1, 3, 3, 1};
  const bool cubic = start.has_derivative && end.has_derivative;
  const double third = (end.s - start.s) / 3.0;
  double largest = 0.0;
  for (int c = 0; c < 3; ++c) {
    const double chord = (end.w[c] - start.w[c]) / 3.0;
    // Bernstein form: the inner coefficients are a third of the interval along the end's tangent.
    m[0][c] = start.w[c];
    m[1][c] = start.w[c] + (cubic ? third * start.dw[c] : chord);
    m[2][c] = end.w[c] - (cubic ? third * end.dw[c] : chord);
    m[3][c] = end.w[c];
    for (int l = 0; l < 4; ++l) {
      largest = std::max(largest, std::abs(m[l][c]));
      m[l][c] *= kBinomial3[l];
    }
  }
  return largest;
}

/// Coefficients of |m|^2 raised to degree 10, times binomials C(10,r): the square has degree 6, and
/// raising multiplies by (1 - s + s)^4.
ALLCLEAR_INLINE void squareOf(const double (*m)[3], double* elevated) {
  constexpr double kBinomial4[5] = {1, 4, 6, 4, 1};
  double square[7] = {};
  for (int l = 0; l < 4; ++l) {
    for (int n = 0; n < 4; ++n) {
      square[l + n] += m[l][0] * m[n][0] + m[l][1] * m[n][1] + m[l][2] * m[n][2];
    }
  }
  for (int r = 0; r < 11; ++r) elevated[r] = 0.0;
  for (int n = 0; n < 7; ++n) {
    for (int i = 0; i < 5; ++i) elevated[n + i] += kBinomial4[i] * square[n];
  }
}

/// Coefficients of m . x for the four end points x = a_0, a_1, b_0, b_1, times binomials C(10,r).
ALLCLEAR_INLINE void productsOf(const double (*m)[3], const double (*rows)[kRow],
                                double (*products)[4]) {
  constexpr double kBinomial7[8] = {1, 7, 21, 35, 35, 21, 7, 1};
  Pack4 scaled[kCount][3];
  for (int k = 0; k < kCount; ++k) {
    for (int c = 0; c < 3; ++c) scaled[k][c] = kBinomial7[k] * packOf4(rows[k] + 4 * c);
  }
#pragma GCC unroll 11
  for (int r = 0; r < 11; ++r) {
    Pack4 sum{};
#pragma GCC unroll 4
    for (int l = 0; l < 4; ++l) {
      if (r - l < 0 || r - l >= kCount) continue;  // k = r - l
      const Pack4* y = scaled[r - l];
      sum += m[l][0] * y[0] + m[l][1] * y[1] + m[l][2] * y[2];
    }
    std::memcpy(products[r], &sum, sizeof sum);
  }
}

/// Lower bound of the squared axis distance over the interval [start.s, end.s] of the cell, whose
/// coefficients are `rows`; `scale` bounds their magnitudes. May be negative.
ALLCLEAR_INLINE double squaredDistanceBound(const double (*rows)[kRow], const Connection& start,
                                            const Connection& end, double scale) {
  constexpr double kPerBinomial10[11] = {1.0,       1.0 / 10,  1.0 / 45,  1.0 / 120,
                                         1.0 / 210, 1.0 / 252, 1.0 / 210, 1.0 / 120,
                                         1.0 / 45,  1.0 / 10,  1.0};
  double m[4][3], products[11][4], square[11];
  const double largest = hermiteOf(start, end, m);
  productsOf(m, rows, products);
  squareOf(m, square);
  // c_r, the least over both end points of either axis.
  double least = std::numeric_limits<double>::infinity();
  for (int r = 0; r < 11; ++r) {
    const double far_a = std::max(products[r][0], products[r][1]);
    const double near_b = std::min(products[r][2], products[r][3]);
    least = std::min(least, (2.0 * (near_b - far_a) - square[r]) * kPerBinomial10[r]);
  }
  return least - kCertificateRounding * largest * (scale + largest);
}

}  // namespace allclear::mcd

#pragma GCC diagnostic pop
