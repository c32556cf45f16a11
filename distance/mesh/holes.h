#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "allclear/distance/mesh/topology.h"
#include "allclear/distance/solid_and_shell.h"

namespace allclear::mesh {

/// Two corners of a mesh, the smaller number first.
using Edge = std::array<int, 2>;

/// Area [m^2] of a triangle.
double triangleArea(const Vec3& a, const Vec3& b, const Vec3& c);

/// The rim: edges that an odd number of the triangles have, and one triangle of each; in the order
/// of the edges. (A tree of millions of edges takes half a second to free, after a stop too.)
struct RimEdge {
  Edge edge;
  int triangle;
};
std::vector<RimEdge> rimOf(const std::vector<Triangle>& triangles);

/// Size of a connected part of a mesh.
struct PartSize {
  Vec3 lower = Vec3::Constant(HUGE_VAL), upper = Vec3::Constant(-HUGE_VAL);
  double area = 0.0;    ///< [m^2]
  double volume = 0.0;  ///< [m^3] signed; of a closed part

  double diagonal() const { return (upper - lower).norm(); }
};
std::vector<PartSize> partSizes(const MeshTopology& mesh);

/// The fans of triangles that close small loops of a mesh's rim: holes, and seams where a vertex of
/// one triangle lies on an edge of another.
struct HoleFans {
  std::vector<Vec3> vertices;  ///< of the mesh, and the middles of larger fans
  std::vector<Triangle> triangles;
  std::vector<int> hole;  ///< by triangle: index into `holes`
  std::vector<ClosedHole> holes;
};
HoleFans closeSmallHoles(const MeshTopology& mesh);

}  // namespace allclear::mesh
