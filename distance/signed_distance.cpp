#include "allclear/distance/signed_distance.h"

#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/mesh_depth/depth.h"

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
                              DistanceCache* cache) {
  if (isMesh(A) || isMesh(B)) return signedMeshDistance(A, X_WA, B, X_WB);
  return convexDistance(A, X_WA, B, X_WB, cache);
}

bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                     double limit, DistanceCache* cache) {
  if (isMesh(A) || isMesh(B)) return meshDistanceAtLeast(A, X_WA, B, X_WB, limit);
  return convexDistanceAtLeast(A, X_WA, B, X_WB, limit, cache);
}

}  // namespace allclear
