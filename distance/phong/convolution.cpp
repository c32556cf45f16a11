#include "allclear/distance/phong/convolution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace allclear::phong {
namespace {

// Slack of what is kept from one ball to the next.
constexpr double kSlackAngle = 0.05;   // [rad], and what a unit vector moves
constexpr double kSlackRadius = 0.25;  // of the radius

double angleBetween(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

/// Longest way of a point within `reach` of B's origin.
double moved(const Pose& X, const Pose& Y, double reach) {
  return (X.p - Y.p).norm() + (X.R - Y.R).norm() / std::sqrt(2.0) * reach;
}

}  // namespace

ConvolutionSide::ConvolutionSide(const PhongMesh& m, const SphereTree& t) : mesh(&m), tree(&t) {
  const int n = static_cast<int>(m.triangles.size());
  std::vector<std::vector<int>> nearby(m.vertices.size()), ring(m.vertices.size());
  owns_vertex.assign(n, {0, 0, 0});
  owns_edge.assign(n, {0, 0, 0});
  std::vector<char> owned(m.vertices.size(), 0);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int a = m.triangles[i][k], b = m.triangles[i][(k + 1) % 3];
      nearby[a].push_back(b);
      nearby[b].push_back(a);
      ring[a].push_back(i);
      longest_edge = std::max(longest_edge, (m.vertices[a] - m.vertices[b]).norm());
      if (!owned[a]) owns_vertex[i][k] = owned[a] = 1;
      const int other = m.neighbours[i][k];
      if (other < i) continue;  // a rim too: an open edge has no arc
      int apex = 0;
      while (m.neighbours[other][apex] != i) ++apex;
      const Vec3 over = m.corner(other, apex) - m.corner(i, (k + 1) % 3);
      owns_edge[i][k] = m.normals[i].dot(over) < -1e-9 * over.norm();
    }
  }
  first_around.push_back(0);
  for (auto& list : nearby) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    around.insert(around.end(), list.begin(), list.end());
    first_around.push_back(static_cast<int>(around.size()));
  }
  std::vector<double> rings_of(n, 0.0), arcs_of(n, -1.0);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      for (int r : ring[m.triangles[i][k]]) {
        rings_of[i] = std::max(rings_of[i], angleBetween(m.normals[i], m.normals[r]));
      }
      if (!owns_edge[i][k]) continue;
      arcs_of[i] = std::max(arcs_of[i], angleBetween(m.normals[i], m.normals[m.neighbours[i][k]]));
    }
  }
  faces = conesOf(std::vector<double>(n, 0.0));
  rings = conesOf(rings_of);
  arcs = conesOf(arcs_of);
}

/// From the angles about the triangles' normals; negative: none.
ConvolutionSide::Cones ConvolutionSide::conesOf(const std::vector<double>& leaves) const {
  const auto& nodes = tree->nodes();
  Cones out;
  out.axis.resize(nodes.size());
  out.angle.resize(nodes.size());
  out.none.resize(nodes.size());
  std::vector<double> angles(nodes.size(), -1.0);
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children come after their parents
    const int child = nodes[i].child;
    Vec3 axis = Vec3::UnitZ();
    double angle = -1.0;
    if (child < 0) {
      axis = mesh->normals[~child];
      angle = leaves[~child];
    } else {
      Vec3 sum = Vec3::Zero();
      for (int c : {child, child + 1}) {
        if (out.none[c]) continue;
        sum += out.axis[c];
        axis = out.axis[c];
      }
      if (sum.norm() > 1e-6) axis = sum.normalized();
      for (int c : {child, child + 1}) {
        if (!out.none[c]) angle = std::max(angle, angleBetween(axis, out.axis[c]) + angles[c]);
      }
    }
    angles[i] = angle;
    out.axis[i] = axis;
    out.none[i] = angle < 0.0;
    const double padded = std::min(std::numbers::pi, angle + 0.51 * kSlackAngle);
    out.angle[i] = Vec2(std::cos(padded), std::sin(padded));
  }
  return out;
}

bool ConvolutionSide::supports(int vertex, const Vec3& direction, double slack) const {
  const Vec3& p = mesh->vertices[vertex];
  for (int i = first_around[vertex]; i < first_around[vertex + 1]; ++i) {
    const Vec3 d = mesh->vertices[around[i]] - p;
    const double along = d.dot(direction);
    if (along <= 0.0) continue;
    if (slack == 0.0 || along * along > slack * slack * d.squaredNorm()) return false;
  }
  return true;
}

