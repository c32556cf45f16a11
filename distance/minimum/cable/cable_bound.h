#pragma once

#include <array>

#include "allclear/core/extremes.h"
#include "allclear/distance/minimum/cable/cable.h"
#include "allclear/distance/support.h"

namespace allclear::mcd {

/// Rounding of poses, supports and sums, in machine epsilons of the lengths involved: a reach is
/// some twenty products and sums, unit vectors are off by two; as in the certificate's motion.cpp.
constexpr double kCableRoundings = 1e3 * std::numeric_limits<double>::epsilon();

/// Directions that prove a bound: with any u, v of length at most 1 and all x,
/// |x - A| + |x - B| >= u.(x - A) + v.(x - B).
struct CableDirections {
  Vec3 u;
  Vec3 v;
};

/// Of a half-space with outward unit normal n: for x in it, with the heights h of A and B above its
/// plane, alpha^2 + |tau|^2 <= 1, alpha >= 0 and tau along the plane,
///
///     |x - A| + |x - B| >= alpha (h_A - h_x) + tau.(x - A) + alpha (h_B - h_x) - tau.(x - B)
///                       >= alpha (h_A + h_B) + tau.(B - A).
///
/// Where AB meets the half-space the least sum is |AB|, and along = (u - v) / 2, no longer than
/// one, has |AB| >= along.(B - A).
struct PlaneDirections {
  double alpha;
  Vec3 tau;
  Vec3 along;
};

/// The mean of (-n.u, u along the plane) and (-n.v, -v along the plane): of unit vectors, so no
/// longer than one; a little shorter for rounding.
inline PlaneDirections planeDirections(const CableDirections& at, const Vec3& n) {
  constexpr double kShorter = 1.0 - 16.0 * std::numeric_limits<double>::epsilon();
  const Vec3 tau = 0.5 * (at.u - at.v);
  PlaneDirections out{-0.5 * n.dot(at.u + at.v) * kShorter, (tau - n.dot(tau) * n) * kShorter,
                      tau * kShorter};
  if (!(out.alpha > 0.0)) out.alpha = 0.0;
  return out;
}

/// h(w) of a shape, and 0 along nothing: the coefficients of a rotation over a fast turn may
/// vanish.
inline double cableSupport(const Shape& shape, const Vec3& w) {
  return w.isZero(0.0) ? 0.0 : supportValue(shape, w);
}

}  // namespace allclear::mcd
