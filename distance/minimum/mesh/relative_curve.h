#pragma once

#include <limits>

#include "allclear/distance/body_curve.h"
#include "allclear/distance/mesh/distance.h"

namespace allclear::mcd {

/// Roundings of a relative position, relative to the lengths involved: products of two matrices at
/// fifteen coefficients, two changes of basis of a polynomial and its evaluation, each some tens.
inline constexpr double kRelativeRounding = 256.0 * std::numeric_limits<double>::epsilon();

/// The motion of A's centre frame seen from B's on one cell, X(s) = sum_k C_k s^k, s in [-1, 1]:
/// the true position of every point u of A is within error + error_slope |u| of X(s) u.
struct RelativeCurve {
  static constexpr int kCount = BodyCurve::kDegree + 1;
  double C[kCount][12];      ///< rows of the 3x3 part, then the translation
  double error = 0.0;        ///< [m]
  double error_slope = 0.0;  ///< [m] per metre from A's centre
  double scale = 0.0;        ///< bound of the translation [m]

  mesh::Affine at(double s) const;
  /// Derivative by s.
  mesh::Affine rateAt(double s) const;
};

/// From the body curves of one cell; X_AC and X_BC are the centre frames in their bodies'.
RelativeCurve relativeCurve(const BodyCurve& a, const Pose& X_AC, const BodyCurve& b,
                            const Pose& X_BC);

/// The map as a pose. Its R is a rotation only up to the curve's error.
Pose poseOf(const mesh::Affine& X);

/// The curve on [s0, s1] as bounds of volumes take it: its best quadratic, the cubic's remainder,
/// and all higher terms in the errors (Chebyshev economisation); `extra` [m] is added to the
/// constant one.
void economise(const RelativeCurve& curve, double s0, double s1, double extra,
               mesh::IntervalPoses* out);

/// One Newton step in time for the distance of the two points that `leaf` found nearest at s: where
/// they are nearest, at most `width` away and within the cell.
struct NextInstant {
  double s;
  double gain;  ///< by which the distance falls [m], to first order
};
NextInstant nextInstant(const RelativeCurve& curve, const mesh::LeafDistance& leaf, double s,
                        double width);

/// Whether all controls are the same and nothing moves: a body at rest.
bool isStill(const BodyCurve& curve);

}  // namespace allclear::mcd
