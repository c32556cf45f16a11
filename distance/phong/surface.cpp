// Continuous normals on a mesh, and the Phong projection of points on it (thesis V.B).
//
// A polyhedron's normal jumps at its edges, and the direction of a distance jumps with it. So
// normals are averaged at the vertices first: over the triangles at a vertex, or over all within a
// radius. Blended tangent planes over the triangles between (phong/triangle.h) make them
// continuous. The larger the radius, the rounder the normals, and the farther the Phong distance is
// from the Euclidean one.
//
// A Phong projection of p is a surface point q with Psi(q) (q - p) = 0: p - q is along the normal
// at q (5.4). Two equations in the two coordinates of q, solved by Newton's method.

#include "allclear/distance/phong/surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/core/input_error.h"

namespace allclear {
namespace phong {
namespace {

/// The triangles at vertex v: triangles[first[v]] up to triangles[first[v + 1]].
struct Rings {
  std::vector<int> first, triangles;

  explicit Rings(const PhongMesh& mesh) : first(mesh.vertices.size() + 1, 0) {
    for (const Triangle& t : mesh.triangles) {
      for (int v : t) ++first[v + 1];
    }
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<int> next(first.begin(), first.end() - 1);
    triangles.resize(first.back());
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      for (int v : mesh.triangles[i]) triangles[next[v]++] = static_cast<int>(i);
    }
  }
};

/// Normals of the triangles at a vertex, weighted by their angles there: how flat parts are cut
/// into triangles does not matter (G. Thuermer, C. Wuethrich, Computing vertex normals from
/// polygonal facets, 1998).
Vec3 ringNormal(const PhongMesh& mesh, const Rings& rings, int vertex) {
  Vec3 sum = Vec3::Zero();
  for (int i = rings.first[vertex]; i < rings.first[vertex + 1]; ++i) {
    const int triangle = rings.triangles[i];
    const Triangle& t = mesh.triangles[triangle];
    const int k = static_cast<int>(std::find(t.begin(), t.end(), vertex) - t.begin());
    const Vec3 u = mesh.corner(triangle, (k + 1) % 3) - mesh.vertices[vertex];
    const Vec3 v = mesh.corner(triangle, (k + 2) % 3) - mesh.vertices[vertex];
    sum += std::atan2(u.cross(v).norm(), u.dot(v)) * mesh.normals[triangle];
  }
  return sum;
}

/// Mean normal over the triangles within `radius` of a vertex that are connected with it by such
/// triangles; by area, with a weight that falls smoothly to 0 at the radius.
class NormalAveraging {
 public:
  NormalAveraging(const PhongMesh& mesh, const Rings& rings, double radius)
      : mesh_(mesh), rings_(rings), radius_(radius), seen_(mesh.triangles.size(), -1) {
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      const int t = static_cast<int>(i);
      const Vec3 a = mesh.corner(t, 0), b = mesh.corner(t, 1), c = mesh.corner(t, 2);
      areas_.push_back((b - a).cross(c - a).norm());
      centers_.push_back((a + b + c) / 3.0);
    }
  }

  Vec3 at(int vertex) {
    const Vec3 p = mesh_.vertices[vertex];
    // Breadth first from the triangles at the vertex; a triangle beyond the radius ends its branch.
    queue_.clear();
    for (int i = rings_.first[vertex]; i < rings_.first[vertex + 1]; ++i) {
      enqueue(rings_.triangles[i], vertex);
    }
    Vec3 sum = Vec3::Zero();
    double total = 0.0;
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const int t = queue_[next];
      const double u2 = (centers_[t] - p).squaredNorm() / (radius_ * radius_);
      const double weight = areas_[t] * (1.0 - u2) * (1.0 - u2);
      if (u2 >= 1.0) continue;
      sum += weight * mesh_.normals[t];
      total += weight;
      if (queue_.size() > kMost) continue;
      for (int n : mesh_.neighbours[t]) {
        if (n >= 0) enqueue(n, vertex);
      }
    }
    return total > 0.0 ? Vec3(sum / total) : Vec3::Zero();
  }

 private:
  static constexpr std::size_t kMost = 4000;  // bounds the work on very fine meshes

  void enqueue(int triangle, int vertex) {
    if (seen_[triangle] == vertex) return;
    seen_[triangle] = vertex;
    queue_.push_back(triangle);
  }

  const PhongMesh& mesh_;
  const Rings& rings_;
  double radius_;
  std::vector<int> seen_;
  std::vector<int> queue_;
  std::vector<double> areas_;
  std::vector<Vec3> centers_;
};

}  // namespace

