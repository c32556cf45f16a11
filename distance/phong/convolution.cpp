// Facets of the Minkowski sum of two meshes A and -B near a ball, by their convolution on the Gauss
// sphere (thesis V.E; Y. Lee, E. Behar, J.-M. Lien and Y. J. Kim, Continuous Penetration Depth
// Computation for Rigid Models using Dynamic Minkowski Sums, CAD 2016), in A's frame: a point of
// the sum is a - X b.
//
// Which pairs make facets. A face of A with normal n meets the boundary of the sum at the vertices
// w of B that are extreme along -n; likewise a face of B and vertices of A. An edge of A and an
// edge of B span a parallelogram where some n is between the normals of the two faces at the one,
// and -n between those at the other: their arcs on the Gauss sphere cross. Pairs of nodes of two
// sphere trees with cones of normals find all of these: a pair of nodes is left out when its
// difference is outside the ball or no normal of the one is opposite to one of the other.
//
// Why areas add up. The normal of a vertex of the sum is the sum of the area vectors (normal times
// area) of the facets around it. A flat region counts by its total area then, however it is cut
// into triangles. Each area vector depends on B's rotation R in one of three ways:
//   face of A + vertex of B:  twice the area is u x v, fixed in A's frame;
//   vertex of A - face of B:  -(R u) x (R v) = -R (u x v), it turns with B;
//   edge a - edge R b:        a x R b, the axial vector of a (R b)^T = (a b^T) R^T.
// So three accumulators per vertex (`fixed`, `turning`, `crossing`) give its normal at any R, and a
// derivative, as long as the same facets stay around it.
//
// Candidates are collected with slack and kept from query to query. Invariant: while the motion
// since and the ball stay within the slack, every facet in the ball is among the candidates.

#include "allclear/distance/phong/convolution.h"

#include <algorithm>
#include <cmath>

