// The motion of body A seen from body B as one polynomial in time, and its quadratic part.
//
// Symbols. R_A, R_B rotations and T_A, T_B positions of the centre frames, D = T_A - T_B; a tilde
// marks the polynomials that stand for them. Seen from B the point u of A is at R_B'(R_A u + D).
//
// Errors. With R~ = R + E, |E u| <= e_R |u|, and T~ within e_T of T,
//   |R~_B'(R~_A u + D~) - R_B'(R_A u + D)| <= e_RB |R~_A u + D~| + e_TA + e_TB + e_RA |u|
//     <= (e_TA + e_TB + e_RB |D~|) + (e_RA + e_RB (1 + e_RA)) |u|:
// the constant `error` and the `error_slope` per metre from A's centre.
//
// Degree. The product of two curves of degree 7 has degree 14. In Chebyshev form a term is as large
// as its coefficient at most (|T_k| <= 1): the terms of degree 8 and more are dropped and their
// sizes added to the errors.

#include "allclear/distance/minimum/mesh/relative_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "allclear/core/simd.h"

namespace allclear::mcd {
namespace {

constexpr int kDegree = BodyCurve::kDegree;
constexpr int kCount = kDegree + 1;
constexpr int kProduct = 2 * kDegree + 1;  // coefficients of a product

double chebyshev(int k, double x) { return std::cos(k * std::acos(std::clamp(x, -1.0, 1.0))); }

double binomial(int n, int k) {
  double b = 1.0;
  for (int i = 0; i < k; ++i) b = b * (n - i) / (i + 1);
  return b;
}

/// Bernstein coefficients of degree N - 1 to Chebyshev coefficients: both bases are evaluated at
/// the N Chebyshev nodes, which determine the polynomial.
template <int N>
const Eigen::Matrix<double, N, N>& chebyshevFromBernstein() {
  static const Eigen::Matrix<double, N, N> matrix = [] {
    // Values of both bases at the nodes: bernstein b = polynomials c.
    Eigen::Matrix<double, N, N> bernstein, polynomials;
    for (int i = 0; i < N; ++i) {
      const double x = std::cos(std::numbers::pi * (i + 0.5) / N), s = 0.5 * (1.0 + x);
      for (int k = 0; k < N; ++k) {
        bernstein(i, k) = binomial(N - 1, k) * std::pow(s, k) * std::pow(1.0 - s, N - 1 - k);
        polynomials(i, k) = chebyshev(k, x);
      }
    }
    Eigen::Matrix<double, N, N> result = polynomials.partialPivLu().solve(bernstein);
    return result;
  }();
  return matrix;
}

/// Chebyshev coefficients of degree 7 to those of powers.
const Eigen::Matrix<double, kCount, kCount>& powersFromChebyshev() {
  static const Eigen::Matrix<double, kCount, kCount> matrix = [] {
    Eigen::Matrix<double, kCount, kCount> m = Eigen::Matrix<double, kCount, kCount>::Zero();
    m(0, 0) = 1.0;
    m(1, 1) = 1.0;
    for (int k = 2; k < kCount; ++k) {  // T_k = 2 x T_{k-1} - T_{k-2}
      for (int i = 1; i < kCount; ++i) m(i, k) = 2.0 * m(i - 1, k - 1);
      m.col(k) -= m.col(k - 2);
    }
    return m;
  }();
  return matrix;
}

const Eigen::Matrix<double, kCount, kCount>& powersFromBernstein() {
  static const Eigen::Matrix<double, kCount, kCount> matrix =
      powersFromChebyshev() * chebyshevFromBernstein<kCount>();
  return matrix;
}

/// One coefficient: rows of the 3x3 part, then the translation.
using Row = Eigen::Matrix<double, 1, 12>;

void store(const Mat3& R, const Vec3& p, double* out) {
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out[3 * i + k] = R(i, k);
    out[9 + i] = p[i];
  }
}

template <int N>
using Coefficients = Eigen::Matrix<double, N, 12, Eigen::RowMajor>;

/// Bernstein coefficients, degree 14, of R_B' R_A and R_B' D: a convolution of coefficients times
/// binomials. The positions of `A` are relative to B's already.
Coefficients<kProduct> product(const std::array<Pose, kCount>& A,
                               const std::array<Pose, kCount>& B) {
  static constexpr double kBinomial[kCount] = {1, 7, 21, 35, 35, 21, 7, 1};
  Coefficients<kProduct> sum = Coefficients<kProduct>::Zero();
  for (int i = 0; i < kCount; ++i) {
    const Mat3 Rt = kBinomial[i] * B[i].R.transpose();
    for (int j = 0; j < kCount; ++j) {
      double part[12];
      store(kBinomial[j] * (Rt * A[j].R), kBinomial[j] * (Rt * A[j].p), part);
      sum.row(i + j) += Eigen::Map<const Row>(part);
    }
  }
  for (int k = 0; k < kProduct; ++k) sum.row(k) /= binomial(2 * kDegree, k);
  return sum;
}

}  // namespace

