#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "allclear/distance/phong_tree.h"
#include "allclear/distance/phong_triangle.h"

namespace allclear::phong {

/// What of a mesh a convolution asks for.
struct ConvolutionSide {
  struct Edge {
    int from, to;  ///< vertices
    int triangles[2];
  };
  const PhongMesh* mesh = nullptr;
  const SphereTree* tree = nullptr;
  std::vector<int> first_around, around;         ///< vertices joined to a vertex by an edge
  std::vector<std::array<char, 3>> owns_vertex;  ///< each vertex is one triangle's
  std::vector<std::array<char, 3>> owns_edge;    ///< convex edges only, opposite to the corner
  std::vector<Vec3> cone_axis;                   ///< per node of the tree: normals of triangles
  std::vector<Vec2> cone;  ///< cosine and sine of the angle about the axis, with some slack
  double longest_edge = 0.0;

  ConvolutionSide(const PhongMesh& mesh, const SphereTree& tree);
  /// No neighbour of the vertex is farther along `direction`.
  bool supports(int vertex, const Vec3& direction) const;
};

/// A vertex of the sum, v of A less w of B, and the facets around it as a normal that can be turned
/// with B: twice their areas' vectors are  fixed + R turning + axial(crossing R^T).
struct SumVertex {
  int v = -1, w = -1;
  Vec3 fixed = Vec3::Zero();     ///< faces of A, in A's frame
  Vec3 turning = Vec3::Zero();   ///< faces of B, in B's frame
  Mat3 crossing = Mat3::Zero();  ///< pairs of edges: sum of a b^T

  Vec3 normal(const Mat3& R) const;
};

struct SumFacet {
  std::array<int, 3> corners;  ///< into the vertices
};

/// Part of the convolution of A and -B, a superset of the boundary of their Minkowski sum: facets
/// of face and vertex, where the vertex supports locally along the face's normal, and of two convex
/// edges whose arcs on the Gauss sphere cross. (A vertex that is not convex supports in the cells
/// of its convex map alone, which the same test says; concave edges have none.)
class Convolution {
 public:
  Convolution(const ConvolutionSide& A, const ConvolutionSide& B) : A_(A), B_(B) {}

  /// All facets that reach into the ball, and those around their vertices. Of the pairs of
  /// triangles found for the last ball those are used again that motions and balls since then leave
  /// valid.
  void make(const Pose& X_AB, const Vec3& center, double radius);

  const std::vector<SumVertex>& vertices() const { return vertices_; }
  const std::vector<SumFacet>& facets() const { return facets_; }
  /// Across the edge from corner i; -1: outside of what was made.
  const std::vector<std::array<int, 3>>& neighbours() const { return neighbours_; }
  std::array<Vec3, 3> corners(int facet) const;  ///< at the pose of `make`

 private:
  void collectPairs(const Pose& X_AB, const Vec3& center, double radius);
  void facesOfA(int tA, int tB);
  void facesOfB(int tA, int tB);
  void edges(int tA, int tB);
  int vertex(int v, int w);
  void connect();

  const ConvolutionSide& A_;
  const ConvolutionSide& B_;
  Pose X_;
  std::vector<SumVertex> vertices_;
  std::vector<SumFacet> facets_;
  std::vector<std::array<int, 3>> neighbours_;
  std::vector<std::pair<std::uint64_t, int>> table_;  ///< vertices by v and w: open addressing
  // Pairs of triangles and for what they were found.
  std::vector<std::pair<int, int>> pairs_;
  Pose pairs_X_;
  Vec3 pairs_center_ = Vec3::Zero();
  double pairs_radius_ = -1.0;
};

/// Place of a sum's vertex.
Vec3 place(const ConvolutionSide& A, const ConvolutionSide& B, const Pose& X_AB,
           const SumVertex& vertex);

}  // namespace allclear::phong
