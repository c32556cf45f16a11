#pragma once

// The closest points of two segments, free of branches so that loops over it vectorise.

#include "allclear/core/simd.h"

namespace allclear::mcd {

/// Closest points a0 + sigma u, b0 + tau v of two segments and their squared distance. The points
/// are the nearest up to rounding: `squared` is off by some 1e-15 scale * distance.
struct SegmentPair {
  double squared;
  double sigma;
  double tau;
};

ALLCLEAR_INLINE double clampToUnit(double x) {
  x = x > 0.0 ? x : 0.0;
  return x < 1.0 ? x : 1.0;
}

/// a0, u = a1 - a0 by coordinates, r = b0 - a0, v = b1 - b0. The minimum of the convex function
/// over the unit square is at the interior stationary point if that is within, else on one of the
/// four edges. The stationary point comes from cross products: normal equations would lose half of
/// the digits for nearly parallel segments. Zero lengths and parallel segments leave the edges.
ALLCLEAR_INLINE SegmentPair closestOfSegments(double ux, double uy, double uz, double vx, double vy,
                                              double vz, double rx, double ry, double rz) {
  constexpr double kTiny = 1e-290;  // below any squared length that matters; avoids 0/0
  const double uu = ux * ux + uy * uy + uz * uz;
  const double vv = vx * vx + vy * vy + vz * vz;
  const double uv = ux * vx + uy * vy + uz * vz;
  const double ur = ux * rx + uy * ry + uz * rz;
  const double vr = vx * rx + vy * ry + vz * rz;
  const double per_uu = 1.0 / (uu > kTiny ? uu : kTiny);
  const double per_vv = 1.0 / (vv > kTiny ? vv : kTiny);

  const double tau_at_0 = clampToUnit(-vr * per_vv);
  const double tau_at_1 = clampToUnit((uv - vr) * per_vv);
  const double sigma_at_0 = clampToUnit(ur * per_uu);
  const double sigma_at_1 = clampToUnit((ur + uv) * per_uu);

  const double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const double nn = nx * nx + ny * ny + nz * nz;
  const double per_nn = 1.0 / (nn > kTiny ? nn : kTiny);
  const double mx = ry * nz - rz * ny, my = rz * nx - rx * nz, mz = rx * ny - ry * nx;
  // Both parameters from n would err independently along nearly parallel segments: tau is the best
  // one for sigma instead.
  const double sigma_in = -(mx * vx + my * vy + mz * vz) * per_nn;  // r x v . n = -(r x n) . v
  const double tau_in = (sigma_in * uv - vr) * per_vv;
  const bool inside =
      (nn > kTiny) & (sigma_in > 0.0) & (sigma_in < 1.0) & (tau_in > 0.0) & (tau_in < 1.0);

  const auto squaredAt = [&](double sigma, double tau) ALLCLEAR_INLINE_LAMBDA {
    const double x = rx + tau * vx - sigma * ux;
    const double y = ry + tau * vy - sigma * uy;
    const double z = rz + tau * vz - sigma * uz;
    return x * x + y * y + z * z;
  };
  SegmentPair best{squaredAt(0.0, tau_at_0), 0.0, tau_at_0};
  const auto offer = [&](double sigma, double tau, bool valid) ALLCLEAR_INLINE_LAMBDA {
    const double squared = squaredAt(sigma, tau);
    const bool better = valid & (squared < best.squared);
    best.squared = better ? squared : best.squared;
    best.sigma = better ? sigma : best.sigma;
    best.tau = better ? tau : best.tau;
  };
  offer(1.0, tau_at_1, true);
  offer(sigma_at_0, 0.0, true);
  offer(sigma_at_1, 1.0, true);
  offer(sigma_in, tau_in, inside);
  return best;
}

}  // namespace allclear::mcd
