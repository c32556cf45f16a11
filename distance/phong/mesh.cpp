// The working mesh of the Phong methods: cutting a mesh finer, and walking over it.
//
// Cutting. The longest edge of all is halved first (longest-edge bisection): both of its triangles
// are cut from its middle to their far corners, so the mesh stays conforming, and a cut at the
// longest edge does not make the smallest angle arbitrarily small.
//
// Walking. A step is a vector in the plane of a triangle. Where it leaves by an edge, the next
// triangle is unfolded into the same plane and the step goes on straight: the walk is a geodesic.

#include "allclear/distance/phong/mesh.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace allclear::phong {
namespace {

using Edge = std::pair<int, int>;

/// Of the squared length of the longer side: twice the area below which a triangle has none.
constexpr double kNoArea = 1e-14;

Edge edgeOf(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

/// Halves the longest edge until it is short enough. Edges wait in a queue by squared length; an
/// edge enters when its first triangle does.
class LongestEdgeBisection {
 public:
  LongestEdgeBisection(PhongMesh* mesh, double longest_edge, std::size_t most)
      : mesh_(*mesh), bound_(longest_edge * longest_edge), most_(most) {
    for (std::size_t i = 0; i < mesh_.triangles.size(); ++i) {
      for (int k = 0; k < 3; ++k) attach(static_cast<int>(i), k);
    }
  }

  void run() {
    while (!queue_.empty() && mesh_.triangles.size() < most_) {
      const Edge edge = queue_.top().second;
      queue_.pop();
      cut(edge);
    }
  }

 private:
  void attach(int triangle, int k) {
    const Triangle& t = mesh_.triangles[triangle];
    const Edge edge = edgeOf(t[k], t[(k + 1) % 3]);
    std::vector<int>& of_edge = triangles_of_[edge];
    if (of_edge.empty()) {
      const double length2 =
          (mesh_.vertices[edge.first] - mesh_.vertices[edge.second]).squaredNorm();
      if (length2 > bound_) queue_.push({length2, edge});
    }
    of_edge.push_back(triangle);
  }

  /// The far half of a cut triangle takes over one of its edges.
  void replace(const Edge& edge, int from, int to) {
    for (int& t : triangles_of_[edge]) t = t == from ? to : t;
  }

  void cut(const Edge& edge) {
    const std::vector<int> both = triangles_of_[edge];
    triangles_of_.erase(edge);
    const int middle = static_cast<int>(mesh_.vertices.size());
    mesh_.vertices.push_back(0.5 * (mesh_.vertices[edge.first] + mesh_.vertices[edge.second]));
    for (int triangle : both) cutTriangle(triangle, edge, middle);
  }

  /// a b c with the edge a b becomes a m c, and m b c is new.
  void cutTriangle(int triangle, const Edge& edge, int m) {
    const Triangle t = mesh_.triangles[triangle];
    int k = 0;
    while (edgeOf(t[k], t[(k + 1) % 3]) != edge) ++k;
    const int a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    const int added = static_cast<int>(mesh_.triangles.size());
    mesh_.triangles[triangle] = {a, m, c};
    mesh_.triangles.push_back({m, b, c});
    replace(edgeOf(b, c), triangle, added);
    // New sides: both halves of the edge, and the cut, which is a side of both triangles.
    attach(triangle, 0);
    attach(added, 0);
    attach(triangle, 1);
    attach(added, 2);
  }

  PhongMesh& mesh_;
  double bound_;
  std::size_t most_;
  std::map<Edge, std::vector<int>> triangles_of_;
  std::priority_queue<std::pair<double, Edge>> queue_;
};

/// Triangles that share an edge become neighbours. Edges of one triangle, or of more than two, are
/// rims: no walk crosses them.
void connect(PhongMesh* mesh) {
  struct Use {
    int triangle, corner;
  };
  std::map<Edge, std::vector<Use>> uses;
  const int n = static_cast<int>(mesh->triangles.size());
  mesh->neighbours.assign(n, {-1, -1, -1});
  for (int i = 0; i < n; ++i) {
    const Triangle& t = mesh->triangles[i];
    for (int k = 0; k < 3; ++k) uses[edgeOf(t[(k + 1) % 3], t[(k + 2) % 3])].push_back({i, k});
  }
  // Exactly two triangles at an edge are neighbours.
  for (const auto& [edge, of_edge] : uses) {
    if (of_edge.size() != 2) continue;
    for (int k = 0; k < 2; ++k) {
      mesh->neighbours[of_edge[k].triangle][of_edge[k].corner] = of_edge[1 - k].triangle;
    }
  }
}

}  // namespace

PhongMesh refined(const MeshTopology& mesh, double longest_edge, std::size_t most) {
  PhongMesh out;
  out.vertices = mesh.vertices;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]];
    const Vec3 u = mesh.vertices[t[1]] - a, v = mesh.vertices[t[2]] - a;
    // A triangle this flat has a normal of rounding alone.
    if (u.cross(v).norm() <= kNoArea * std::max(u.squaredNorm(), v.squaredNorm())) continue;
    out.triangles.push_back(t);
  }
  LongestEdgeBisection(&out, longest_edge, most).run();
  connect(&out);
  for (const Triangle& t : out.triangles) {
    const Vec3 a = out.vertices[t[0]];
    out.normals.push_back((out.vertices[t[1]] - a).cross(out.vertices[t[2]] - a).normalized());
  }
  return out;
}

