#pragma once

#include <vector>

#include "allclear/distance/deform/patch_tree.h"
#include "allclear/distance/self_contact.h"

namespace allclear::bench {

/// UNSOUND. Cones of normals as published, for comparison with the product's test of patches: a
/// node whose cone is narrower than a half-space is skipped. They MISS CONTACTS: nothing asks that
/// the node's contour be simple, or the node connected (docs/algorithms/self-contact.md). Only
/// benches link them; a proof must never use them.
enum class ConeMethod {
  kTang,  ///< M. Tang et al. 2009 (ICCD): three control points, merged as by X. Provot 1997
  kLee,   ///< C.-J. Lee 2020: five control points, their least cone, and exact merging of two cones
};

/// The cone of directions within `angle` of `axis`. An angle of pi or more holds all directions.
struct NormalCone {
  Vec3 axis = Vec3::UnitZ();
  double angle = 0.0;
};

/// Of every node of the tree, bottom-up.
void fillCones(const MeshStep& step, const deform::PatchTree& tree, ConeMethod method,
               std::vector<NormalCone>* cones);

/// The nodes that the method skips and that lie below no other such node.
std::vector<int> skippedNodes(const deform::PatchTree& tree, const std::vector<NormalCone>& cones);

/// The two ways of merging, for tests.
NormalCone mergedByProvot(const NormalCone& a, const NormalCone& b);
NormalCone mergedByLee(const NormalCone& a, const NormalCone& b);

}  // namespace allclear::bench