Vec3 SumVertex::normal(const Mat3& R) const {
  const Mat3 M = crossing * R.transpose();
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

bool Convolution::isCurrent(const Pose& X_AB, const Vec3& center, double radius) const {
  const SphereNode& root = B_.tree->nodes()[0];
  const double reach = root.center.norm() + root.radius;
  const double slack = found_radius_ - radius - (center - found_center_).norm();
  return found_radius_ >= 0.0 && found_radius_ <= 2.0 * radius &&
         slack >= moved(X_AB, found_X_, reach) &&
         (X_AB.R - found_X_.R).norm() / std::sqrt(2.0) <= kSlackAngle;
}

/// Pairs of triangles of which the difference reaches into the ball and of which the cones have
/// opposite normals.
template <class Visit>
void Convolution::visitPairs(const Cones& A, const Cones& B, const Visit& visit) {
  turned_axes_.clear();
  for (const Vec3& axis : B.axis) turned_axes_.push_back(X_.R * axis);
  todo_.assign(1, {0, 0});
  while (!todo_.empty()) {
    const auto [a, b] = todo_.back();
    todo_.pop_back();
    if (A.none[a] || B.none[b]) continue;
    const SphereNode &nA = A_.tree->nodes()[a], &nB = B_.tree->nodes()[b];
    const double reached = found_radius_ + nA.radius + nB.radius;
    if ((nA.center - shifted_centers_[b]).squaredNorm() > reached * reached) continue;
    // No normal of A opposite to one of B: the axes are farther from opposite than both angles.
    const Vec2 &cA = A.angle[a], &cB = B.angle[b];
    const double cos_both = cA[0] * cB[0] - cA[1] * cB[1];
    const double sin_both = cA[1] * cB[0] + cA[0] * cB[1];
    if (sin_both > 0.0 && A.axis[a].dot(turned_axes_[b]) > -cos_both) continue;
    if (nA.child < 0 && nB.child < 0) {
      visit(~nA.child, ~nB.child);
    } else if (nB.child < 0 || (nA.child >= 0 && nA.radius >= nB.radius)) {
      todo_.push_back({nA.child, b});
      todo_.push_back({nA.child + 1, b});
    } else {
      todo_.push_back({a, nB.child});
      todo_.push_back({a, nB.child + 1});
    }
  }
}

/// What is asked of B again and again, in A's frame.
void Convolution::turn() {
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

/// Edges of which the arcs may cross after a turn within the slack: then the ends of neither are
/// clearly on one side of the other's plane.
void Convolution::maybeEdges(int tA, int tB) {
  const auto one_side = [](double x, double y) {
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
      if (one_side(am1, a.dot(turned_normals_[B_.mesh->neighbours[tB][k]]))) continue;
      const Vec3& b = turned_edges_[3 * tB + k];
      if (!one_side(b.dot(n1), b.dot(n2))) edges_.push_back({tA, tB, i, k});
    }
  }
}

/// Each vertex is one triangle's and of each face all pairs come by: nothing twice.
void Convolution::collect(const Pose& X_AB, const Vec3& center, double radius) {
  found_X_ = X_AB;
  found_center_ = center;
  found_radius_ = (1.0 + kSlackRadius) * radius;
  faces_of_A_.clear();
  faces_of_B_.clear();
  edges_.clear();
  shifted_centers_.clear();
  for (const SphereNode& node : B_.tree->nodes()) {
    shifted_centers_.push_back(X_ * node.center + center);
  }
  visitPairs(A_.faces, B_.rings, [&](int tA, int tB) {
    const Vec3 direction = -(X_.R.transpose() * A_.mesh->normals[tA]);
    for (int k = 0; k < 3; ++k) {
      const int w = B_.mesh->triangles[tB][k];
      if (!B_.owns_vertex[tB][k] || !B_.supports(w, direction, kSlackAngle)) continue;
      faces_of_A_.push_back({tA, w});
    }
  });
  visitPairs(A_.rings, B_.faces, [&](int tA, int tB) {
    const Vec3 direction = -turned_normals_[tB];
    for (int k = 0; k < 3; ++k) {
      const int v = A_.mesh->triangles[tA][k];
      if (!A_.owns_vertex[tA][k] || !A_.supports(v, direction, kSlackAngle)) continue;
      faces_of_B_.push_back({tB, v});
    }
  });
  visitPairs(A_.arcs, B_.arcs, [&](int tA, int tB) { maybeEdges(tA, tB); });
}

int Convolution::vertex(int v, int w) {
  const std::uint64_t key = (static_cast<std::uint64_t>(v) << 32) | static_cast<std::uint32_t>(w);
  if (2 * (vertices_.size() + 1) > table_.size()) {
    const std::size_t size = std::max<std::size_t>(1024, 4 * table_.size());
    table_.assign(size, {0, -1});
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const std::uint64_t k = (static_cast<std::uint64_t>(vertices_[i].v) << 32) |
                              static_cast<std::uint32_t>(vertices_[i].w);
      std::size_t at = (k * 0x9E3779B97F4A7C15ull) >> 20 & (size - 1);
      while (table_[at].second >= 0) at = (at + 1) & (size - 1);
      table_[at] = {k, static_cast<int>(i)};
    }
  }
  std::size_t at = (key * 0x9E3779B97F4A7C15ull) >> 20 & (table_.size() - 1);
  while (table_[at].second >= 0 && table_[at].first != key) at = (at + 1) & (table_.size() - 1);
  if (table_[at].second < 0) {
    table_[at] = {key, static_cast<int>(vertices_.size())};
    vertices_.emplace_back();
    vertices_.back().v = v;
    vertices_.back().w = w;
  }
  return table_[at].second;
}