Vec3 position(const PhongMesh& mesh, const SurfacePoint& point) {
  const Triangle& t = mesh.triangles[point.triangle];
  return point.weights[0] * mesh.vertices[t[0]] + point.weights[1] * mesh.vertices[t[1]] +
         point.weights[2] * mesh.vertices[t[2]];
}

Vec3 barycentric(const PhongMesh& mesh, int triangle, const Vec3& p) {
  const Vec3 c = mesh.corner(triangle, 2);
  const Vec3 u = mesh.corner(triangle, 0) - c, v = mesh.corner(triangle, 1) - c, d = p - c;
  const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), ud = u.dot(d), vd = v.dot(d);
  const double inverse = 1.0 / (uu * vv - uv * uv);
  const double w0 = (vv * ud - uv * vd) * inverse, w1 = (uu * vd - uv * ud) * inverse;
  return {w0, w1, 1.0 - w0 - w1};
}

namespace {

/// Continues into the triangle across the edge opposite to corner `out`: moves `point` there and
/// turns `direction` about the edge into the new plane. Returns the new triangle's corner opposite
/// to the edge, or -1 at a rim.
int crossEdge(const PhongMesh& mesh, int out, SurfacePoint* point, Vec3* direction) {
  const int triangle = point->triangle;
  const int next = mesh.neighbours[triangle][out];
  if (next < 0) return -1;
  const Triangle &here = mesh.triangles[triangle], &there = mesh.triangles[next];
  const int from = here[(out + 1) % 3], to = here[(out + 2) % 3];
  // Unfold: the component along the edge stays, the one out of this triangle goes into the next
  // one.
  const Vec3 along = (mesh.vertices[to] - mesh.vertices[from]).normalized();
  const Vec3 outward = along.cross(mesh.normals[triangle]);
  Vec3 weights = Vec3::Zero();
  int apex = -1;
  for (int k = 0; k < 3; ++k) {
    if (there[k] == from) weights[k] = point->weights[(out + 1) % 3];
    if (there[k] == to) weights[k] = point->weights[(out + 2) % 3];
    if (there[k] != from && there[k] != to) apex = k;
  }
  const Vec3 to_apex = mesh.corner(next, apex) - mesh.vertices[from];
  const Vec3 inward = (to_apex - along * along.dot(to_apex)).normalized();
  *direction = along * along.dot(*direction) + inward * outward.dot(*direction);
  point->triangle = next;
  point->weights = weights;
  return apex;
}

}  // namespace

bool walk(const PhongMesh& mesh, const Vec3& step, SurfacePoint* point) {
  constexpr int kMostCrossings = 200;
  const int start = point->triangle;
  Vec3 left = step;
  int entered = -1;  // corner opposite to the edge just crossed: rounding must not cross it back
  for (int crossing = 0; crossing < kMostCrossings; ++crossing) {
    const int triangle = point->triangle;
    const Vec3 c = mesh.corner(triangle, 2);
    // The step in barycentric coordinates; the first one to reach 0 is at the edge that it leaves
    // by.
    const Vec3 change = barycentric(mesh, triangle, c + left) - Vec3::UnitZ();
    double t = 1.0;
    int out = -1;
    for (int i = 0; i < 3; ++i) {
      if (i == entered || change[i] >= 0.0 || point->weights[i] + t * change[i] >= 0.0) continue;
      t = std::max(0.0, -point->weights[i] / change[i]);
      out = i;
    }
    point->weights += t * change;
    if (out < 0) break;
    point->weights[out] = 0.0;
    entered = crossEdge(mesh, out, point, &left);
    if (entered < 0) break;
    left *= 1.0 - t;
  }
  point->weights = point->weights.cwiseMax(0.0);
  point->weights /= point->weights.sum();
  return point->triangle != start;
}

}  // namespace allclear::phong