bool isStill(const BodyCurve& curve) {
  for (const Pose& X : curve.control) {
    if (X.R != curve.control[0].R || X.p != curve.control[0].p) return false;
  }
  return curve.bounds.linear[0] == 0.0 && curve.bounds.angular[0] == 0.0;
}

mesh::Affine RelativeCurve::at(double s) const {
  double x[12];
  for (int i = 0; i < 12; ++i) x[i] = C[kDegree][i];
  for (int k = kDegree - 1; k >= 0; --k) {
    for (int i = 0; i < 12; ++i) x[i] = x[i] * s + C[k][i];
  }
  mesh::Affine out;
  std::copy(x, x + 9, out.R);
  std::copy(x + 9, x + 12, out.T);
  return out;
}

mesh::Affine RelativeCurve::rateAt(double s) const {
  double x[12];
  for (int i = 0; i < 12; ++i) x[i] = kDegree * C[kDegree][i];
  for (int k = kDegree - 1; k >= 1; --k) {
    for (int i = 0; i < 12; ++i) x[i] = x[i] * s + k * C[k][i];
  }
  mesh::Affine out;
  std::copy(x, x + 9, out.R);
  std::copy(x + 9, x + 12, out.T);
  return out;
}

ALLCLEAR_MULTIVERSION
void economise(const RelativeCurve& curve, double s0, double s1, double extra,
               mesh::IntervalPoses* out) {
  constexpr int kRow = 12;
  // Taylor shift to the middle by repeated synthetic division, then scaling.
  double P[kCount][kRow];
  for (int k = 0; k < kCount; ++k) {
    for (int i = 0; i < kRow; ++i) P[k][i] = curve.C[k][i];
  }
  const double middle = 0.5 * (s0 + s1), half = 0.5 * (s1 - s0);
  for (int i = 0; i < kDegree; ++i) {
    for (int k = kDegree - 1; k >= i; --k) {
      for (int c = 0; c < kRow; ++c) P[k][c] += middle * P[k + 1][c];
    }
  }
  double power = half;
  for (int k = 1; k < kCount; ++k, power *= half) {
    for (int c = 0; c < kRow; ++c) P[k][c] *= power;
  }
  // s^k as the part of its Chebyshev series up to degree 2, and the sum of the rest's coefficients:
  // s^3 = 3/4 T_1 + 1/4 T_3, s^4 = 3/8 T_0 + 1/2 T_2 + 1/8 T_4, ... with T_2 = 2 s^2 - 1.
  static constexpr double kConstant[kCount] = {1, 0, 0, 0, -1.0 / 8, 0, -5.0 / 32, 0};
  static constexpr double kLinear[kCount] = {0, 1, 0, 3.0 / 4, 0, 5.0 / 8, 0, 35.0 / 64};
  static constexpr double kSquare[kCount] = {0, 0, 1, 0, 1, 0, 15.0 / 16, 0};
  static constexpr double kRest[kCount] = {0, 0, 0, 1.0 / 4, 1.0 / 8, 3.0 / 8, 7.0 / 32, 29.0 / 64};
  double C0[kRow] = {}, C1[kRow] = {}, C2[kRow] = {};
  double rest_T = 0.0, rest_R = 0.0;
  for (int k = 0; k < kCount; ++k) {
    for (int c = 0; c < kRow; ++c) {
      C0[c] += kConstant[k] * P[k][c];
      C1[c] += kLinear[k] * P[k][c];
      C2[c] += kSquare[k] * P[k][c];
    }
    if (k < 4) continue;  // the cubic's remainder is kept per coefficient, not as a norm
    double R = 0.0, T = 0.0;
    for (int c = 0; c < 9; ++c) R += P[k][c] * P[k][c];
    for (int c = 9; c < kRow; ++c) T += P[k][c] * P[k][c];
    rest_R += kRest[k] * std::sqrt(R);
    rest_T += kRest[k] * std::sqrt(T);
  }
  // The quadratic in both forms that the bounds use (volume_bounds.h): about its middle, and as the
  // Bernstein controls B0, B1, B2 beside C3 / 4.
  for (int c = 0; c < kRow; ++c) {
    const auto put = [c](mesh::Affine* X, double value) {
      (c < 9 ? X->R[c] : X->T[c - 9]) = value;
    };
    put(&out->middle, C0[c] + 0.5 * C2[c]);
    put(&out->velocity, C1[c]);
    put(&out->bend, C2[c]);
    out->controls[c][0] = C0[c] - C1[c] + C2[c];
    out->controls[c][1] = C0[c] - C2[c];
    out->controls[c][2] = C0[c] + C1[c] + C2[c];
    out->controls[c][3] = kRest[3] * P[3][c];
  }
  out->error = curve.error + rest_T + extra;
  out->error_slope = curve.error_slope + rest_R;
}

