#pragma once

#include "allclear/core/pose.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Signed distance of two convex shapes at the world poses given; half-spaces are convex too.
/// Error, degenerate pairs and cache as of `signedDistance` (signed_distance.h), which calls this
/// one for convex shapes, and `tolerance` [m] and `spread` of its options. Pre: neither shape is a
/// triangle mesh (else `ContractViolation`).
SignedDistance convexDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                              DistanceCache* cache = nullptr, double tolerance = 0.0,
                              const Mat3* spread = nullptr);

/// Whether that distance is at least `limit` [m]; cheaper than computing it. Distances within
/// rounding (1e-14 of the size of the pair) of the limit may go either way.
bool convexDistanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                           double limit, DistanceCache* cache = nullptr,
                           const Mat3* spread = nullptr);

}  // namespace allclear
