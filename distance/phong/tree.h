#pragma once

#include <cstdint>
#include <vector>

#include "allclear/distance/phong/mesh.h"

namespace allclear::phong {

/// A ball about a group of triangles.
struct SphereNode {
  Vec3 center;
  double radius;
  std::int32_t child;  ///< the first of two, which are neighbours; ~triangle for a leaf
};

/// Tree of balls over the triangles of a `PhongMesh`. The Phong methods need one of their own
/// beside `MeshBvh`: their working mesh is cut finer than the body's, so triangles differ; and the
/// convolution needs volumes that stay the same under rotation, because it adds the volumes of two
/// bodies at any relative pose (thesis V.E).
class SphereTree {
 public:
  explicit SphereTree(const PhongMesh& mesh);
  /// The root is the first one; children come after their parents.
  const std::vector<SphereNode>& nodes() const { return nodes_; }

  /// The point of the surface nearest to p. `start`: a triangle that is near p, or -1.
  SurfacePoint nearest(const PhongMesh& mesh, const Vec3& p, int start = -1) const;

 private:
  void build(const PhongMesh& mesh, std::vector<int>* items, int first, int count, int node);

  std::vector<SphereNode> nodes_;
};

}  // namespace allclear::phong
