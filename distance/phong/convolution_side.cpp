// One body's part of a convolution: which triangle stands for each vertex and convex edge, and
// cones of normals over the sphere tree.
//
// A search over pairs of triangles finds the facets of the sum (convolution.cpp). Three kinds of
// normals decide which pairs matter: those of the faces, those of all faces around a triangle's
// corners (a vertex is extreme along directions among them), and those at both sides of its convex
// edges. Each kind has its own cones, so that each search leaves out as much as it can.

#include "allclear/distance/phong/convolution_side.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace allclear::phong {
namespace {

/// On the cosine: folds flatter than this count as flat; between coplanar faces there is no edge.
constexpr double kFlatFold = 1e-9;
/// Sum of two opposite unit axes: shorter ones have no direction but rounding's.
constexpr double kNoAxis = 1e-6;

}  // namespace

double angleBetween(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

ConvolutionSide::ConvolutionSide(const PhongMesh& m, const SphereTree& t) : mesh(&m), tree(&t) {
  buildCones(assignOwners());
}

/// Assigns each vertex and each convex edge to one of its triangles, so that a search over pairs of
/// triangles meets it once, and lists the neighbours of vertices. Returns the triangles at each
/// vertex.
ConvolutionSide::Rings ConvolutionSide::assignOwners() {
  const PhongMesh& m = *mesh;
  const int n = static_cast<int>(m.triangles.size());
  Rings nearby(m.vertices.size()), triangles_at(m.vertices.size());
  owns_vertex.assign(n, {0, 0, 0});
  owns_edge.assign(n, {0, 0, 0});
  std::vector<char> owned(m.vertices.size(), 0);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int a = m.triangles[i][k], b = m.triangles[i][(k + 1) % 3];
      nearby[a].push_back(b);
      nearby[b].push_back(a);
      triangles_at[a].push_back(i);
      longest_edge = std::max(longest_edge, (m.vertices[a] - m.vertices[b]).norm());
      if (!owned[a]) owns_vertex[i][k] = owned[a] = 1;
      assignEdges(i, k);
    }
  }
  first_neighbour.push_back(0);
  for (auto& list : nearby) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    neighbours.insert(neighbours.end(), list.begin(), list.end());
    first_neighbour.push_back(static_cast<int>(neighbours.size()));
  }
  return triangles_at;
}

/// Gives the edge opposite to corner k to the triangle if it is convex: the far corner of the
/// triangle across it is below this one's plane. A rim has no arc, and belongs to none.
void ConvolutionSide::assignEdges(int triangle, int k) {
  const PhongMesh& m = *mesh;
  const int other = m.neighbours[triangle][k];
  if (other < triangle) return;  // -1 at a rim; else the other one owns it
  int apex = 0;
  while (m.neighbours[other][apex] != triangle) ++apex;
  const Vec3 over = m.corner(other, apex) - m.corner(triangle, (k + 1) % 3);
  owns_edge[triangle][k] = m.normals[triangle].dot(over) < -kFlatFold * over.norm();
}

void ConvolutionSide::buildCones(const Rings& triangles_at) {
  const PhongMesh& m = *mesh;
  const int n = static_cast<int>(m.triangles.size());
  std::vector<double> ring_angles(n, 0.0), arc_angles(n, -1.0);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) {
      for (int r : triangles_at[m.triangles[i][k]]) {
        ring_angles[i] = std::max(ring_angles[i], angleBetween(m.normals[i], m.normals[r]));
      }
      // A triangle that owns no edge has no arcs: its angle stays negative.
      if (!owns_edge[i][k]) continue;
      arc_angles[i] =
          std::max(arc_angles[i], angleBetween(m.normals[i], m.normals[m.neighbours[i][k]]));
    }
  }
  face_cones = conesOf(std::vector<double>(n, 0.0));
  ring_cones = conesOf(ring_angles);
  arc_cones = conesOf(arc_angles);
}

/// Cones over the tree from the angles about the triangles' own normals; negative: no normals. A
/// parent's axis is between its children's, its angle reaches over both. Half of the slack goes to
/// each body.
ConvolutionSide::Cones ConvolutionSide::conesOf(
    const std::vector<double>& angle_of_triangle) const {
  constexpr double kHalf = 0.51;  // and a little more, for rounding
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
      angle = angle_of_triangle[~child];
    } else {
      Vec3 sum = Vec3::Zero();
      for (int c : {child, child + 1}) {
        if (out.none[c]) continue;
        sum += out.axis[c];
        axis = out.axis[c];
      }
      if (sum.norm() > kNoAxis) axis = sum.normalized();
      for (int c : {child, child + 1}) {
        if (!out.none[c]) angle = std::max(angle, angleBetween(axis, out.axis[c]) + angles[c]);
      }
    }
    angles[i] = angle;
    out.axis[i] = axis;
    out.none[i] = angle < 0.0;
    const double padded = std::min(std::numbers::pi, angle + kHalf * kSlackAngle);
    out.angle[i] = Vec2(std::cos(padded), std::sin(padded));
  }
  return out;
}

bool ConvolutionSide::supports(int vertex, const Vec3& direction, double slack) const {
  const Vec3& p = mesh->vertices[vertex];
  for (int i = first_neighbour[vertex]; i < first_neighbour[vertex + 1]; ++i) {
    const Vec3 d = mesh->vertices[neighbours[i]] - p;
    const double along = d.dot(direction);
    if (along <= 0.0) continue;
    if (slack == 0.0 || along * along > slack * slack * d.squaredNorm()) return false;
  }
  return true;
}

}  // namespace allclear::phong
