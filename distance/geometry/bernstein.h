#pragma once

// Degree-7 Bernstein coefficients restricted to a part of their interval.

#include <array>

#include "allclear/core/simd.h"
#include "allclear/distance/body_curve.h"

namespace allclear::mcd {

/// Turns the eight coefficients over [0, 1] into those over [s0, s1], by de Casteljau's steps: cuts
/// off what is right of s1, then what is left of s0. Each step is a convex combination, so nothing
/// grows by rounding. `Coefficients` is an array of numbers, vectors or matrices.
template <class Coefficients>
void restrictTo(double s0, double s1, Coefficients* c) {
  constexpr int kCount = BodyCurve::kDegree + 1;
  if (s1 < 1.0) {
    for (int level = 1; level < kCount; ++level) {
      for (int i = kCount - 1; i >= level; --i) (*c)[i] = (1.0 - s1) * (*c)[i - 1] + s1 * (*c)[i];
    }
  }
  if (s0 > 0.0) {
    const double s = s0 / s1;
    for (int level = 1; level < kCount; ++level) {
      for (int i = 0; i < kCount - level; ++i) (*c)[i] = (1.0 - s) * (*c)[i] + s * (*c)[i + 1];
    }
  }
}

/// weights[i][j]: coefficient i over [s0, s1] of [0, 1] is sum_j weights[i][j] c_j, a convex
/// combination, by blossoming: coefficient i is the blossom at (s0 7-i times, s1 i times).
using RestrictionWeights = double[BodyCurve::kDegree + 1][BodyCurve::kDegree + 1];

ALLCLEAR_INLINE void restrictionWeights(double s0, double s1, RestrictionWeights weights) {
  constexpr int kCount = BodyCurve::kDegree + 1;
  // low[n][j], high[n][j]: Bernstein polynomials of degree n at s0 and s1.
  double low[kCount][kCount] = {}, high[kCount][kCount] = {};
  low[0][0] = high[0][0] = 1.0;
  for (int n = 1; n < kCount; ++n) {
    low[n][0] = (1.0 - s0) * low[n - 1][0];
    high[n][0] = (1.0 - s1) * high[n - 1][0];
    for (int j = 1; j <= n; ++j) {
      low[n][j] = (1.0 - s0) * low[n - 1][j] + s0 * low[n - 1][j - 1];
      high[n][j] = (1.0 - s1) * high[n - 1][j] + s1 * high[n - 1][j - 1];
    }
  }
  // The blossom with s0 (7 - i times) and s1 (i times) is the product of these two polynomials of
  // the coefficients' indices: degrees 7 - i and i.
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) weights[i][j] = 0.0;
    for (int j = 0; j < kCount - i; ++j) {
      for (int k = 0; k <= i; ++k) weights[i][j + k] += low[kCount - 1 - i][j] * high[i][k];
    }
  }
}

}  // namespace allclear::mcd
