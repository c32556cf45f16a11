#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "allclear/distance/phong/tree.h"
#include "allclear/distance/phong/triangle.h"

namespace allclear::phong {

/// What of a mesh a convolution asks for.
struct ConvolutionSide {
  /// Of normals, per node of the tree: all within an angle about an axis, with some slack.
  struct Cones {
    std::vector<Vec3> axis;
    std::vector<Vec2> angle;  ///< cosine and sine
    std::vector<char> none;   ///< no normals at all
  };
  const PhongMesh* mesh = nullptr;
  const SphereTree* tree = nullptr;
  std::vector<int> first_around, around;         ///< vertices joined to a vertex by an edge
  std::vector<std::array<char, 3>> owns_vertex;  ///< each vertex is one triangle's
  std::vector<std::array<char, 3>> owns_edge;    ///< convex edges only, opposite to the corner
  Cones faces;                                   ///< the triangles' own
  Cones rings;                                   ///< of all triangles at their vertices
  Cones arcs;                                    ///< of theirs and those across their convex edges
  double longest_edge = 0.0;

  ConvolutionSide(const PhongMesh& mesh, const SphereTree& tree);
  /// No neighbour of the vertex is farther along `direction`, by more than a share of its distance.
  bool supports(int vertex, const Vec3& direction, double slack = 0.0) const;

 private:
  Cones conesOf(const std::vector<double>& leaves) const;
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

  /// All facets that reach into the ball, and those around their vertices. What may become a facet
  /// is found with some slack and looked through again until motions and balls have used it up.
  void make(const Pose& X_AB, const Vec3& center, double radius);

  const std::vector<SumVertex>& vertices() const { return vertices_; }
  const std::vector<SumFacet>& facets() const { return facets_; }
  /// Across the edge from corner i; -1: outside of what was made.
  const std::vector<std::array<int, 3>>& neighbours() const { return neighbours_; }
  std::array<Vec3, 3> corners(int facet) const;  ///< at the pose of `make`

 private:
  using Cones = ConvolutionSide::Cones;
  struct EdgePair {
    int tA, tB;
    int i, k;  ///< opposite to these corners
  };

  bool isCurrent(const Pose& X_AB, const Vec3& center, double radius) const;
  void collect(const Pose& X_AB, const Vec3& center, double radius);
  template <class Visit>
  void visitPairs(const Cones& A, const Cones& B, const Visit& visit);
  void turn();
  void maybeEdges(int tA, int tB);
  void faceOfA(int tA, int w);
  void faceOfB(int v, int tB);
  void edges(const EdgePair& pair);
  int vertex(int v, int w);
  void connect();

  const ConvolutionSide& A_;
  const ConvolutionSide& B_;
  Pose X_;
  std::vector<SumVertex> vertices_;
  std::vector<SumFacet> facets_;
  std::vector<std::array<int, 3>> neighbours_;
  std::vector<std::pair<std::uint64_t, int>> table_;  ///< vertices by v and w: open addressing
  std::vector<Vec3> turned_normals_, turned_edges_;   ///< of B; edges unit, three to a triangle
  std::vector<Vec3> shifted_centers_, turned_axes_;   ///< of the nodes of B
  // What may become facets, and for which pose and ball it was found.
  std::vector<std::pair<int, int>> faces_of_A_, faces_of_B_;  ///< triangle and vertex
  std::vector<EdgePair> edges_;
  std::vector<std::pair<int, int>> todo_;
  Pose found_X_;
  Vec3 found_center_ = Vec3::Zero();
  double found_radius_ = -1.0;
};

/// Place of a sum's vertex.
Vec3 place(const ConvolutionSide& A, const ConvolutionSide& B, const Pose& X_AB,
           const SumVertex& vertex);

}  // namespace allclear::phong