namespace allclear::phong {
namespace {

/// How far ball and bodies may move before candidates are searched again, of the radius.
constexpr double kSlackRadius = 0.25;
/// Sine of the angle of two edges: more nearly parallel ones span no parallelogram.
constexpr double kParallel = 1e-12;

/// Longest way of a point within `reach` of B's origin from pose Y to pose X.
double motionBetween(const Pose& X, const Pose& Y, double reach) {
  return (X.p - Y.p).norm() + (X.R - Y.R).norm() / std::sqrt(2.0) * reach;
}

std::uint64_t keyOf(int v, int w) {
  return (static_cast<std::uint64_t>(v) << 32) | static_cast<std::uint32_t>(w);
}

/// First slot of a key in a table of `size` (a power of two) slots: Fibonacci hashing.
std::size_t slotOf(std::uint64_t key, std::size_t size) {
  return (key * 0x9E3779B97F4A7C15ull) >> 20 & (size - 1);
}

}  // namespace

Vec3 SumVertex::normal(const Mat3& R) const {
  const Mat3 M = crossing * R.transpose();
  // sum of a x R b over the pairs of edges
  const Vec3 axial(M(1, 2) - M(2, 1), M(2, 0) - M(0, 2), M(0, 1) - M(1, 0));
  const Vec3 sum = fixed + R * turning + axial;
  const double length = sum.norm();
  return length > 0.0 ? Vec3(sum / length) : Vec3::UnitZ();
}

Vec3 place(const ConvolutionSide& A, const ConvolutionSide& B, const Pose& X_AB,
           const SumVertex& vertex) {
  return A.mesh->vertices[vertex.v] - X_AB * B.mesh->vertices[vertex.w];
}

std::array<Vec3, 3> Convolution::corners(int facet) const {
  std::array<Vec3, 3> out;
  for (int k = 0; k < 3; ++k) out[k] = place(A_, B_, X_, vertices_[facets_[facet].corners[k]]);
  return out;
}

/// Whether every facet in the ball is still among the candidates: what bodies and ball moved since
/// is within the slack. A much smaller ball is worth a new search, which finds fewer candidates.
bool Convolution::candidatesHold(const Pose& X_AB, const Vec3& center, double radius) const {
  const SphereNode& root = B_.tree->nodes()[0];
  const double reach = root.center.norm() + root.radius;
  const double slack = candidates_radius_ - radius - (center - candidates_center_).norm();
  return candidates_radius_ >= 0.0 && candidates_radius_ <= 2.0 * radius &&
         slack >= motionBetween(X_AB, candidates_X_, reach) &&
         (X_AB.R - candidates_X_.R).norm() / std::sqrt(2.0) <= kSlackAngle;
}

/// Visits the pairs of triangles whose difference reaches into the ball and whose cones hold
/// opposite normals. Descends into the larger of two nodes, so that both stay of about the same
/// size.
template <class Visit>
void Convolution::visitPairs(const Cones& A, const Cones& B, const Visit& visit) {
  turned_axes_.clear();
  for (const Vec3& axis : B.axis) turned_axes_.push_back(X_.R * axis);
  node_pairs_.assign(1, {0, 0});
  while (!node_pairs_.empty()) {
    const auto [a, b] = node_pairs_.back();
    node_pairs_.pop_back();
    if (A.none[a] || B.none[b]) continue;
    const SphereNode &nA = A_.tree->nodes()[a], &nB = B_.tree->nodes()[b];
    const double reached = candidates_radius_ + nA.radius + nB.radius;
    if ((nA.center - shifted_centers_[b]).squaredNorm() > reached * reached) continue;
    // No normal of A is opposite to one of B when the axes are farther from opposite than both
    // angles together: angle(axis_A, -axis_B) > sum of the angles, if that is below pi.
    const Vec2 &cA = A.angle[a], &cB = B.angle[b];
    const double cos_both = cA[0] * cB[0] - cA[1] * cB[1];
    const double sin_both = cA[1] * cB[0] + cA[0] * cB[1];
    if (sin_both > 0.0 && A.axis[a].dot(turned_axes_[b]) > -cos_both) continue;
    if (nA.child < 0 && nB.child < 0) {
      visit(~nA.child, ~nB.child);
    } else if (nB.child < 0 || (nA.child >= 0 && nA.radius >= nB.radius)) {
      node_pairs_.push_back({nA.child, b});
      node_pairs_.push_back({nA.child + 1, b});
    } else {
      node_pairs_.push_back({a, nB.child});
      node_pairs_.push_back({a, nB.child + 1});
    }
  }
}

/// B's normals and edges in A's frame, which every candidate needs.
void Convolution::turnB() {
  const PhongMesh& mesh = *B_.mesh;
  turned_normals_.clear();
  turned_edges_.clear();
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const int t = static_cast<int>(i);
    turned_normals_.push_back(X_.R * mesh.normals[i]);
    for (int k = 0; k < 3; ++k) {
      const Vec3 b = mesh.corner(t, (k + 2) % 3) - mesh.corner(t, (k + 1) % 3);
      turned_edges_.push_back(X_.R * b.normalized());
    }
  }
}

/// Adds pairs of edges whose arcs may cross after a turn within the slack. An arc with normals m1,
/// m2 crosses the plane of the arc of edge a (the plane across a) when m1.a and m2.a differ in
/// sign. If they are on one side by more than the slack, no such turn makes the arcs cross.
void Convolution::addEdgeCandidates(int tA, int tB) {
  // The ends x, y of an arc, as heights over a plane through the sphere's centre.
  const auto is_one_side = [](double x, double y) {
    return std::min(x, y) > kSlackAngle || std::max(x, y) < -kSlackAngle;
  };
  for (int i = 0; i < 3; ++i) {
    if (!A_.owns_edge[tA][i]) continue;
    const Vec3 a =
        (A_.mesh->corner(tA, (i + 2) % 3) - A_.mesh->corner(tA, (i + 1) % 3)).normalized();
    const Vec3 &n1 = A_.mesh->normals[tA], &n2 = A_.mesh->normals[A_.mesh->neighbours[tA][i]];
    const double am1 = a.dot(turned_normals_[tB]);
    for (int k = 0; k < 3; ++k) {
      if (!B_.owns_edge[tB][k]) continue;
      if (is_one_side(am1, a.dot(turned_normals_[B_.mesh->neighbours[tB][k]]))) continue;
      const Vec3& b = turned_edges_[3 * tB + k];
      if (!is_one_side(b.dot(n1), b.dot(n2))) edges_.push_back({tA, tB, i, k});
    }
  }
}

