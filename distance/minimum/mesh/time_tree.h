#pragma once

#include <vector>

#include "allclear/distance/minimum/mesh/motion.h"

namespace allclear::mcd {

/// An interval of one cell's time with the relative motion on it, made for bounds.
struct TimeNode {
  mesh::IntervalPoses poses;
  mesh::CoarsePoses coarse;
  double s0, s1;  ///< within the cell's [-1, 1]
  double n[3];    ///< of the nearest points of two triangles, B to A, or 0
  std::int32_t cell;
  std::int32_t halves;  ///< the first of two; 0: not made yet
};

/// The intervals that a search has divided time into: a binary tree below each cell, whose halves
/// are made when first asked for and serve all pairs of volumes.
class TimeTree {
 public:
  /// `motion` is borrowed. `thickness` [m] is added to the errors of all intervals.
  TimeTree(const MeshMotion& motion, double thickness)
      : motion_(motion), thickness_(thickness), curves_(motion.cells()) {}

  /// Makes the root of a cell, which must be new. Returns its node.
  std::int32_t addCell(int cell);
  /// Whether `addCell` was called for the cell.
  bool hasCell(int cell) const { return curves_[cell].scale != 0.0; }
  const RelativeCurve& curve(int cell) const { return curves_[cell]; }

  /// References hold until the next node is made.
  const TimeNode& operator[](std::int32_t node) const { return nodes_[node]; }
  TimeNode& operator[](std::int32_t node) { return nodes_[node]; }
  /// The first of the two halves of a node; the second follows it.
  std::int32_t halvesOf(std::int32_t node);
  long size() const { return static_cast<long>(nodes_.size()); }

 private:
  std::int32_t add(int cell, double s0, double s1);

  const MeshMotion& motion_;
  double thickness_;
  std::vector<RelativeCurve> curves_;
  std::vector<TimeNode> nodes_;
};

}  // namespace allclear::mcd