std::vector<Vec3> vertexNormals(const PhongMesh& mesh, double radius) {
  // A mean of unit normals shorter than this averages both sides of a thin body: use fewer
  // triangles.
  constexpr double kCancelled = 0.15;
  constexpr double kNoNormal = 1e-9;  // rounding: the ring's normals cancel, any of them will do
  const Rings rings(mesh);
  std::vector<Vec3> out(mesh.vertices.size(), Vec3::UnitZ());
  std::optional<NormalAveraging> averaging;
  if (radius > 0.0) averaging.emplace(mesh, rings, radius);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int v = static_cast<int>(i);
    if (rings.first[v] == rings.first[v + 1]) continue;
    Vec3 n = averaging ? averaging->at(v) : Vec3::Zero();
    if (n.norm() < kCancelled) n = ringNormal(mesh, rings, v);
    if (n.norm() < kNoNormal) n = mesh.normals[rings.triangles[rings.first[v]]];
    out[i] = n.normalized();
  }
  return out;
}

bool solveOnTriangle(const PhongTriangle& planes, const std::array<Vec3, 3>& corners, const Vec3& p,
                     Vec3* w) {
  constexpr int kMostSteps = 12;
  constexpr double kConverged = 1e-14, kStalled = 1e-11;  // by the lengths involved
  constexpr double kSingular = 1e-14;
  constexpr double kLongest = 0.5;  // step in barycentric coordinates: half the triangle
  const Vec3 u = corners[0] - corners[2], v = corners[1] - corners[2];
  const double scale = std::max({u.norm(), v.norm(), (corners[2] - p).norm()});
  double size = 0.0;
  for (int step = 0; step < kMostSteps; ++step) {
    const PhongPlane plane = phongPlane(planes, *w);
    const Vec3 x = (*w)[0] * corners[0] + (*w)[1] * corners[1] + (*w)[2] * corners[2] - p;
    const Vec2 F = plane.value * x;
    size = F.norm();
    if (size <= kConverged * scale) return true;
    Mat2 J;
    J.col(0) = plane.derivative[0] * x + plane.value * u;
    J.col(1) = plane.derivative[1] * x + plane.value * v;
    const double det = J.determinant();
    if (std::abs(det) < kSingular * J.squaredNorm()) return false;
    Vec2 d = -Vec2(J(1, 1) * F[0] - J(0, 1) * F[1], J(0, 0) * F[1] - J(1, 0) * F[0]) / det;
    const double most = d.cwiseAbs().maxCoeff();
    if (most > kLongest) d *= kLongest / most;
    *w += Vec3(d[0], d[1], -d[0] - d[1]);
    // More than a triangle's size outside: the extended planes mean nothing there.
    if (w->minCoeff() < -1.0 || w->maxCoeff() > 2.0) return false;
  }
  return size <= kStalled * scale;
}

std::optional<Vec3> projectOnTriangle(const PhongTriangle& planes,
                                      const std::array<Vec3, 3>& corners, const Vec3& p) {
  // Barycentric: neighbours overlap by this, so that no projection on their edge is lost to
  // rounding.
  constexpr double kOutside = 1e-9;
  Vec3 w(0.33, 0.33, 0.34);  // about the centre, off its symmetries
  if (!solveOnTriangle(planes, corners, p, &w) || w.minCoeff() < -kOutside) return std::nullopt;
  return w;
}

}  // namespace phong

using phong::PhongMesh;
using phong::SurfacePoint;

PhongSurface::PhongSurface(std::shared_ptr<const PhongMesh> mesh, double radius)
    : mesh_(std::move(mesh)),
      radius_(radius),
      vertex_normals_(phong::vertexNormals(*mesh_, radius)) {
  triangles_.reserve(mesh_->triangles.size());
  for (const Triangle& t : mesh_->triangles) {
    triangles_.push_back(phong::phongTriangle(
        {vertex_normals_[t[0]], vertex_normals_[t[1]], vertex_normals_[t[2]]}));
  }
}

phong::PhongPlane PhongSurface::plane(const SurfacePoint& point) const {
  return phong::phongPlane(triangles_[point.triangle], point.weights);
}

phong::PhongNormal PhongSurface::normal(const SurfacePoint& point) const {
  return phong::phongNormal(plane(point), triangles_[point.triangle].sign);
}

Vec3 PhongSurface::halfPhongPosition(const SurfacePoint& point) const {
  const Triangle& t = mesh_->triangles[point.triangle];
  const Vec3 q = phong::position(*mesh_, point);
  Vec3 out = q;
  for (int i = 0; i < 3; ++i) {
    const Vec3& n = vertex_normals_[t[i]];
    out -= 0.5 * point.weights[i] * n.dot(q - mesh_->vertices[t[i]]) * n;
  }
  return out;
}