/// Each vertex and edge belongs to one triangle, and every pair of triangles is visited once: no
/// candidate comes twice.
void Convolution::findCandidates(const Pose& X_AB, const Vec3& center, double radius) {
  candidates_X_ = X_AB;
  candidates_center_ = center;
  candidates_radius_ = (1.0 + kSlackRadius) * radius;
  faces_of_A_.clear();
  faces_of_B_.clear();
  edges_.clear();
  shifted_centers_.clear();
  for (const SphereNode& node : B_.tree->nodes()) {
    shifted_centers_.push_back(X_ * node.center + center);
  }
  // Faces of A with vertices of B, vertices of A with faces of B, edges with edges.
  visitPairs(A_.face_cones, B_.ring_cones, [&](int tA, int tB) {
    const Vec3 direction = -(X_.R.transpose() * A_.mesh->normals[tA]);
    for (int k = 0; k < 3; ++k) {
      const int w = B_.mesh->triangles[tB][k];
      if (!B_.owns_vertex[tB][k] || !B_.supports(w, direction, kSlackAngle)) continue;
      faces_of_A_.push_back({tA, w});
    }
  });
  visitPairs(A_.ring_cones, B_.face_cones, [&](int tA, int tB) {
    const Vec3 direction = -turned_normals_[tB];
    for (int k = 0; k < 3; ++k) {
      const int v = A_.mesh->triangles[tA][k];
      if (!A_.owns_vertex[tA][k] || !A_.supports(v, direction, kSlackAngle)) continue;
      faces_of_B_.push_back({tB, v});
    }
  });
  visitPairs(A_.arc_cones, B_.arc_cones, [&](int tA, int tB) { addEdgeCandidates(tA, tB); });
}

void Convolution::growTable() {
  const std::size_t size = std::max<std::size_t>(1024, 4 * table_.size());
  table_.assign(size, {0, -1});
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    const std::uint64_t key = keyOf(vertices_[i].v, vertices_[i].w);
    std::size_t at = slotOf(key, size);
    while (table_[at].second >= 0) at = (at + 1) & (size - 1);
    table_[at] = {key, static_cast<int>(i)};
  }
}

/// Index of the sum's vertex v - w, made if it is new. The table is at most half full.
int Convolution::vertexIndex(int v, int w) {
  const std::uint64_t key = keyOf(v, w);
  if (2 * (vertices_.size() + 1) > table_.size()) growTable();
  std::size_t at = slotOf(key, table_.size());
  while (table_[at].second >= 0 && table_[at].first != key) at = (at + 1) & (table_.size() - 1);
  if (table_[at].second < 0) {
    table_[at] = {key, static_cast<int>(vertices_.size())};
    vertices_.emplace_back();
    vertices_.back().v = v;
    vertices_.back().w = w;
  }
  return table_[at].second;
}

void Convolution::addFaceOfA(int tA, int w) {
  if (!B_.supports(w, -(X_.R.transpose() * A_.mesh->normals[tA]))) return;
  const Triangle& t = A_.mesh->triangles[tA];
  const Vec3 double_area = (A_.mesh->corner(tA, 1) - A_.mesh->corner(tA, 0))
                               .cross(A_.mesh->corner(tA, 2) - A_.mesh->corner(tA, 0));
  SumFacet facet;
  for (int i = 0; i < 3; ++i) {
    facet.corners[i] = vertexIndex(t[i], w);
    vertices_[facet.corners[i]].fixed += double_area;
  }
  facets_.push_back(facet);
}

void Convolution::addFaceOfB(int v, int tB) {
  if (!A_.supports(v, -turned_normals_[tB])) return;
  const Triangle& t = B_.mesh->triangles[tB];
  const Vec3 double_area = (B_.mesh->corner(tB, 1) - B_.mesh->corner(tB, 0))
                               .cross(B_.mesh->corner(tB, 2) - B_.mesh->corner(tB, 0));
  SumFacet facet;
  for (int i = 0; i < 3; ++i) {
    facet.corners[2 - i] = vertexIndex(v, t[i]);  // -B is a mirror image: corners turn round
    vertices_[facet.corners[2 - i]].turning -= double_area;
  }
  facets_.push_back(facet);
}

