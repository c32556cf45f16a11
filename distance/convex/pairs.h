#pragma once

#include "allclear/distance/distance_result.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A query of one pair. The function that the table of pairs (convex_distance.cpp) lists for two
/// kinds of shapes gets only these, so it reads the variants unchecked. If `limit` is a number,
/// only the sign of `distance - limit` matters.
struct PairQuery {
  const Shape& A;
  const Pose& X_WA;
  const Shape& B;
  const Pose& X_WB;
  double limit;
  DistanceCache* cache;
  double tolerance = 0.0;  ///< [m] of searches; 0: to rounding
  /// Of B's displacements, in the world [m^2]; null where it has none. Only `convexConvex` and
  /// `halfSpaceConvex` know of it.
  const Mat3* spread = nullptr;
};
using PairFunction = SignedDistance (*)(const PairQuery& query);

// One file per family. The first shape is the one named first.
SignedDistance sphereSphere(const PairQuery& query);
SignedDistance sphereCapsule(const PairQuery& query);
SignedDistance sphereBox(const PairQuery& query);
SignedDistance sphereCylinder(const PairQuery& query);
SignedDistance sphereCone(const PairQuery& query);
SignedDistance sphereEllipsoid(const PairQuery& query);
SignedDistance capsuleCapsule(const PairQuery& query);
SignedDistance ellipsoidEllipsoid(const PairQuery& query);
SignedDistance halfSpaceHalfSpace(const PairQuery& query);
/// A half-space and any bounded convex shape.
SignedDistance halfSpaceConvex(const PairQuery& query);
/// Any two bounded convex shapes.
SignedDistance convexConvex(const PairQuery& query);

/// Fills in a result between surfaces at `radius_A`, `radius_B` around two core points, `normal`
/// from A to B, core points apart by `core_distance` along it.
SignedDistance fromCores(const Vec3& core_A, double radius_A, const Vec3& core_B, double radius_B,
                         const Vec3& normal, double core_distance);

}  // namespace allclear
