#pragma once

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/mesh/distance.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// What one query of a pair leaves for the next one of the same pair; start with a fresh one.
struct MeshDepthCache {
  MeshCache distance;
  Vec3 translation_B = Vec3::Zero();  ///< of B, in B's frame: separated the pair last time
  bool valid = false;
};

/// Signed distance of two bodies of which the surfaces may have any shape: the distance when they
/// are apart, minus the length of a translation of B that separates them when they overlap or one
/// is inside of the other. Metres, world frame; witnesses, normal and their relations as of
/// `SignedDistance`.
///
/// In penetration the translation (`-distance * normal`) is verified to separate, and is shortest
/// among those near it: the true depth is in [-distance - gap, -distance]. Of two convex bodies it
/// is the depth itself. `unique_normal` is false when another way out was found as short, as far as
/// was looked; of bodies that are not both convex `unique_witness` is not examined (false), nor is
/// either when they are apart.
SignedDistance signedMeshDistance(const MeshBody& A, const Pose& X_WA, const MeshBody& B,
                                  const Pose& X_WB, MeshDepthCache* cache = nullptr);

/// The same for shapes of which at least one is a triangle mesh.
SignedDistance signedMeshDistance(const Shape& A, const Pose& X_WA, const Shape& B,
                                  const Pose& X_WB, MeshDepthCache* cache = nullptr);

}  // namespace allclear