std::optional<SurfacePoint> PhongSurface::project(const Vec3& p, const SurfacePoint& start) const {
  constexpr int kMostSteps = 40, kMostHalvings = 8;
  constexpr double kConverged = 1e-13;    // by the lengths involved
  constexpr double kLeastDecrease = 0.1;  // of what the linear model predicts (Armijo's rule)
  SurfacePoint at = phong::offCorner(start);
  const auto residual = [&](const SurfacePoint& point) -> Vec2 {
    return plane(point).value * (phong::position(*mesh_, point) - p);
  };
  const double tolerance =
      kConverged * ((phong::position(*mesh_, at) - p).norm() +
                    (mesh_->corner(at.triangle, 0) - mesh_->corner(at.triangle, 1)).norm());
  for (int step = 0; step < kMostSteps; ++step) {
    const phong::PhongPlane plane = this->plane(at);
    const Vec3 x = phong::position(*mesh_, at) - p;
    const Vec2 F = plane.value * x;
    if (F.norm() <= tolerance) return at;
    const Vec3 u = mesh_->corner(at.triangle, 0) - mesh_->corner(at.triangle, 2);
    const Vec3 v = mesh_->corner(at.triangle, 1) - mesh_->corner(at.triangle, 2);
    phong::Mat2 J;
    J.col(0) = plane.derivative[0] * x + plane.value * u;
    J.col(1) = plane.derivative[1] * x + plane.value * v;
    const Vec2 d = -J.partialPivLu().solve(F);
    if (!d.allFinite()) return std::nullopt;
    SurfacePoint next = at;
    double fraction = 1.0;
    for (int half = 0; half < kMostHalvings; ++half, fraction *= 0.5) {
      next = at;
      phong::walk(*mesh_, fraction * (d[0] * u + d[1] * v), &next);
      if (residual(next).norm() < (1.0 - kLeastDecrease * fraction) * F.norm()) break;
    }
    at = next;
  }
  return std::nullopt;
}

PhongBody::PhongBody(std::shared_ptr<const MeshBody> body) : body_(std::move(body)) {
  if (!body_->bvh() || body_->thickness() > 0.0) {
    throw InputError("a Phong distance needs triangles: of this shape there are none");
  }
  const MeshTopology& topology = body_->topology();
  Vec3 low = topology.vertices.front(), high = low;
  for (const Vec3& v : topology.vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  size_ = (high - low).norm();
  // Of the size: on coarser meshes (a prism of 36 triangles) walks between distant facets fail.
  constexpr double kLongestEdge = 0.1;
  mesh_ = std::make_shared<PhongMesh>(phong::refined(topology, kLongestEdge * size_));
  if (mesh_->triangles.empty()) throw InputError("a Phong distance needs a triangle with an area");
  tree_ = std::make_unique<phong::SphereTree>(*mesh_);
  smoothing_ = chosenSmoothing();
}

/// Smooth shapes need no averaging. Where sharp edges are a relevant part of all edges, chunky
/// bodies get a large radius; on thin ones it would average both sides, so they get a small one.
double PhongBody::chosenSmoothing() const {
  constexpr double kSharp = 0.8;        // cosine between neighbours: 37 degrees
  constexpr double kSharpShare = 0.05;  // of the sum of all edges' squared lengths
  constexpr double kChunky = 0.2;       // thickness by size
  double sharp = 0.0, all = 0.0, area = 0.0;
  for (std::size_t i = 0; i < mesh_->triangles.size(); ++i) {
    const int t = static_cast<int>(i);
    for (int k = 0; k < 3; ++k) {
      const int n = mesh_->neighbours[i][k];
      if (n < 0) continue;
      const double length2 =
          (mesh_->corner(t, (k + 1) % 3) - mesh_->corner(t, (k + 2) % 3)).squaredNorm();
      all += length2;
      if (mesh_->normals[i].dot(mesh_->normals[n]) < kSharp) sharp += length2;
    }
    area += 0.5 * (mesh_->corner(t, 1) - mesh_->corner(t, 0))
                      .cross(mesh_->corner(t, 2) - mesh_->corner(t, 0))
                      .norm();
  }
  const double thickness =
      6.0 * std::abs(body_->topology().volume) / area;  // of a ball: its diameter
  if (sharp < kSharpShare * all) return 0.0;
  return thickness > kChunky * size_ ? 0.35 * size_ : 0.05 * size_;
}

const phong::MedialBalls& PhongBody::medialBalls() const {
  std::call_once(balls_made_, [&] { balls_ = {*body_, *mesh_, *tree_, size_}; });
  return balls_;
}

void PhongBody::prepare() const {
  medialBalls();
  surface(-1.0);
  for (double level : kLevel) {
    if (level * size_ > smoothing_) surface(level * size_);
  }
}

const PhongSurface& PhongBody::surface(double radius) const {
  if (radius < 0.0) radius = smoothing_;
  int best = 0;
  for (int i = 1; i < kLevels; ++i) {
    if (std::abs(kLevel[i] * size_ - radius) < std::abs(kLevel[best] * size_ - radius)) best = i;
  }
  Level& level = levels_[best];
  std::call_once(level.made, [&] {
    level.surface = std::make_unique<PhongSurface>(mesh_, kLevel[best] * size_);
  });
  return *level.surface;
}

}  // namespace allclear
