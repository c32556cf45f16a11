#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "allclear/distance/phong/convolution_side.h"

namespace allclear::phong {

/// A vertex of the sum, vertex v of A minus vertex w of B, with its normal as a function of B's
/// rotation R. Twice the sum of the area vectors of the facets around it is
///   fixed + R turning + axial(crossing R^T);   convolution.cpp says why.
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

/// Part of the convolution of A and -B, a superset of the boundary of their Minkowski sum. Its
/// facets are: a face of one and a vertex of the other, where the vertex is locally extreme along
/// the face's normal; and two convex edges whose arcs on the Gauss sphere cross. (A vertex that is
/// not convex is extreme in the cells of its convex map alone, which the same test decides; concave
/// edges have no facets.)
class Convolution {
 public:
  Convolution(const ConvolutionSide& A, const ConvolutionSide& B) : A_(A), B_(B) {}

  /// Builds all facets that reach into the ball, and those around their vertices. Candidates for
  /// facets are found with some slack, and searched again only when motions and balls have used it
  /// up.
  void build(const Pose& X_AB, const Vec3& center, double radius);

  const std::vector<SumVertex>& vertices() const { return vertices_; }
  const std::vector<SumFacet>& facets() const { return facets_; }
  /// Across the edge from corner i; -1: outside the part that was built.
  const std::vector<std::array<int, 3>>& neighbours() const { return neighbours_; }
  std::array<Vec3, 3> corners(int facet) const;  ///< at the pose of `build`

 private:
  using Cones = ConvolutionSide::Cones;
  struct EdgePair {
    int tA, tB;
    int i, k;  ///< opposite to these corners
  };

  bool candidatesHold(const Pose& X_AB, const Vec3& center, double radius) const;
  void findCandidates(const Pose& X_AB, const Vec3& center, double radius);
  template <class Visit>
  void visitPairs(const Cones& A, const Cones& B, const Visit& visit);
  void turnB();
  void addEdgeCandidates(int tA, int tB);
  void addFaceOfA(int tA, int w);
  void addFaceOfB(int v, int tB);
  void addEdgePair(const EdgePair& pair);
  void growTable();
  int vertexIndex(int v, int w);
  void connectFacets();

  const ConvolutionSide& A_;
  const ConvolutionSide& B_;
  Pose X_;
  std::vector<SumVertex> vertices_;
  std::vector<SumFacet> facets_;
  std::vector<std::array<int, 3>> neighbours_;
  std::vector<std::pair<std::uint64_t, int>> table_;  ///< vertices by v and w: open addressing
  std::vector<Vec3> turned_normals_, turned_edges_;   ///< of B; edges unit, three to a triangle
  std::vector<Vec3> shifted_centers_, turned_axes_;   ///< of the nodes of B
  // Candidates: triangle and vertex, or two edges; and the pose and ball they were found for.
  std::vector<std::pair<int, int>> faces_of_A_, faces_of_B_;
  std::vector<EdgePair> edges_;
  std::vector<std::pair<int, int>> node_pairs_;  ///< stack of `visitPairs`
  Pose candidates_X_;
  Vec3 candidates_center_ = Vec3::Zero();
  double candidates_radius_ = -1.0;
};

/// Position of a vertex of the sum.
Vec3 place(const ConvolutionSide& A, const ConvolutionSide& B, const Pose& X_AB,
           const SumVertex& vertex);

}  // namespace allclear::phong
