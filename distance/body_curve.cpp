// A body's motion over a cell of time as a polynomial of degree 7 in Bernstein form (G. Farin,
// "Curves and surfaces for CAGD"). Poses are interpolated entry by entry: position and the nine
// entries of the rotation matrix alike, so that the curve of every body point is X(s) * p_B, a
// polynomial too. The interpolant is rigid only at the nodes; the remainder (`error`) accounts for
// that.
//
// The nodes are Chebyshev-Lobatto points: the extrema of the Chebyshev polynomial of degree 7 over
// the cell, both ends included. They keep the interpolation error near the least possible, and
// neighbouring cells meet exactly. The checks lie halfway (in angle) between the nodes, where the
// error is near its largest.
//
// Symbols: s in [0, 1] the place in the cell; w_i(s) the Bernstein polynomials; `control` their
// coefficients. Both maps, samples to coefficients and samples to values at the checks, are linear:
// matrices computed once.

#include "allclear/distance/body_curve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/simd.h"
#include "allclear/distance/geometry/bernstein.h"

namespace allclear {
namespace {

constexpr int kDegree = BodyCurve::kDegree;
constexpr int kCount = kDegree + 1;
using Weights = Eigen::Matrix<double, kCount, 1>;
using Square = Eigen::Matrix<double, kCount, kCount>;

/// Values of the Bernstein polynomials of degree 7 at s, by raising the degree from 0.
Weights bernsteinWeights(double s) {
  Weights w = Weights::Zero();
  w[0] = 1.0;
  for (int level = 1; level <= kDegree; ++level) {
    for (int i = level; i > 0; --i) w[i] = (1.0 - s) * w[i] + s * w[i - 1];
    w[0] *= 1.0 - s;
  }
  return w;
}

/// Maps samples at the Lobatto nodes to Bernstein coefficients: the inverse of "values at the
/// nodes".
Square coefficientsFromSamples() {
  Square values;
  for (int i = 0; i < kCount; ++i) values.row(i) = bernsteinWeights(LobattoNodes::at(i));
  Square inverse = values.fullPivLu().inverse();
  // The first and the last coefficient are the end samples themselves: exactly, so that cells meet.
  inverse.row(0).setZero();
  inverse(0, 0) = 1.0;
  inverse.row(kDegree).setZero();
  inverse(kDegree, kDegree) = 1.0;
  return inverse;
}

constexpr int kPoseSize = 12;
using PoseRows = double[kCount][kPoseSize];  ///< rotation by columns, then position
using RowWeights = std::array<std::array<double, kCount>, kCount>;

/// out = weights * poses, 12 numbers side by side.
ALLCLEAR_MULTIVERSION
void combineKernel(const RowWeights& weights, const PoseRows& poses, PoseRows& out) {
  for (int i = 0; i < kCount; ++i) {
    double sum[kPoseSize] = {};
    for (int k = 0; k < kCount; ++k) {
      for (int c = 0; c < kPoseSize; ++c) sum[c] += weights[i][k] * poses[k][c];
    }
    for (int c = 0; c < kPoseSize; ++c) out[i][c] = sum[c];
  }
}

/// The first kRows rows of weights * samples, as poses.
template <std::size_t kRows>
std::array<Pose, kRows> combinations(const RowWeights& weights,
                                     std::span<const Pose, kCount> samples) {
  // Eigen stores by columns: a pose is 9 numbers of R, then 3 of p.
  PoseRows given, out;
  for (int i = 0; i < kCount; ++i) {
    std::copy_n(samples[i].R.data(), 9, given[i]);
    std::copy_n(samples[i].p.data(), 3, given[i] + 9);
  }
  combineKernel(weights, given, out);
  std::array<Pose, kRows> poses;
  for (std::size_t i = 0; i < kRows; ++i) {
    std::copy_n(out[i], 9, poses[i].R.data());
    std::copy_n(out[i] + 9, 3, poses[i].p.data());
  }
  return poses;
}

RowWeights rowsOf(const Square& matrix) {
  RowWeights rows;
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < kCount; ++k) rows[i][k] = matrix(i, k);
  }
  return rows;
}

/// Samples at the nodes to values at the checks; the last row is idle.
Square checksFromSamples() {
  const Square inverse = coefficientsFromSamples();
  Square rows = Square::Zero();
  for (int j = 0; j < LobattoNodes::kChecks; ++j) {
    rows.row(j) = bernsteinWeights(LobattoNodes::at(kCount + j)).transpose() * inverse;
  }
  return rows;
}

Pose combination(const std::array<Pose, kCount>& poses, const Weights& weights) {
  Pose X{Mat3::Zero(), Vec3::Zero()};
  for (int i = 0; i < kCount; ++i) {
    X.R += weights[i] * poses[i].R;
    X.p += weights[i] * poses[i].p;
  }
  return X;
}

}  // namespace

Pose BodyCurve::pose(double t) const {
  const double length = time.length();
  return combination(control, bernsteinWeights(length > 0.0 ? (t - time.lower) / length : 0.0));
}

BodyCurve BodyCurve::restricted(Interval part) const {
  const double length = time.length();
  BodyCurve out = *this;
  out.time = part;
  if (!(length > 0.0)) return out;  // an instant: the polynomial is constant
  std::array<Eigen::Matrix<double, 3, 4>, kCount> control_34;
  for (int i = 0; i < kCount; ++i) control_34[i] << control[i].R, control[i].p;
  mcd::restrictTo((part.lower - time.lower) / length, (part.upper - time.lower) / length,
                  &control_34);
  for (int i = 0; i < kCount; ++i) {
    out.control[i] = {control_34[i].leftCols<3>(), control_34[i].col(3)};
  }
  return out;
}

Eigen::Matrix<double, 3, kCount> BodyCurve::pointCurve(const Vec3& p_B) const {
  Eigen::Matrix<double, 3, kCount> curve;
  for (int i = 0; i < kCount; ++i) curve.col(i) = control[i] * p_B;
  return curve;
}

BodyCurve BodyCurve::still(const Pose& X_WB, Interval time) {
  BodyCurve curve;
  curve.time = time;
  curve.control.fill(X_WB);
  return curve;
}

double LobattoNodes::at(int i) {
  if (i == 0) return 0.0;
  if (i == kDegree) return 1.0;
  const double turn = i > kDegree ? i - kCount + 0.5 : i;
  return 0.5 * (1.0 - std::cos(std::numbers::pi * turn / kDegree));
}

std::array<Pose, kCount> LobattoNodes::controlFromSamples(std::span<const Pose, kCount> samples) {
  static const RowWeights kWeights = rowsOf(coefficientsFromSamples());
  return combinations<kCount>(kWeights, samples);
}

std::array<Pose, LobattoNodes::kChecks> LobattoNodes::atChecks(
    std::span<const Pose, kCount> samples) {
  static const RowWeights kWeights = rowsOf(checksFromSamples());
  return combinations<kChecks>(kWeights, samples);
}

}  // namespace allclear
