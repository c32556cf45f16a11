#include "allclear/distance/signed_distance.h"

#include <algorithm>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

bool isMesh(const Shape& shape) { return std::holds_alternative<TriangleMesh>(shape); }

bool meshDistanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                         double limit) {
  // A negative limit asks how deep the bodies are: only the depth can tell. (NaN too.)
  if (!(limit >= 0.0)) return signedMeshDistance(A, X_WA, B, X_WB).distance >= limit;
  MeshDistanceOptions options;
  options.enough = limit;
  const MeshDistance found = meshDistance(A, X_WA, B, X_WB, options);
  // Bodies in contact have a distance of 0 here, whatever their depth: below every limit.
  return !found.contact && found.distance >= limit;
}

}  // namespace

SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                              DistanceCache* cache, const DistanceOptions& options) {
  if (!isMesh(A) && !isMesh(B)) {
    return convexDistance(A, X_WA, B, X_WB, cache, options.tolerance, options.spread);
  }
  SignedDistance out = signedMeshDistance(A, X_WA, B, X_WB);
  if (options.spread == nullptr) return out;
  // B grown by the ball about the displacements: all of these are within. Moved by the one farthest
  // against the normal the witnesses are a real pair of points, so the distance is at most theirs.
  const Vec3 e = -farthestDisplacement(*options.spread, out.normal);
  const double ceiling = (out.witness_B + e - out.witness_A).norm();
  const double seen = out.distance > 0.0 ? ceiling : out.distance;
  out.witness_B += e;
  out.distance -= displacementRadius(*options.spread);
  out.gap = std::max(0.0, seen - out.distance);
  out.converged = false;
  return out;
}

double leastSignedDistance(const std::vector<Geometry>& A, const Pose& X_WA,
                           const std::vector<Geometry>& B, const Pose& X_WB, const Mat3* spread) {
  DistanceOptions options;
  options.spread = spread;
  double least = std::numeric_limits<double>::infinity();
  for (const Geometry& i : A) {
    for (const Geometry& j : B) {
      least = lowered(
          least, signedDistance(i.shape, X_WA * i.X_BG, j.shape, X_WB * j.X_BG, nullptr, options)
                     .distance);
    }
  }
  return least;
}

bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                     double limit, DistanceCache* cache, const Mat3* spread) {
  if (isMesh(A) || isMesh(B)) {
    const double grown = spread == nullptr ? 0.0 : displacementRadius(*spread);
    return meshDistanceAtLeast(A, X_WA, B, X_WB, limit + grown);
  }
  return convexDistanceAtLeast(A, X_WA, B, X_WB, limit, cache, spread);
}

}  // namespace allclear
