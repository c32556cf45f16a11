#include "allclear/distance/mesh/body.h"

#include <bit>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/mesh/point_bounds.h"

namespace allclear {
namespace {

constexpr std::size_t kMostTriangles = std::size_t{1} << 27;

struct Faces {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
};

Faces boxFaces(const Vec3& half) {
  Faces faces;
  for (int i = 0; i < 8; ++i) {
    faces.vertices.push_back(
        {i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z()});
  }
  faces.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return faces;
}

Faces hullFaces(const std::vector<Vec3>& points) {
  const ConvexHull hull = convexHull(points);
  Faces faces{points, hull.facets};
  if (!hull.isFlat()) return faces;
  const std::vector<int>& rim = hull.vertices;
  const int n = static_cast<int>(rim.size());
  if (n < 3) faces.triangles.push_back({rim[0], rim[n - 1], rim[n - 1]});
  for (int i = 2; i < n; ++i) faces.triangles.push_back({rim[0], rim[i - 1], rim[i]});
  return faces;
}

Vec3 coreHalfSize(const ConvexCore& core) {
  switch (core.kind) {
    case ConvexCore::Kind::kCylinder:
    case ConvexCore::Kind::kCone:
      return {core.size.x(), core.size.x(), core.size.z()};
    default:
      return core.size;
  }
}

MeshVolume boxVolume(const Vec3& half) {
  MeshVolume volume{};
  volume.radius = half.norm() * (1.0 + 1e-12);
  for (int i = 0; i < 3; ++i) volume.axis[i][i] = half[i] * (1.0 + 1e-12);
  return volume;
}

}  // namespace

MeshBody::MeshBody(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape)) {
    throw InputError("a half-space has no bounding volume");
  }
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) {
    if (mesh->triangles().size() > kMostTriangles) {
      throw InputError({"", 0, "triangle mesh", ""}, std::to_string(mesh->triangles().size()) +
                                                         " triangles are more than " +
                                                         std::to_string(kMostTriangles));
    }
    takeTriangles(mesh->vertices(), mesh->triangles());
    takeHull(mesh->vertices());
    return;
  }
  is_convex_ = true;
  hull_.emplace(shape);
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    thickness_ = sphere->radius();
    takeTriangles({Vec3::Zero()}, {{0, 0, 0}});
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    thickness_ = capsule->radius();
    const Vec3 end(0.0, 0.0, 0.5 * capsule->length());
    takeTriangles({-end, end}, {{0, 1, 1}});
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    const Faces faces = boxFaces(box->halfSize());
    takeTriangles(faces.vertices, faces.triangles);
  } else if (const auto* convex = std::get_if<ConvexMesh>(&shape)) {
    const Faces faces = hullFaces(convex->points());
    takeTriangles(faces.vertices, faces.triangles);
  } else {
    takeCore(shape);
  }
}

void MeshBody::takeHull(const std::vector<Vec3>& points) {
  std::vector<Vec3> corners;
  const ConvexHull hull = convexHull(points);
  for (int i : hull.vertices) corners.push_back(points[i]);
  hull_.emplace(ConvexMesh(std::move(corners)));
  is_convex_ = isHull(hull.volume);
}

/// Closed, bent outward at every edge, and of the hull's volume: without the last, surfaces that
/// wind about more than once would pass.
bool MeshBody::isHull(double hull_volume) const {
  constexpr double kRelative = 1e-9;
  if (!topology_.closed || topology_.part_closed.size() != 1) return false;
  if (std::abs(topology_.volume - hull_volume) > kRelative * hull_volume) return false;
  const double dent = kRelative * root_.radius;
  for (std::size_t i = 0; i < topology_.triangles.size(); ++i) {
    const Triangle& t = topology_.triangles[i];
    const Vec3& a = topology_.vertices[t[0]];
    const Vec3 n = (topology_.vertices[t[1]] - a).cross(topology_.vertices[t[2]] - a).normalized();
    for (int next : topology_.neighbours[i]) {
      if (next < 0) return false;
      for (int corner : topology_.triangles[next]) {
        if (n.dot(topology_.vertices[corner] - a) > dent) return false;
      }
    }
  }
  return true;
}

void MeshBody::takeCore(const Shape& shape) {
  core_ = coreOf(shape);
  center_ = core_->offset;
  root_ = boxVolume(coreHalfSize(*core_));
  thickness_ = core_->radius;
  representatives_.push_back(Vec3::Zero());
}

