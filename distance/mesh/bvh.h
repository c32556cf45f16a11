#pragma once

#include <cstdint>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/geometry/triangles.h"

namespace allclear {

/// Eight children side by side, for kernels that treat them in parallel. A child's triangles lie in
/// its ball and in its box, the points center + sum_i x_i axis_i with |x_i| <= 1. Both hold for the
/// stored single precision numbers, proven in double precision (volume_fit.h).
struct alignas(64) MeshNode {
  static constexpr int kWidth = 8;
  float ball[5][kWidth];  ///< centre x y z, radius, length of the centre (rounded up)
  float box[12][kWidth];  ///< centre x y z, then the three axes, each half an edge long
  /// Number of a node, or ~number of a triangle (a leaf holds one).
  std::int32_t child[kWidth];
};

/// The triangles of a node whose children are all leaves, one to a lane, rounded to the nearest.
struct alignas(32) LeafCorners {
  float corner[9][MeshNode::kWidth];  ///< x y z of the first, the second, the third
};

/// The volumes of one child of a node.
struct MeshVolume {
  double center[3];
  double radius;
  double length;  ///< of the centre, from the origin
  double box[3];
  double axis[3][3];  ///< [which][xyz]
};

inline MeshVolume childVolume(const MeshNode& node, int slot) {
  MeshVolume v;
  for (int k = 0; k < 3; ++k) {
    v.center[k] = static_cast<double>(node.ball[k][slot]);
    v.box[k] = static_cast<double>(node.box[k][slot]);
    for (int i = 0; i < 3; ++i) v.axis[i][k] = static_cast<double>(node.box[3 + 3 * i + k][slot]);
  }
  v.radius = static_cast<double>(node.ball[3][slot]);
  v.length = static_cast<double>(node.ball[4][slot]);
  return v;
}

/// A tree of bounding volumes over triangles, in the triangles' frame. Immutable.
class MeshBvh {
 public:
  /// Reorders the triangles and builds the tree; `order[i]` becomes the former number of triangle
  /// i. O(n log^2 n). Pre: not empty, finite.
  MeshBvh(std::vector<TriangleCorners> triangles, std::vector<std::int32_t>* order);

  const std::vector<TriangleCorners>& triangles() const { return triangles_; }
  const std::vector<MeshNode>& nodes() const { return nodes_; }
  const MeshVolume& root() const { return root_; }
  /// Number of children of the node; they are in the first lanes.
  int width(int node) const { return width_[node]; }

  /// The triangles of a node whose children are all leaves; else null.
  const LeafCorners* corners(int node) const {
    return corners_of_[node] < 0 ? nullptr : &corners_[corners_of_[node]];
  }

  std::size_t bytes() const;  ///< of memory

  MeshVolume volume(int node, int slot) const { return childVolume(nodes_[node], slot); }

 private:
  friend class MeshBvhBuilder;
  std::vector<TriangleCorners> triangles_;
  std::vector<MeshNode> nodes_;
  std::vector<std::uint8_t> width_;
  std::vector<LeafCorners> corners_;
  std::vector<std::int32_t> corners_of_;  ///< number in corners_ by node, or -1
  MeshVolume root_;
};

}  // namespace allclear