void Convolution::addEdgePair(const EdgePair& pair) {
  const auto [tA, tB, i, k] = pair;
  const Triangle &s = A_.mesh->triangles[tA], &t = B_.mesh->triangles[tB];
  const int v0 = s[(i + 1) % 3], v1 = s[(i + 2) % 3];
  const int w0 = t[(k + 1) % 3], w1 = t[(k + 2) % 3];
  const Vec3 a = A_.mesh->vertices[v1] - A_.mesh->vertices[v0];
  const Vec3 b = B_.mesh->vertices[w1] - B_.mesh->vertices[w0];
  const Vec3 &n1 = A_.mesh->normals[tA], &n2 = A_.mesh->normals[A_.mesh->neighbours[tA][i]];
  const Vec3 &m1 = turned_normals_[tB], &m2 = turned_normals_[B_.mesh->neighbours[tB][k]];
  Vec3 n = a.cross(turned_edges_[3 * tB + k]);
  const double sign = n.dot(n1 + n2) < 0.0 ? -1.0 : 1.0;
  const double length = n.norm();
  if (length < kParallel * a.norm()) return;
  n *= sign / length;
  // n is on the arc from n1 to n2 (it is on their great circle) when it is nearer to either end
  // than the ends are to each other. The same for -n and the arc of B.
  if (std::min(n.dot(n1), n.dot(n2)) < n1.dot(n2)) return;
  if (std::min(-n.dot(m1), -n.dot(m2)) < m1.dot(m2)) return;
  const int p[4] = {vertexIndex(v0, w0), vertexIndex(v1, w0), vertexIndex(v1, w1),
                    vertexIndex(v0, w1)};
  // A corner belongs to one of the parallelogram's two triangles or to both, depending on which
  // diagonal cuts it. Each corner gets the whole parallelogram instead: twice its area is 2 a x R
  // b.
  for (int corner : p) vertices_[corner].crossing += 2.0 * sign * a * b.transpose();
  const int left = sign < 0.0 ? 1 : 3, right = 4 - left;  // counter-clockwise about n
  facets_.push_back({{p[0], p[left], p[2]}});
  facets_.push_back({{p[0], p[2], p[right]}});
}

/// Facets that share an edge become neighbours: sort all sides by their edge, then pair equal ones.
void Convolution::connectFacets() {
  struct Side {
    std::uint64_t edge;
    int facet, corner;
  };
  std::vector<Side> sides;
  sides.reserve(3 * facets_.size());
  for (std::size_t i = 0; i < facets_.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const int a = facets_[i].corners[(k + 1) % 3], b = facets_[i].corners[(k + 2) % 3];
      sides.push_back({keyOf(std::min(a, b), std::max(a, b)), static_cast<int>(i), k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.facet < b.facet;
  });
  // Where more than two facets share an edge, the last pair of them counts.
  neighbours_.assign(facets_.size(), {-1, -1, -1});
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    if (sides[i].edge != sides[i + 1].edge) continue;
    neighbours_[sides[i].facet][sides[i].corner] = sides[i + 1].facet;
    neighbours_[sides[i + 1].facet][sides[i + 1].corner] = sides[i].facet;
  }
}

void Convolution::build(const Pose& X_AB, const Vec3& center, double radius) {
  X_ = X_AB;
  turnB();
  // Normals of vertices need all facets around: one more facet's width beyond the ball.
  const double wide = radius + A_.longest_edge + B_.longest_edge;
  if (!candidatesHold(X_AB, center, wide)) findCandidates(X_AB, center, wide);
  vertices_.clear();
  facets_.clear();
  std::fill(table_.begin(), table_.end(), std::pair<std::uint64_t, int>{0, -1});
  for (const auto& [tA, w] : faces_of_A_) addFaceOfA(tA, w);
  for (const auto& [tB, v] : faces_of_B_) addFaceOfB(v, tB);
  for (const EdgePair& pair : edges_) addEdgePair(pair);
  connectFacets();
}

}  // namespace allclear::phong
