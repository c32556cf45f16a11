#pragma once

#include <cstdint>
#include <vector>

#include "allclear/distance/phong/mesh.h"

namespace allclear::phong {

/// Balls about triangles and groups of them, with cones about their normals.
struct SphereNode {
  Vec3 center;
  double radius;
  Vec3 axis;           ///< of the cone, unit
  double angle;        ///< [rad] between the axis and the farthest normal; pi or more: all normals
  std::int32_t child;  ///< the first of two, which are neighbours; ~triangle for a leaf
};

class SphereTree {
 public:
  explicit SphereTree(const PhongMesh& mesh);
  /// The root is the first one.
  const std::vector<SphereNode>& nodes() const { return nodes_; }

  /// The point of the surface nearest to p. `start`: a triangle that is near by, or -1.
  SurfacePoint nearest(const PhongMesh& mesh, const Vec3& p, int start = -1) const;

 private:
  void build(const PhongMesh& mesh, std::vector<int>* items, int first, int count, int node);

  std::vector<SphereNode> nodes_;
};

}  // namespace allclear::phong
