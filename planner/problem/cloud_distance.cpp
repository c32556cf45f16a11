// The least over the solids of a body. Where a cloud may be displaced, all places together are
// within the ball of the greatest displacement: taken off the distance, that is safe for every
// direction.
#include "allclear/planner/problem/cloud_distance.h"

#include <algorithm>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/distance/support.h"

namespace allclear {

double cloudDistance(const std::vector<Geometry>& A, const Pose& X_WA, const Cloud& B,
                     const Pose& X_WO, const Mat3* spread, std::int32_t node) {
  return closestOfCloud(A, X_WA, B, X_WO, spread, node).distance;
}

SignedDistance closestOfCloud(const std::vector<Geometry>& A, const Pose& X_WA, const Cloud& B,
                              const Pose& X_WO, const Mat3* spread, std::int32_t node) {
  const double grown = spread == nullptr ? 0.0 : displacementRadius(*spread);
  SignedDistance least;
  least.distance = std::numeric_limits<double>::infinity();
  for (const Geometry& a : A) {
    SignedDistance found = signedDistance(a.shape, X_WA * a.X_BG, B, X_WO, node);
    found.distance -= grown;
    found.witness_B -= grown * found.normal;
    if (found.distance >= least.distance) continue;
    const double lower = lowered(least.distance, found.distance);  // NaN proves nothing
    least = found;
    least.distance = lower;
  }
  return least;
}

bool cloudDistanceAtLeast(const std::vector<Geometry>& A, const Pose& X_WA, const Cloud& B,
                          const Pose& X_WO, double limit, const Mat3* spread, std::int32_t node) {
  const double grown = spread == nullptr ? 0.0 : displacementRadius(*spread);
  return std::all_of(A.begin(), A.end(), [&](const Geometry& a) {
    return distanceAtLeast(a.shape, X_WA * a.X_BG, B, X_WO, limit + grown, node);
  });
}

}  // namespace allclear
