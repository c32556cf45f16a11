#pragma once

#include <utility>

#include "allclear/core/types.h"
#include "allclear/distance/body_curve.h"

namespace allclear {

/// Bernstein coefficients of a vector over a part of time, as columns.
struct VectorPiece {
  Interval time;
  MatX coefficient;
};

/// The two halves of a piece, by de Casteljau's scheme.
std::pair<VectorPiece, VectorPiece> halves(const VectorPiece& piece);

/// The greatest norm of a coefficient; infinite where one is not finite.
double greatestCoefficient(const VectorPiece& piece);

/// A bracket of the greatest norm of vectors of polynomials, one piece after the other.
///
/// The length of such a vector is at most the greatest length of its coefficients (the norm is
/// convex); halving the time moves these towards the curve, with the square of its length.
struct GreatestNorm {
  double upper = 0.0;    ///< proven, errors included
  double reached = 0.0;  ///< by the polynomials
  double t = 0.0;        ///< where [s]

  /// A value that the polynomials reach. (NaN is none.)
  void see(double norm, double at);
  /// Takes in a piece that is within `error` of the true vector.
  void add(const VectorPiece& piece, double error);
  /// Takes in a bound of a piece; NaN makes the bound infinite.
  void raise(double bound);
};

/// The place of the body point u, as the curve has it; its error is `pointError`.
VectorPiece placeOf(const BodyCurve& curve, const Vec3& u);
/// R B of the body, column after column: nine numbers; its error is `turnError`.
VectorPiece turnOf(const BodyCurve& curve, const Mat3& B);

/// [m] The curve's own error at u, and rounding of differences of places of this size.
double pointError(const BodyCurve& curve, const Vec3& u, double size);
/// Of R B in the norm of all nine numbers, B a rotation: `rotation_error` for each of three
/// columns, and rounding.
double turnError(const BodyCurve& curve);

}  // namespace allclear
