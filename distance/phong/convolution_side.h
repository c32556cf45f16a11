#pragma once

#include <array>
#include <vector>

#include "allclear/distance/phong/tree.h"

namespace allclear::phong {

/// How far B may turn against A before candidates for facets are searched again [rad]; cones of
/// normals are wider by it, half on each body.
inline constexpr double kSlackAngle = 0.05;

/// Angle between two vectors [rad], accurate for small ones too.
double angleBetween(const Vec3& a, const Vec3& b);

/// One body as the convolution needs it: its mesh, which triangle stands for which vertex and edge,
/// and cones of normals over its sphere tree. Borrows mesh and tree.
struct ConvolutionSide {
  /// Normals below each node of the tree: all are within an angle about an axis, with some slack.
  struct Cones {
    std::vector<Vec3> axis;
    std::vector<Vec2> angle;  ///< cosine and sine
    std::vector<char> none;   ///< no normals at all
  };
  const PhongMesh* mesh = nullptr;
  const SphereTree* tree = nullptr;
  /// The vertices joined to vertex v by an edge: from first_neighbour[v] up to [v + 1].
  std::vector<int> first_neighbour, neighbours;
  std::vector<std::array<char, 3>> owns_vertex;  ///< each vertex belongs to one triangle
  /// Likewise edges, opposite to the corner; convex ones only.
  std::vector<std::array<char, 3>> owns_edge;
  Cones face_cones;  ///< of the triangles
  Cones ring_cones;  ///< of all triangles at the corners of these
  Cones arc_cones;   ///< of these and the triangles across their own convex edges
  double longest_edge = 0.0;

  ConvolutionSide(const PhongMesh& mesh, const SphereTree& tree);
  /// Whether no neighbour of the vertex is farther along `direction`, by more than `slack` times
  /// its distance from the vertex.
  bool supports(int vertex, const Vec3& direction, double slack = 0.0) const;

 private:
  using Rings = std::vector<std::vector<int>>;
  Rings assignOwners();
  void assignEdges(int triangle, int k);
  void buildCones(const Rings& triangles_at);
  Cones conesOf(const std::vector<double>& angle_of_triangle) const;
};

}  // namespace allclear::phong
