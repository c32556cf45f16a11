#pragma once

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// What one query of a pair leaves for the next query of the same pair; start with a fresh one.
struct MeshDepthCache {
  MeshCache distance;
  Vec3 translation_B = Vec3::Zero();  ///< of B, in B's frame: separated the pair last time
  bool valid = false;
};

/// Signed distance of two bodies whose surfaces may have any shape: the distance when they are
/// apart, minus the length of a translation of B that separates them when they overlap or one is
/// inside the other. Metres, world frame; witnesses and normal are related as in `SignedDistance`.
///
/// In penetration the translation (`-distance * normal`) is verified to separate, and none near it
/// is shorter: the true depth is in [-distance - gap, -distance]. For two convex bodies it is the
/// depth itself. `unique_normal` is false when the search came by another translation as short.
/// `unique_witness` is examined for two convex bodies only, else false; both are false for bodies
/// that are apart.
SignedDistance signedMeshDistance(const MeshBody& A, const Pose& X_WA, const MeshBody& B,
                                  const Pose& X_WB, MeshDepthCache* cache = nullptr);

/// The same for shapes; at least one must be a triangle mesh (else throws `InputError`).
SignedDistance signedMeshDistance(const Shape& A, const Pose& X_WA, const Shape& B,
                                  const Pose& X_WB, MeshDepthCache* cache = nullptr);

}  // namespace allclear
