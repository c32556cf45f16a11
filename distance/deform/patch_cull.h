#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allclear/distance/deform/feature_pairs.h"
#include "allclear/distance/deform/patch_rows.h"
#include "allclear/distance/deform/patch_test.h"
#include "allclear/distance/deform/patch_tree.h"
#include "allclear/distance/deform/step_boxes.h"

namespace allclear::deform {

/// What depends on the triangles alone.
struct BendingMesh {
  std::vector<Triangle> triangles;
  std::size_t vertices = 0;
  std::vector<std::uint8_t> owned;  ///< `ownedFeatures`
  std::vector<PatchTree> trees;     ///< 1 to 3; boxes are kept for the first
  /// For each further tree: the place in the first one of its triangles.
  std::vector<std::vector<int>> source;

  BendingMesh(std::vector<Triangle> triangles_of_mesh, std::span<const Vec3> rest, int tree_count);
};

/// The pairs of triangles of a mesh that may touch in a step. Memory is kept from step to step.
struct PatchCull {
  std::vector<NormalRows> rows;
  StepBoxes boxes;
  Certified certified;
  std::vector<TrianglePair> pairs;

  /// Uses the first `tree_count` trees; 0: no patch is certified.
  void run(const MeshStep& step, const BendingMesh& mesh, int tree_count,
           const PatchRules& rules = {});
};

}  // namespace allclear::deform
