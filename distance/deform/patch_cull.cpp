// Pairs of triangles that no certified patch and no boxes rule out.
//
// A patch that is certified has no contact in it. So pairs within a certified patch of the first
// tree are never visited. Pairs across the seam of two neighbouring patches are left; most of them
// lie within one patch of a second tree that is cut elsewhere, and are left out for that. (Cones of
// normals cannot do that: there is one tree, and its seams stay.)
#include "allclear/distance/deform/patch_cull.h"

#include <utility>

namespace allclear::deform {
namespace {

/// Shares of the triangles left of the cuts in the upper levels of the trees: thirds, so that no
/// seam of one tree is near a seam of another.
constexpr double kShares[] = {0.5, 0.34, 0.66};

}  // namespace

BendingMesh::BendingMesh(std::vector<Triangle> triangles_of_mesh, std::span<const Vec3> rest,
                         int tree_count)
    : triangles(std::move(triangles_of_mesh)),
      vertices(rest.size()),
      owned(ownedFeatures(triangles, rest.size())) {
  const std::vector<int> opposite = oppositeHalfEdges(triangles);
  for (int i = 0; i < tree_count; ++i) {
    trees.push_back(cutAlongMesh(triangles, rest, opposite, {.share = kShares[i]}));
    std::vector<int> place(triangles.size()), from(triangles.size());
    for (std::size_t k = 0; k < place.size(); ++k) place[trees[0].order[k]] = static_cast<int>(k);
    for (std::size_t k = 0; k < place.size(); ++k) from[k] = place[trees[i].order[k]];
    source.push_back(std::move(from));
  }
}

void PatchCull::run(const MeshStep& step, const BendingMesh& mesh, int tree_count,
                    const PatchRules& rules) {
  // Boxes and rows are of the first tree; the others take its rows in their own order.
  fillBoxes(step, mesh.trees[0], 0.0, &boxes);
  certified = {};
  rows.resize(mesh.trees.size());
  for (int i = 0; i < tree_count; ++i) {
    const PatchTree& tree = mesh.trees[i];
    if (i == 0) {
      fillRows(step, tree, &rows[0]);
    } else {
      copyRows(rows[0], mesh.source[i], tree, &rows[i]);
    }
    const std::vector<int> patches = certifiedPatches(step, tree, rows[i], rules);
    if (i == 0) {
      certified.own = patches;
    } else {
      certified.others.push_back(patchOfNodes(mesh.trees[0], tree, patches));
    }
  }
  pairsWithin(mesh.trees[0], boxes, certified, &pairs);
}

}  // namespace allclear::deform
