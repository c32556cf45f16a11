#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "allclear/distance/mesh/topology.h"

namespace allclear::phong {

/// The working mesh of the Phong methods: a mesh cut finer until no edge is longer than a bound.
/// The surface stays the same, and triangles still meet along whole edges. The longest edges are
/// halved first, so that triangles do not become thinner.
struct PhongMesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<std::array<int, 3>> neighbours;  ///< across the edge from corner i; -1: none or many
  std::vector<Vec3> normals;                   ///< unit, of the triangles

  Vec3 corner(int triangle, int i) const { return vertices[triangles[triangle][i]]; }
};

/// `longest_edge` [m]. Drops triangles without area. Stops at about `most` triangles; a mesh that
/// has more stays as it is.
PhongMesh refined(const MeshTopology& mesh, double longest_edge, std::size_t most = 200000);

/// A point of the surface: a triangle and barycentric coordinates, sum 1.
struct SurfacePoint {
  int triangle = -1;
  Vec3 weights = Vec3::Constant(1.0 / 3.0);
};

Vec3 position(const PhongMesh& mesh, const SurfacePoint& point);

/// Moves `point` along `step`, a vector in its triangle's plane, over edges as if the triangles
/// were unfolded into one plane. Stops at a rim. Returns whether it ended in another triangle.
bool walk(const PhongMesh& mesh, const Vec3& step, SurfacePoint* point);

/// The point moved a little towards the middle of its triangle. Planes have no derivative at
/// corners, and nearest points often are corners.
inline SurfacePoint offCorner(SurfacePoint point) {
  point.weights = 0.9 * point.weights + Vec3::Constant(0.1 / 3.0);
  return point;
}

/// Barycentric coordinates of the projection of p on the triangle's plane.
Vec3 barycentric(const PhongMesh& mesh, int triangle, const Vec3& p);

}  // namespace allclear::phong
