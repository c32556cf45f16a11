#pragma once

#include <span>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear::deform {

/// Half-edge 3 t + e goes from corner e of triangle t to corner (e + 1) % 3. The half-edge that
/// passes the same edge the other way; -1 where there is none, and on edges that more than two
/// triangles have or two triangles pass the same way.
std::vector<int> oppositeHalfEdges(std::span<const Triangle> triangles);

/// A binary tree over the triangles of a mesh. It depends on the triangles and on one shape at
/// rest, so it serves every instant of a mesh that bends.
struct PatchTree {
  struct Node {
    int begin = 0, end = 0;  ///< its triangles: `order[begin .. end)`
    int right = -1;          ///< number of the right child; the left one follows its parent
    /// Its boundary: vertices `loops[loop_begin .. loop_end)` in the sense of the triangles. Empty
    /// unless the boundary is a single closed loop that passes no vertex twice.
    int loop_begin = 0, loop_end = 0;

    int size() const { return end - begin; }
    bool isLeaf() const { return size() == 1; }
    bool hasLoop() const { return loop_end > loop_begin; }
  };
  std::vector<int> order;   ///< triangles
  std::vector<Node> nodes;  ///< parents before children; leaves hold one triangle
  std::vector<int> loops;
};

struct CutOptions {
  /// Share of the triangles left of a cut, in the upper levels; halves further down.
  double share = 0.5;
  int levels = 7;  ///< upper levels
};

/// Cuts a mesh along its short edges. O(n log^2 n).
PatchTree cutAlongMesh(std::span<const Triangle> triangles, std::span<const Vec3> rest,
                       const std::vector<int>& opposite, const CutOptions& options = {});

}  // namespace allclear::deform
