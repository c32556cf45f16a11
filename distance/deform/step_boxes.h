#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "allclear/core/simd.h"
#include "allclear/distance/deform/patch_rows.h"
#include "allclear/distance/deform/patch_tree.h"

namespace allclear::deform {

/// Four floats, with the operations of a register.
using FourFloats = float __attribute__((vector_size(16)));

/// An axis-aligned box of floats that holds everything it was made of: x, y, z of the upper corner
/// and one 0; x, y, z of the lower corner negated and one 0. So a union is a maximum, lane by lane.
struct SweptBox {
  FourFloats upper;
  FourFloats minus_lower;
};

/// Whether two boxes have a point in common. The sign of a sum of two floats is exact.
ALLCLEAR_INLINE bool meet(const SweptBox& a, const SweptBox& b) {
  const FourFloats zero{};
  const auto apart = (a.upper + b.minus_lower < zero) | (b.upper + a.minus_lower < zero);
  std::uint64_t part[2];
  std::memcpy(part, &apart, sizeof apart);
  return (part[0] | part[1]) == 0;
}

ALLCLEAR_INLINE SweptBox unionOf(const SweptBox& a, const SweptBox& b) {
  return {a.upper > b.upper ? a.upper : b.upper,
          a.minus_lower > b.minus_lower ? a.minus_lower : b.minus_lower};
}

/// The boxes of all that moves in a step.
struct StepBoxes {
  std::vector<SweptBox> vertices;  ///< by vertex
  std::vector<SweptBox> nodes;     ///< by node of the tree; leaves are triangles
};

/// O(n). Boxes are widened by `reserve` on each side.
void fillBoxes(const MeshStep& step, const PatchTree& tree, double reserve, StepBoxes* boxes);

/// A pair of triangles whose boxes meet.
using TrianglePair = std::array<int, 2>;

/// Which patches a sweep may leave out: those certified in its own tree, and for each node the
/// certified patch of another tree that holds all its triangles (-1: none). The latter may be
/// empty.
struct Certified {
  std::vector<int> own;
  std::vector<std::vector<int>> others;
};

/// For each node of `tree` the number of the patch of `other` that holds it, or -1.
std::vector<int> patchOfNodes(const PatchTree& tree, const PatchTree& other,
                              const std::vector<int>& patches);

/// All pairs of triangles of one mesh whose boxes meet and that lie in no certified patch together.
void pairsWithin(const PatchTree& tree, const StepBoxes& boxes, const Certified& certified,
                 std::vector<TrianglePair>* pairs);

/// All pairs of triangles of two meshes whose boxes meet, the first mesh's triangle first.
void pairsBetween(const PatchTree& a, const StepBoxes& boxes_a, const PatchTree& b,
                  const StepBoxes& boxes_b, std::vector<TrianglePair>* pairs);

}  // namespace allclear::deform
