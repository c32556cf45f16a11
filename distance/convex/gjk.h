#pragma once

#include <limits>

#include "allclear/distance/convex/core_pair.h"

namespace allclear {

/// A point `w = b - a` of the Minkowski difference B - A, with its preimages.
struct MinkowskiPoint {
  Vec3 w;
  Vec3 a;
  Vec3 b;
};

/// The point of B - A that is lowest along n.
inline MinkowskiPoint lowestAlong(const CorePair& pair, const Vec3& n) {
  MinkowskiPoint corner;
  corner.a = pair.supportA(n);
  corner.b = pair.supportB(n);
  corner.w = corner.b - corner.a;
  return corner;
}

/// What GJK ends with: a simplex (corners of B - A) that holds the point nearest to the origin, and
/// a bracket of the distance of the cores.
struct GjkResult {
  /// The origin is inside B - A, or within rounding of it. Rounding in a flat simplex may claim so
  /// of cores that are apart: then `lower` > 0 contradicts it.
  bool overlap = false;
  bool converged = true;
  int size = 0;
  MinkowskiPoint simplex[4];
  double weight[4];
  Vec3 v;              ///< sum of weight * w: the nearest point found
  double upper = 0.0;  ///< |v|: the distance is at most this
  double lower = -std::numeric_limits<double>::infinity();  ///< and at least this
  Vec3 normal;  ///< unit, the direction that proves `lower`; set when lower is finite

  Vec3 witnessA() const;
  Vec3 witnessB() const;
};

struct GjkOptions {
  /// Ends early once `lower >= enough` or `upper < enough`; NaN: never.
  double enough = std::numeric_limits<double>::quiet_NaN();
  /// Ends early once `upper - lower` is this share of `upper`.
  double relative_gap = 0.0;
  /// Ends early once `upper - lower` is this [m].
  double gap = 0.0;
};

/// Distance of two cores by the algorithm of Gilbert, Johnson and Keerthi, from the first guess
/// `direction` (not zero) of the normal. `lower` and `upper` are within 4 `pair.rounding` of each
/// other at the end between polytopes, unless an option ends it early or the cores overlap. Curved
/// cores converge slowly: give them a `relative_gap` and refine the normal (normal_refinement.h).
GjkResult gjk(const CorePair& pair, const Vec3& direction, const GjkOptions& options = {});

/// Goes on from a result that an option had ended early, with other options.
void continueGjk(const CorePair& pair, const GjkOptions& options, GjkResult* result);

}  // namespace allclear
