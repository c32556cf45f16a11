#include "allclear/distance/phong_convolution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace allclear::phong {
namespace {

// Slack of the pairs of triangles kept from one ball to the next.
constexpr double kSlackAngle = 0.05;   // [rad]
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
  const auto& nodes = t.nodes();
  cone_axis.resize(nodes.size());
  cone.resize(nodes.size());
  std::vector<double> angles(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {  // children come after their parents
    const int child = nodes[i].child;
    double angle = 0.0;
    if (child < 0) {
      cone_axis[i] = m.normals[~child];
      for (int v : m.triangles[~child]) {
        for (int r : ring[v]) angle = std::max(angle, angleBetween(cone_axis[i], m.normals[r]));
      }
    } else {
      const Vec3 sum = cone_axis[child] + cone_axis[child + 1];
      cone_axis[i] = sum.norm() > 1e-6 ? Vec3(sum.normalized()) : cone_axis[child];
      for (int c : {child, child + 1}) {
        angle = std::max(angle, angleBetween(cone_axis[i], cone_axis[c]) + angles[c]);
      }
    }
    angles[i] = angle;
    const double padded = std::min(std::numbers::pi, angle + 0.5 * kSlackAngle);
    cone[i] = Vec2(std::cos(padded), std::sin(padded));
  }
}

bool ConvolutionSide::supports(int vertex, const Vec3& direction) const {
  const Vec3& p = mesh->vertices[vertex];
  for (int i = first_around[vertex]; i < first_around[vertex + 1]; ++i) {
    if ((mesh->vertices[around[i]] - p).dot(direction) > 0.0) return false;
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

void Convolution::collectPairs(const Pose& X_AB, const Vec3& center, double radius) {
  const SphereNode& root = B_.tree->nodes()[0];
  const double reach = root.center.norm() + root.radius;
  const double slack = pairs_radius_ - radius - (center - pairs_center_).norm();
  if (pairs_radius_ >= 0.0 && pairs_radius_ <= 2.0 * radius &&
      slack >= moved(X_AB, pairs_X_, reach) &&
      (X_AB.R - pairs_X_.R).norm() / std::sqrt(2.0) <= kSlackAngle) {
    return;
  }
  pairs_X_ = X_AB;
  pairs_center_ = center;
  pairs_radius_ = (1.0 + kSlackRadius) * radius;
  pairs_.clear();
  std::vector<std::pair<int, int>> todo{{0, 0}};
  while (!todo.empty()) {
    const auto [a, b] = todo.back();
    todo.pop_back();
    const SphereNode &nA = A_.tree->nodes()[a], &nB = B_.tree->nodes()[b];
    const double reached = pairs_radius_ + nA.radius + nB.radius;
    if ((nA.center - X_AB * nB.center - center).squaredNorm() > reached * reached) continue;
    // No normal of A opposite to one of B: the axes are farther from opposite than both angles.
    const Vec2 &cA = A_.cone[a], &cB = B_.cone[b];
    const double cos_both = cA[0] * cB[0] - cA[1] * cB[1];
    const double sin_both = cA[1] * cB[0] + cA[0] * cB[1];
    if (sin_both > 0.0 && A_.cone_axis[a].dot(X_AB.R * B_.cone_axis[b]) > -cos_both) continue;
    if (nA.child < 0 && nB.child < 0) {
      pairs_.push_back({~nA.child, ~nB.child});
    } else if (nB.child < 0 || (nA.child >= 0 && nA.radius >= nB.radius)) {
      todo.push_back({nA.child, b});
      todo.push_back({nA.child + 1, b});
    } else {
      todo.push_back({a, nB.child});
      todo.push_back({a, nB.child + 1});
    }
  }
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

/// The face of A with the vertices that triangle tB owns. Of each face all of A's leaves with a
/// triangle of B come by: no pair twice.
void Convolution::facesOfA(int tA, int tB) {
  const Vec3 direction = -(X_.R.transpose() * A_.mesh->normals[tA]);
  const Triangle& t = A_.mesh->triangles[tA];
  for (int k = 0; k < 3; ++k) {
    const int w = B_.mesh->triangles[tB][k];
    if (!B_.owns_vertex[tB][k] || !B_.supports(w, direction)) continue;
    const Vec3 area = (A_.mesh->corner(tA, 1) - A_.mesh->corner(tA, 0))
                          .cross(A_.mesh->corner(tA, 2) - A_.mesh->corner(tA, 0));
    SumFacet facet;
    for (int i = 0; i < 3; ++i) {
      facet.corners[i] = vertex(t[i], w);
      vertices_[facet.corners[i]].fixed += area;
    }
    facets_.push_back(facet);
  }
}

void Convolution::facesOfB(int tA, int tB) {
  const Vec3 direction = -(X_.R * B_.mesh->normals[tB]);
  const Triangle& t = B_.mesh->triangles[tB];
  for (int k = 0; k < 3; ++k) {
    const int v = A_.mesh->triangles[tA][k];
    if (!A_.owns_vertex[tA][k] || !A_.supports(v, direction)) continue;
    const Vec3 area = (B_.mesh->corner(tB, 1) - B_.mesh->corner(tB, 0))
                          .cross(B_.mesh->corner(tB, 2) - B_.mesh->corner(tB, 0));
    SumFacet facet;
    for (int i = 0; i < 3; ++i) {
      facet.corners[2 - i] = vertex(v, t[i]);  // mirrored in the origin: turned round
      vertices_[facet.corners[2 - i]].turning -= area;
    }
    facets_.push_back(facet);
  }
}

void Convolution::edges(int tA, int tB) {
  for (int i = 0; i < 3; ++i) {
    if (!A_.owns_edge[tA][i]) continue;
    const Triangle& s = A_.mesh->triangles[tA];
    const int v0 = s[(i + 1) % 3], v1 = s[(i + 2) % 3];
    const Vec3 a = A_.mesh->vertices[v1] - A_.mesh->vertices[v0];
    const Vec3 n1 = A_.mesh->normals[tA], n2 = A_.mesh->normals[A_.mesh->neighbours[tA][i]];
    for (int k = 0; k < 3; ++k) {
      if (!B_.owns_edge[tB][k]) continue;
      const Triangle& t = B_.mesh->triangles[tB];
      const int w0 = t[(k + 1) % 3], w1 = t[(k + 2) % 3];
      const Vec3 b = B_.mesh->vertices[w1] - B_.mesh->vertices[w0];
      const Vec3 m1 = X_.R * B_.mesh->normals[tB];
      const Vec3 m2 = X_.R * B_.mesh->normals[B_.mesh->neighbours[tB][k]];
      Vec3 n = a.cross(X_.R * b);
      const double sign = n.dot(n1 + n2) < 0.0 ? -1.0 : 1.0;
      const double length = n.norm();
      if (length < 1e-12 * a.norm() * b.norm()) continue;
      n *= sign / length;
      // On an arc: nearer to either end than the ends are to each other.
      if (std::min(n.dot(n1), n.dot(n2)) < n1.dot(n2)) continue;
      if (std::min(-n.dot(m1), -n.dot(m2)) < m1.dot(m2)) continue;
      const int p[4] = {vertex(v0, w0), vertex(v1, w0), vertex(v1, w1), vertex(v0, w1)};
      // Twice a triangle's area is once the parallelogram's, of which there are two: 2 a x R b.
      for (int corner : p) vertices_[corner].crossing += 2.0 * sign * a * b.transpose();
      const int left = sign < 0.0 ? 1 : 3, right = 4 - left;  // counter-clockwise about n
      facets_.push_back({{p[0], p[left], p[2]}});
      facets_.push_back({{p[0], p[2], p[right]}});
    }
  }
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
  // Around the vertices of what reaches into the ball: one more facet's width.
  collectPairs(X_AB, center, radius + A_.longest_edge + B_.longest_edge);
  vertices_.clear();
  facets_.clear();
  std::fill(table_.begin(), table_.end(), std::pair<std::uint64_t, int>{0, -1});
  for (const auto& [a, b] : pairs_) {
    facesOfA(a, b);
    facesOfB(a, b);
    edges(a, b);
  }
  connect();
}

}  // namespace allclear::phong
