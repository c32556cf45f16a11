#include "allclear/distance/mesh_depth/depth.h"

#include <cmath>
#include <utility>

#include "allclear/core/input_error.h"
#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/mesh_depth/search.h"
#include "allclear/distance/mesh_depth/translation_space.h"

namespace allclear {
namespace {

/// Shares of the bodies' size. A translation is lengthened until it is seen to separate.
constexpr double kTouching = 1e-13;
constexpr double kLeastMargin = 1e-13, kMostMargin = 1e-6;

void swapSides(SignedDistance* result) {
  std::swap(result->witness_A, result->witness_B);
  result->normal = -result->normal;
}

/// Of bodies that meet: a translation of B by `depth` along `normal` frees them.
struct WayOut {
  Vec3 normal = Vec3::UnitX();  ///< world
  double depth = 0.0;
  Vec3 contact = Vec3::Zero();  ///< world, on A
};

/// Makes the way out longer by what it takes, and says where the bodies are nearest then.
bool verify(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB, WayOut* way) {
  const double size = A.reach() + B.reach();
  double longer = 0.0;
  for (double margin = kLeastMargin; margin < kMostMargin; margin *= 10.0) {
    const double depth = way->depth + longer;
    const Pose moved{X_WB.R, X_WB.p + depth * way->normal};
    const MeshDistance apart = meshDistance(A, X_WA, B, moved);
    if (!apart.contact) {
      way->depth = depth;
      way->contact = apart.witness_A;
      return true;
    }
    longer = margin * size;
  }
  return false;
}

SignedDistance penetrating(const WayOut& way, double lower) {
  SignedDistance result;
  result.distance = -way.depth;
  result.normal = way.normal;
  result.witness_A = way.contact;
  result.witness_B = way.contact - way.depth * way.normal;
  result.gap = way.depth - std::min(lower, way.depth);
  return result;
}

void remember(const SignedDistance& result, const Pose& X_WB, MeshDepthCache* cache) {
  cache->translation_B = X_WB.R.transpose() * (-result.distance * result.normal);
  cache->valid = true;
}

SignedDistance distanceOfConvexBodies(const MeshBody& A, const Pose& X_WA, const MeshBody& B,
                                      const Pose& X_WB, MeshDepthCache* cache) {
  SignedDistance result = convexDistance(A.hull(), X_WA, B.hull(), X_WB);
  if (result.distance > 0.0) return result;
  // Balls and capsules alone are no triangles: nothing to verify with, nor any doubt.
  if (A.bvh() == nullptr && B.bvh() == nullptr) return result;
  WayOut way{result.normal, -result.distance, result.witness_A};
  if (!verify(A, X_WA, B, X_WB, &way)) return result;
  const Vec3 contact = result.witness_A;
  result.distance = -way.depth;
  result.witness_A = contact;
  result.witness_B = contact - way.depth * way.normal;
  remember(result, X_WB, cache);
  return result;
}

SignedDistance separated(const MeshDistance& apart) {
  SignedDistance result;
  result.distance = apart.distance;
  result.witness_A = apart.witness_A;
  result.witness_B = apart.witness_B;
  result.normal = apart.normal;
  result.unique_normal = result.unique_witness = false;
  return result;
}

SignedDistance depthOf(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                       const MeshDepthCache* cache) {
  const Pose X_BA = mesh::centred(A, X_WA, B, X_WB);
  mesh::DepthSearchOptions options;
  if (cache != nullptr && cache->valid) options.warm = -cache->translation_B;
  const SignedDistance hulls = convexDistance(A.hull(), X_WA, B.hull(), X_WB);
  if (hulls.distance < 0.0) options.hint = X_WB.R.transpose() * (hulls.distance * hulls.normal);
  const mesh::DepthFound found = mesh::searchDepth(A, B, X_BA, options);
  WayOut way;
  way.depth = found.translation.norm();
  if (way.depth > 0.0) way.normal = X_WB.R * (found.translation / -way.depth);
  const bool verified = found.found && verify(A, X_WA, B, X_WB, &way);
  if (!verified) {
    // Hulls apart are bodies apart.
    way = {hulls.normal, std::max(-hulls.distance, 0.0), hulls.witness_A};
    verify(A, X_WA, B, X_WB, &way);
  }
  SignedDistance result = penetrating(way, found.lower);
  result.unique_normal = verified && found.unique_normal;
  result.unique_witness = false;
  result.converged = verified;
  return result;
}

/// The answer must not depend on which body is called A: the larger one moves.
bool isOrdered(const MeshBody& A, const MeshBody& B) {
  if (A.bvh() == nullptr || B.bvh() == nullptr) return A.bvh() != nullptr;
  const std::size_t in_A = A.bvh()->triangles().size(), in_B = B.bvh()->triangles().size();
  return in_A != in_B ? in_A > in_B : A.reach() >= B.reach();
}

}  // namespace

SignedDistance signedMeshDistance(const MeshBody& A, const Pose& X_WA, const MeshBody& B,
                                  const Pose& X_WB, MeshDepthCache* cache) {
  MeshDepthCache fresh;
  if (cache == nullptr) cache = &fresh;
  if (A.isConvex() && B.isConvex()) return distanceOfConvexBodies(A, X_WA, B, X_WB, cache);
  const MeshDistance apart = meshDistance(A, X_WA, B, X_WB, {}, &cache->distance);
  // So near that the way between the nearest points is rounding: the features' planes say more.
  const bool touching = apart.distance <= kTouching * (A.reach() + B.reach());
  if (!apart.contact && !touching) return separated(apart);
  SignedDistance result;
  if (isOrdered(A, B)) {
    result = depthOf(A, X_WA, B, X_WB, cache);
  } else {
    MeshDepthCache swapped;
    swapped.valid = cache->valid;
    swapped.translation_B = -(X_WA.R.transpose() * (X_WB.R * cache->translation_B));
    result = depthOf(B, X_WB, A, X_WA, &swapped);
    swapSides(&result);
  }
  if (apart.contact) {
    remember(result, X_WB, cache);
    return result;
  }
  result.distance = apart.distance;
  result.gap = 0.0;
  result.witness_A = apart.witness_A;
  result.witness_B = apart.witness_A + apart.distance * result.normal;
  return result;
}

SignedDistance signedMeshDistance(const Shape& A, const Pose& X_WA, const Shape& B,
                                  const Pose& X_WB, MeshDepthCache* cache) {
  if (!std::holds_alternative<TriangleMesh>(A) && !std::holds_alternative<TriangleMesh>(B)) {
    throw InputError("a signed mesh distance needs a triangle mesh");
  }
  if (std::holds_alternative<HalfSpace>(A) || std::holds_alternative<HalfSpace>(B)) {
    return convexDistance(mesh::meshHull(A), X_WA, mesh::meshHull(B), X_WB);
  }
  return signedMeshDistance(*meshBody(A), X_WA, *meshBody(B), X_WB, cache);
}

}  // namespace allclear
