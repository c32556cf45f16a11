#pragma once

#include <cstdint>
#include <vector>

#include "allclear/distance/geometry/triangles.h"

namespace allclear::mesh {

/// A set of triangles: a run of an order, [first, last). Its halves are nodes `left` and `right`;
/// a set of one triangle has none.
struct BinaryNode {
  std::int32_t first, last;
  std::int32_t left = -1, right = -1;
  double size = 0.0;  ///< diagonal of its box along its principal axes [m]

  std::int32_t count() const { return last - first; }
  bool isLeaf() const { return count() == 1; }
};

/// Splits the triangles in halves down to single ones and puts their numbers in `order`, so that
/// every set is a run of it. Node 0 is the root. O(n log^2 n). Pre: not empty, finite.
std::vector<BinaryNode> splitTriangles(const std::vector<TriangleCorners>& triangles,
                                       std::vector<std::int32_t>* order);

}  // namespace allclear::mesh
