// Signed distance of bodies whose surfaces may have any shape.
//
// Apart, it is the distance of the surfaces (mesh/distance.h). In contact, it is minus the length
// of a translation that separates the bodies:
// - two convex bodies: that of their hulls, which the convex engine finds exactly;
// - else: the shortest one that a search in the space of translations finds (search.h), an upper
//   bound of the depth, with a lower bound from balls inside both bodies.
// No answer is taken on trust: `verifyWayOut` moves the bodies and lengthens the translation until
// `meshDistance` sees them apart. When a search fails, the hulls' translation serves, because
// bodies whose hulls are apart are apart.

#include "allclear/distance/mesh_depth/depth.h"

#include <cmath>
#include <utility>

#include "allclear/core/input_error.h"
#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/mesh_depth/search.h"
#include "allclear/distance/mesh_depth/translation_space.h"

namespace allclear {
namespace {

/// Of the bodies' size: surfaces nearer than this touch, to rounding. The direction between the
/// nearest points is noise there.
constexpr double kTouching = 1e-13;
/// Of the bodies' size: a translation that does not yet separate is lengthened by ten times more at
/// each attempt, from the rounding of a distance up to what would no longer be the same answer.
constexpr double kLeastMargin = 1e-13, kMostMargin = 1e-6;

void swapSides(SignedDistance* result) {
  std::swap(result->witness_A, result->witness_B);
  result->normal = -result->normal;
}

/// How bodies that meet come free: B moves by `depth` along `normal`.
struct WayOut {
  Vec3 normal = Vec3::UnitX();  ///< world
  double depth = 0.0;
  Vec3 contact = Vec3::Zero();  ///< world, on A
};

/// Lengthens a way out until the bodies are seen apart, and sets its contact to where they are
/// nearest then; false when even the largest margin does not separate them.
bool verifyWayOut(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                  WayOut* way) {
  const double size = A.reach() + B.reach();
  double longer = 0.0;
  // The first attempt is the translation itself.
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

/// Keeps the translation for the next query of the pair, in B's frame so that it turns with B.
void remember(const SignedDistance& result, const Pose& X_WB, MeshDepthCache* cache) {
  cache->translation_B = X_WB.R.transpose() * (-result.distance * result.normal);
  cache->valid = true;
}

/// Two convex bodies: the answer of their hulls, made exact for the meshes' own corners.
SignedDistance distanceOfConvexBodies(const MeshBody& A, const Pose& X_WA, const MeshBody& B,
                                      const Pose& X_WB, MeshDepthCache* cache) {
  SignedDistance result = convexDistance(A.hull(), X_WA, B.hull(), X_WB);
  if (result.distance > 0.0) return result;
  // Two curved cores cannot be verified by `meshDistance`; the convex engine's answer stands.
  if (A.bvh() == nullptr && B.bvh() == nullptr) return result;
  WayOut way{result.normal, -result.distance, result.witness_A};
  if (!verifyWayOut(A, X_WA, B, X_WB, &way)) return result;
  // The deepest point on A stays; B's follows from the lengthened depth.
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

/// Bodies that meet, not both convex. Pre: A has triangles.
SignedDistance depthOf(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                       const MeshDepthCache* cache) {
  const Pose X_BA = mesh::centred(A, X_WA, B, X_WB);
  mesh::DepthSearchOptions options;
  if (cache != nullptr && cache->valid) options.warm_start = -cache->translation_B;
  const SignedDistance hulls = convexDistance(A.hull(), X_WA, B.hull(), X_WB);
  // What frees the hulls frees the bodies, so their depth bounds the depth from above.
  if (hulls.distance < 0.0) options.hint = X_WB.R.transpose() * (hulls.distance * hulls.normal);
  const mesh::DepthSearchResult found = mesh::searchDepth(A, B, X_BA, options);
  WayOut way;
  way.depth = found.translation.norm();
  if (way.depth > 0.0) way.normal = X_WB.R * (found.translation / -way.depth);
  const bool verified = found.found && verifyWayOut(A, X_WA, B, X_WB, &way);
  if (!verified) {
    // Apart hulls are apart bodies.
    way = {hulls.normal, std::max(-hulls.distance, 0.0), hulls.witness_A};
    verifyWayOut(A, X_WA, B, X_WB, &way);
  }
  SignedDistance result = penetrating(way, found.lower);
  result.unique_normal = verified && found.unique_normal;
  result.unique_witness = false;
  result.converged = verified;
  return result;
}

/// Whether A is the one to move in the search: the one with more triangles, so that the answer does
/// not depend on which body is called A. A convex core never moves.
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
  // So near that the direction between the nearest points is noise: the planes of the features in
  // contact give a normal.
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
  return signedMeshDistance(*bodyOf(A), X_WA, *bodyOf(B), X_WB, cache);
}

}  // namespace allclear
