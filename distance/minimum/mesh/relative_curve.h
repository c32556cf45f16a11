#pragma once

#include "allclear/distance/body_curve.h"
#include "allclear/distance/mesh/distance.h"

namespace allclear::mcd {

/// The motion of A's centre frame seen from B's on one cell: sum_k C_k s^k, s in [-1, 1], with the
/// true (rigid) position of every point u of A within error + error_slope |u| of it.
struct RelativeCurve {
  static constexpr int kCount = BodyCurve::kDegree + 1;
  double C[kCount][12];  ///< rows of the 3x3 part, then the translation
  double error = 0.0;
  double error_slope = 0.0;
  double scale = 0.0;  ///< bound of the translation [m]

  mesh::Affine at(double s) const;
  /// Derivative by s.
  mesh::Affine rateAt(double s) const;
};

/// From the body curves of one cell; X_AC and X_BC are the centre frames in their bodies'.
RelativeCurve relativeCurve(const BodyCurve& a, const Pose& X_AC, const BodyCurve& b,
                            const Pose& X_BC);

/// The map as a pose. Its R is a rotation only up to the curve's error.
Pose poseOf(const mesh::Affine& X);

/// The quadratic part of a relative curve on [s0, s1], what the cubic leaves, and the rest in the
/// errors (Chebyshev economisation), `extra` added to the constant one.
void economise(const RelativeCurve& curve, double s0, double s1, double extra,
               mesh::IntervalPoses* out);

/// Where two leaves that `leaf` found nearest at s are nearest, by a Newton step of the distance of
/// their two points, at most `width` away and within the cell.
struct NextInstant {
  double s;
  double gain;  ///< of the distance, to first order
};
NextInstant nextInstant(const RelativeCurve& curve, const mesh::LeafDistance& leaf, double s,
                        double width);

/// A curve whose controls are all the same: a body at rest.
bool isStill(const BodyCurve& curve);

}  // namespace allclear::mcd
