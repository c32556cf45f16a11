#pragma once

#include <span>
#include <vector>

#include "allclear/distance/mesh/bvh.h"

namespace allclear::mesh {

/// Fits a ball and a box to sets of triangles. Keeps its memory from one set to the next.
class VolumeFitter {
 public:
  /// Writes the ball and the box of the triangles into one slot of the node, in single precision;
  /// both are proven, in double precision, to hold every corner. Pre: not empty, finite.
  void fit(std::span<const TriangleCorners> triangles, MeshNode* node, int slot);

 private:
  void fitBall(MeshNode* node, int slot) const;
  void fitBox(std::span<const TriangleCorners> triangles, MeshNode* node, int slot) const;
  Mat3 boxAxes(std::span<const TriangleCorners> triangles) const;
  bool boxHolds(const Mat3& half_axes, const Vec3& center) const;

  std::vector<Vec3> corners_;
};

}  // namespace allclear::mesh