void MeshBody::takeTriangles(const std::vector<Vec3>& vertices,
                             const std::vector<Triangle>& triangles) {
  topology_ = cleaned(vertices, triangles);
  center_ = ballAbout(topology_.vertices).center;
  std::vector<TriangleCorners> corners;
  corners.reserve(topology_.triangles.size());
  for (const Triangle& t : topology_.triangles) {
    corners.push_back(cornersOf(topology_.vertices[t[0]] - center_,
                                topology_.vertices[t[1]] - center_,
                                topology_.vertices[t[2]] - center_));
  }
  bvh_.emplace(std::move(corners), &order_);
  root_ = bvh_->root();
  std::vector<char> seen(topology_.part_closed.size(), 0);
  for (std::size_t i = 0; i < topology_.triangles.size(); ++i) {
    char& known = seen[topology_.part[i]];
    if (!known) representatives_.push_back(topology_.vertices[topology_.triangles[i][0]] - center_);
    known = 1;
  }
  for (char closed : topology_.part_closed) has_inside_ = has_inside_ || closed != 0;
}

bool MeshBody::contains(const Vec3& p) const {
  if (!has_inside_) return false;
  const Vec3 from_center = p - Vec3(root_.center[0], root_.center[1], root_.center[2]);
  if (from_center.squaredNorm() > root_.radius * root_.radius) return false;
  // Directions in general position; a ray that meets an edge says so and another is tried.
  static constexpr double kDirections[4][3] = {{0.5377, 0.8339, -0.1241},
                                               {-0.3188, 0.2177, 0.9226},
                                               {0.7346, -0.6294, 0.2535},
                                               {-0.6023, -0.5129, -0.6118}};
  for (const auto& d : kDirections) {
    bool doubtful = false;
    const int count = crossings(p, Vec3(d[0], d[1], d[2]).normalized(), &doubtful);
    if (!doubtful) return count != 0;
  }
  return std::abs(windingNumber(topology_, p + center_)) > 0.5;
}

/// Signed crossings of the ray from p with the closed parts: their winding number about p.
int MeshBody::crossings(const Vec3& p, const Vec3& direction, bool* doubtful) const {
  const std::vector<MeshNode>& nodes = bvh_->nodes();
  std::vector<std::int32_t> todo;
  todo.reserve(64);
  todo.push_back(0);
  int count = 0;
  const mesh::CoarsePoint from = mesh::coarsePoint(p, reach());
  const Eigen::Vector3f along = direction.cast<float>();
  while (!todo.empty()) {
    const std::int32_t number = todo.back();
    todo.pop_back();
    const MeshNode& node = nodes[number];
    unsigned met =
        mesh::childrenAlong(node, from, along.data()) & ((1U << bvh_->width(number)) - 1U);
    for (; met != 0; met &= met - 1U) {
      const int k = std::countr_zero(met);
      if (node.child[k] >= 0) {
        todo.push_back(node.child[k]);
        continue;
      }
      const int leaf = ~node.child[k];
      if (!topology_.part_closed[topology_.part[order_[leaf]]]) continue;
      const TriangleCorners& t = bvh_->triangles()[leaf];
      const Vec3 a = t.corner(0) - p, b = t.corner(1) - p, c = t.corner(2) - p;
      const double scale = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
      const double u = direction.dot(b.cross(c)), v = direction.dot(c.cross(a)),
                   w = direction.dot(a.cross(b));
      const double error = 1e-15 * scale;
      const bool above = u > error && v > error && w > error;
      const bool below = u < -error && v < -error && w < -error;
      if (!above && !below) {
        const bool outside = (std::min({u, v, w}) < -error) && (std::max({u, v, w}) > error);
        if (!outside) *doubtful = true;
        if (*doubtful) return 0;
        continue;
      }
      // On the line; ahead of p when the height of p over the plane says so.
      const double height = a.dot((t.corner(1) - t.corner(0)).cross(t.corner(2) - t.corner(0)));
      if ((height > 0.0) == above && height != 0.0) count += above ? 1 : -1;
    }
  }
  return count;
}

std::size_t MeshBody::bytes() const {
  std::size_t sum = sizeof *this;
  const auto add = [&](const auto& v) { sum += v.capacity() * sizeof v[0]; };
  add(topology_.vertices);
  add(topology_.triangles);
  add(topology_.source);
  add(topology_.neighbours);
  add(topology_.part);
  add(topology_.part_closed);
  add(order_);
  add(representatives_);
  if (bvh_) sum += bvh_->bytes();
  if (const auto* hull = std::get_if<ConvexMesh>(&*hull_)) {
    sum += hull->points().size() * 12 * sizeof(double);
  }
  return sum;
}

const std::shared_ptr<const MeshBody>& TriangleMesh::body() const {
  std::call_once(data_->body_made,
                 [this] { data_->body = std::make_shared<const MeshBody>(Shape(*this)); });
  return data_->body;
}

std::shared_ptr<const MeshBody> meshBody(const Shape& shape) {
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) return mesh->body();
  return std::make_shared<const MeshBody>(shape);
}

}  // namespace allclear