NextInstant nextInstant(const RelativeCurve& curve, const mesh::LeafDistance& leaf, double s,
                        double width) {
  const auto map = [](const double* x) { return Eigen::Map<const Vec3>(x); };
  const auto turn = [](const mesh::Affine& X) {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(X.R);
  };
  const Vec3 between = map(leaf.a) - map(leaf.b);
  const double length = between.norm();
  if (!(length > 0.0)) return {s, 0.0};
  const Vec3 n = between / length;
  // The point of A in A's frame, and its velocity.
  const mesh::Affine X = curve.at(s), V = curve.rateAt(s);
  const Vec3 u = turn(X).transpose() * (map(leaf.a) - map(X.T));
  const Vec3 v = turn(V) * u + map(V.T);
  const double slope = n.dot(v);
  // d/ds of the distance |x_A - x_B| is n.v; the second derivative is the turning of n, which the
  // sideways velocity causes, plus the acceleration along n, here by a difference quotient.
  constexpr double kStep = 1e-3;  // in s: only the step's length depends on it, no bound
  const mesh::Affine later = curve.rateAt(s + kStep);
  const double bend = (n.dot(turn(later) * u + map(later.T)) - slope) / kStep;
  const double curvature = (v.squaredNorm() - slope * slope) / length + bend;
  // Without a minimum ahead: as far downhill as allowed.
  const double move = curvature > 0.0 ? -slope / curvature : std::copysign(width, -slope);
  const double next = std::clamp(s + std::clamp(move, -width, width), -1.0, 1.0);
  return {next, std::abs(slope * (next - s))};
}

RelativeCurve relativeCurve(const BodyCurve& a, const Pose& X_AC, const BodyCurve& b,
                            const Pose& X_BC) {
  std::array<Pose, kCount> A, B;
  double apart = 0.0, world = 0.0;  // largest |D~|, largest world coordinate
  for (int k = 0; k < kCount; ++k) {
    A[k] = a.control[k] * X_AC;
    B[k] = b.control[k] * X_BC;
    world = std::max({world, A[k].p.cwiseAbs().maxCoeff(), B[k].p.cwiseAbs().maxCoeff()});
    A[k].p -= B[k].p;
    apart = std::max(apart, A[k].p.norm());
  }
  RelativeCurve curve;
  curve.scale = apart;
  const double e_TA = a.error((X_AC.p - a.reference_B).norm());
  const double e_TB = b.error((X_BC.p - b.reference_B).norm());
  const double e_RA = a.rotation_error, e_RB = b.rotation_error;
  curve.error = e_TA + e_TB + e_RB * apart + kRelativeRounding * (world + apart);
  curve.error_slope = e_RA + e_RB * (1.0 + e_RA) + kRelativeRounding;
  // lazyProduct: matrices this small are faster without the blocking of large ones.
  Eigen::Map<Coefficients<kCount>> C(&curve.C[0][0]);
  if (isStill(b)) {
    Coefficients<kCount> bernstein;
    const Mat3 Rt = B[0].R.transpose();
    for (int k = 0; k < kCount; ++k) store(Rt * A[k].R, Rt * A[k].p, &bernstein(k, 0));
    C = powersFromBernstein().lazyProduct(bernstein);
  } else {
    const Coefficients<kProduct> all =
        chebyshevFromBernstein<kProduct>().lazyProduct(product(A, B));
    for (int k = kCount; k < kProduct; ++k) {
      curve.error_slope += all.row(k).head<9>().norm();
      curve.error += all.row(k).tail<3>().norm();
    }
    C = powersFromChebyshev().lazyProduct(all.topRows<kCount>());
  }
  return curve;
}

Pose poseOf(const mesh::Affine& X) {
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) pose.R(i, k) = X.R[3 * i + k];
    pose.p[i] = X.T[i];
  }
  return pose;
}

}  // namespace allclear::mcd
