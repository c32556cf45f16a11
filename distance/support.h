#pragma once

#include <algorithm>
#include <cmath>

#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A point of the shape farthest along `direction_G` (not zero, any length), in G. Pre: bounded
/// and convex, or a triangle mesh (then of its convex hull); not a half-space.
Vec3 support(const Shape& shape, const Vec3& direction_G);

/// The support function h(d) = max over the shape of d.p, with d = `direction_G`. +infinity for a
/// half-space in any direction but its normal.
double supportValue(const Shape& shape, const Vec3& direction_G);

// Displacements e within an ellipsoid about 0, which is given by a symmetric matrix K [m^2] without
// negative eigenvalues: those with n.e <= sqrt(n' K n) for all n. Where K has an inverse that is
// e' K^-1 e <= 1; without one the ellipsoid is flat.

/// How far the displacements reach along n [m, for a unit n]: sqrt(n' K n). Rounding may leave a
/// flat one slightly below 0, which counts as 0; NaN stays NaN.
inline double displacementReach(const Mat3& K, const Vec3& n) {
  const double squared = n.dot(K * n);
  return squared < 0.0 ? 0.0 : std::sqrt(squared);
}

/// An upper bound of it that rounding does not lower: for proofs. With u = 2^-53 the nine products
/// and their sums, and the entries of K, interpolated by a few operations, are off by less than 32
/// u |K| together; and eigenvalues of a K that counts as flat may be as low as -1e-14 |K|. For a
/// flat ellipsoid the bound is more by a share 2e-7 of its radius, for a round one by nearly
/// nothing.
inline double upperDisplacementReach(const Mat3& K, const Vec3& n) {
  constexpr double kRounding = 2e-14;  // 1e-14 + 32 u, rounded up
  const double squared = n.dot(K * n);
  const double most = kRounding * K.cwiseAbs().rowwise().sum().maxCoeff() * n.squaredNorm();
  return squared < 0.0 ? std::sqrt(most) : std::sqrt(squared + most);
}

/// The displacement that is farthest along n.
inline Vec3 farthestDisplacement(const Mat3& K, const Vec3& n) {
  const double reach = displacementReach(K, n);
  if (!(reach > 0.0)) return Vec3::Zero();
  return K * n / reach;
}

/// A radius [m] that no displacement exceeds: the root of the greatest sum of a row's sizes, which
/// is at least the greatest eigenvalue. At most sqrt(3) times too large.
inline double displacementRadius(const Mat3& K) {
  return std::sqrt(K.cwiseAbs().rowwise().sum().maxCoeff());
}

}  // namespace allclear
