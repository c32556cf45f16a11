#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "allclear/distance/mesh/topology.h"

namespace allclear::phong {

/// A mesh cut finer until no edge is longer than a bound: the same surface, conforming (triangles
/// meet along whole edges), cut at the middle of the longest edge first so that triangles do not
/// become thinner.
struct PhongMesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<std::array<int, 3>> neighbours;  ///< across the edge from corner i; -1: none or many
  std::vector<Vec3> normals;                   ///< unit, of the triangles

  Vec3 corner(int triangle, int i) const { return vertices[triangles[triangle][i]]; }
};

/// `longest_edge` [m]. Triangles without area are dropped. No more than about `most` triangles: a
/// mesh that is finer by itself stays as it is.
PhongMesh refined(const MeshTopology& mesh, double longest_edge, std::size_t most = 200000);

/// A point of the surface: a triangle and barycentric coordinates, sum 1.
struct SurfacePoint {
  int triangle = -1;
  Vec3 weights = Vec3::Constant(1.0 / 3.0);
};

Vec3 position(const PhongMesh& mesh, const SurfacePoint& point);

/// Goes from `point` along `step`, a vector in its triangle's plane, over edges as if the triangles
/// were unfolded into one plane. Stops at a rim. True when it ended in another triangle.
bool walk(const PhongMesh& mesh, const Vec3& step, SurfacePoint* point);

/// The point a little towards the middle of its triangle: planes have no derivative at corners,
/// where nearest points often are.
inline SurfacePoint offCorner(SurfacePoint point) {
  point.weights = 0.9 * point.weights + Vec3::Constant(0.1 / 3.0);
  return point;
}

/// Barycentric coordinates of the projection of p on the triangle's plane.
Vec3 barycentric(const PhongMesh& mesh, int triangle, const Vec3& p);

}  // namespace allclear::phong