void Convolution::faceOfA(int tA, int w) {
  if (!B_.supports(w, -(X_.R.transpose() * A_.mesh->normals[tA]))) return;
  const Triangle& t = A_.mesh->triangles[tA];
  const Vec3 area = (A_.mesh->corner(tA, 1) - A_.mesh->corner(tA, 0))
                        .cross(A_.mesh->corner(tA, 2) - A_.mesh->corner(tA, 0));
  SumFacet facet;
  for (int i = 0; i < 3; ++i) {
    facet.corners[i] = vertex(t[i], w);
    vertices_[facet.corners[i]].fixed += area;
  }
  facets_.push_back(facet);
}

void Convolution::faceOfB(int v, int tB) {
  if (!A_.supports(v, -turned_normals_[tB])) return;
  const Triangle& t = B_.mesh->triangles[tB];
  const Vec3 area = (B_.mesh->corner(tB, 1) - B_.mesh->corner(tB, 0))
                        .cross(B_.mesh->corner(tB, 2) - B_.mesh->corner(tB, 0));
  SumFacet facet;
  for (int i = 0; i < 3; ++i) {
    facet.corners[2 - i] = vertex(v, t[i]);  // mirrored in the origin: turned round
    vertices_[facet.corners[2 - i]].turning -= area;
  }
  facets_.push_back(facet);
}

void Convolution::edges(const EdgePair& pair) {
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
  if (length < 1e-12 * a.norm()) return;
  n *= sign / length;
  // On an arc: nearer to either end than the ends are to each other.
  if (std::min(n.dot(n1), n.dot(n2)) < n1.dot(n2)) return;
  if (std::min(-n.dot(m1), -n.dot(m2)) < m1.dot(m2)) return;
  const int p[4] = {vertex(v0, w0), vertex(v1, w0), vertex(v1, w1), vertex(v0, w1)};
  // Twice a triangle's area is once the parallelogram's, of which there are two: 2 a x R b.
  for (int corner : p) vertices_[corner].crossing += 2.0 * sign * a * b.transpose();
  const int left = sign < 0.0 ? 1 : 3, right = 4 - left;  // counter-clockwise about n
  facets_.push_back({{p[0], p[left], p[2]}});
  facets_.push_back({{p[0], p[2], p[right]}});
}

void Convolution::connect() {
  struct Side {
    std::uint64_t edge;
    int facet, corner;
  };
  std::vector<Side> sides;
  sides.reserve(3 * facets_.size());
  for (std::size_t i = 0; i < facets_.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const int a = facets_[i].corners[(k + 1) % 3], b = facets_[i].corners[(k + 2) % 3];
      sides.push_back({(static_cast<std::uint64_t>(std::min(a, b)) << 32) |
                           static_cast<std::uint32_t>(std::max(a, b)),
                       static_cast<int>(i), k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.edge != b.edge ? a.edge < b.edge : a.facet < b.facet;
  });
  neighbours_.assign(facets_.size(), {-1, -1, -1});
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    if (sides[i].edge != sides[i + 1].edge) continue;
    neighbours_[sides[i].facet][sides[i].corner] = sides[i + 1].facet;
    neighbours_[sides[i + 1].facet][sides[i + 1].corner] = sides[i].facet;
  }
}

void Convolution::make(const Pose& X_AB, const Vec3& center, double radius) {
  X_ = X_AB;
  turn();
  // Around the vertices of what reaches into the ball: one more facet's width.
  const double wide = radius + A_.longest_edge + B_.longest_edge;
  if (!isCurrent(X_AB, center, wide)) collect(X_AB, center, wide);
  vertices_.clear();
  facets_.clear();
  std::fill(table_.begin(), table_.end(), std::pair<std::uint64_t, int>{0, -1});
  for (const auto& [tA, w] : faces_of_A_) faceOfA(tA, w);
  for (const auto& [tB, v] : faces_of_B_) faceOfB(v, tB);
  for (const EdgePair& pair : edges_) edges(pair);
  connect();
}

}  // namespace allclear::phong
