// A shape made ready for queries with meshes, and the test whether a point is inside.
//
// Shapes become what the search over two trees understands: triangles with a thickness, or a convex
// core. A ball is a thick point, a capsule a thick segment (triangles without area), boxes and
// convex meshes are their faces.
//
// Inside. A closed part winds about a point p a whole number of times, which is the number of its
// triangles that a ray from p crosses outward less those that it crosses inward. A ray that meets
// an edge or a vertex, to rounding, counts nothing: another direction is tried, and after four the
// winding number by solid angles decides. The tree finds the triangles that the ray may pass.

#include "allclear/distance/mesh/body.h"

#include <bit>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/geometry/convex_hull.h"
#include "allclear/distance/mesh/point_bounds.h"

namespace allclear {
namespace {

constexpr std::size_t kMostTriangles = std::size_t{1} << 27;

/// The surface of a convex polyhedron as triangles.
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
  // A flat hull has no facets: a fan over its rim, and for a segment a triangle without area.
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

/// The box about a convex core, with the ball about it.
MeshVolume boxVolume(const Vec3& half) {
  // Room for the rounding of sizes and of their norm (a few 1e-16).
  constexpr double kGrown = 1.0 + 1e-12;
  MeshVolume volume{};
  volume.radius = half.norm() * kGrown;
  for (int i = 0; i < 3; ++i) volume.axis[i][i] = half[i] * kGrown;
  return volume;
}

/// How the ray from p crosses a triangle: 1 to its outside, -1 to its inside, 0 not at all; nothing
/// when it comes too near to the rim to say.
///
/// With the corners a, b, c relative to p, the triple products d.(b x c), d.(c x a) and d.(a x b)
/// are the barycentric coordinates, times the same factor, of the point where the line of the ray d
/// meets the triangle's plane. The line passes through the triangle when they have one sign: plus
/// when it leaves through the outside, minus when it enters.
std::optional<int> crossingOf(const TriangleCorners& t, const Vec3& p, const Vec3& direction) {
  const Vec3 a = t.corner(0) - p, b = t.corner(1) - p, c = t.corner(2) - p;
  const double scale = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
  const double u = direction.dot(b.cross(c)), v = direction.dot(c.cross(a)),
               w = direction.dot(a.cross(b));
  // Products of two corners, summed three at a time: about 5 roundings of 1.1e-16, of terms up to
  // `scale`.
  constexpr double kTripleRounding = 1e-15;
  const double error = kTripleRounding * scale;
  const bool outward = u > error && v > error && w > error;
  const bool inward = u < -error && v < -error && w < -error;
  if (!outward && !inward) {
    // Clearly of both signs: the line passes beside the triangle.
    const bool beside = (std::min({u, v, w}) < -error) && (std::max({u, v, w}) > error);
    return beside ? std::optional(0) : std::nullopt;
  }
  // The line crosses; ahead of p, not behind, when p is on the side that the ray comes from.
  const double height = a.dot((t.corner(1) - t.corner(0)).cross(t.corner(2) - t.corner(0)));
  const bool ahead = (height > 0.0) == outward && height != 0.0;
  return ahead ? (outward ? 1 : -1) : 0;
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
    setTriangles(mesh->vertices(), mesh->triangles());
    setHull(mesh->vertices());
    return;
  }
  // Any other shape is convex. A ball is a thick point, a capsule a thick segment.
  is_convex_ = true;
  hull_.emplace(shape);
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    thickness_ = sphere->radius();
    setTriangles({Vec3::Zero()}, {{0, 0, 0}});
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    thickness_ = capsule->radius();
    const Vec3 end(0.0, 0.0, 0.5 * capsule->length());
    setTriangles({-end, end}, {{0, 1, 1}});
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    const Faces faces = boxFaces(box->halfSize());
    setTriangles(faces.vertices, faces.triangles);
  } else if (const auto* convex = std::get_if<ConvexMesh>(&shape)) {
    const Faces faces = hullFaces(convex->points());
    setTriangles(faces.vertices, faces.triangles);
  } else {
    setCore(shape);
  }
}

void MeshBody::setHull(const std::vector<Vec3>& points) {
  std::vector<Vec3> corners;
  const ConvexHull hull = convexHull(points);
  for (int i : hull.vertices) corners.push_back(points[i]);
  hull_.emplace(ConvexMesh(std::move(corners)));
  is_convex_ = isHull(hull.volume);
}

/// Whether the mesh is its own hull: one closed part, bent outward at every edge, and of the hull's
/// volume. Without the last test, a surface that winds about more than once would pass.
bool MeshBody::isHull(double hull_volume) const {
  // Of the volume, and of the size for a dent: above the rounding of both (some 1e-15 and 1e-12),
  // below any dent that a distance would notice.
  constexpr double kRelative = 1e-9;
  if (!topology_.closed || topology_.part_closed.size() != 1) return false;
  if (std::abs(topology_.volume - hull_volume) > kRelative * hull_volume) return false;
  const double dent = kRelative * root_.radius;
  StopSteps steps;
  for (std::size_t i = 0; i < topology_.triangles.size(); ++i) {
    steps.step();
    const Triangle& t = topology_.triangles[i];
    const Vec3& a = topology_.vertices[t[0]];
    const Vec3 n = (topology_.vertices[t[1]] - a).cross(topology_.vertices[t[2]] - a).normalized();
    // Bent outward: no corner of a neighbour is above the triangle's plane.
    for (int next : topology_.neighbours[i]) {
      if (next < 0) return false;
      for (int corner : topology_.triangles[next]) {
        if (n.dot(topology_.vertices[corner] - a) > dent) return false;
      }
    }
  }
  return true;
}

void MeshBody::setCore(const Shape& shape) {
  core_ = coreOf(shape);
  center_ = core_->offset;
  root_ = boxVolume(coreHalfSize(*core_));
  thickness_ = core_->radius;
  representatives_.push_back(Vec3::Zero());
}

void MeshBody::setTriangles(const std::vector<Vec3>& vertices,
                            const std::vector<Triangle>& triangles) {
  topology_ = cleaned(vertices, triangles);
  // Everything is kept relative to the centre: single precision then stores small numbers.
  center_ = ballAbout(topology_.vertices).center;
  std::vector<TriangleCorners> corners;
  corners.reserve(topology_.triangles.size());
  StopSteps steps;
  for (const Triangle& t : topology_.triangles) {
    steps.step();
    corners.push_back(cornersOf(topology_.vertices[t[0]] - center_,
                                topology_.vertices[t[1]] - center_,
                                topology_.vertices[t[2]] - center_));
  }
  bvh_.emplace(std::move(corners), &order_);
  root_ = bvh_->root();
  addRepresentatives();
  for (char closed : topology_.part_closed) has_inside_ = has_inside_ || closed != 0;
}

/// One vertex of each part.
void MeshBody::addRepresentatives() {
  std::vector<char> seen(topology_.part_closed.size(), 0);
  for (std::size_t i = 0; i < topology_.triangles.size(); ++i) {
    char& known = seen[topology_.part[i]];
    if (!known) representatives_.push_back(topology_.vertices[topology_.triangles[i][0]] - center_);
    known = 1;
  }
}

bool MeshBody::contains(const Vec3& p) const {
  if (!has_inside_) return false;
  // The ball about everything rules out most points.
  const Vec3 from_center = p - Vec3(root_.center[0], root_.center[1], root_.center[2]);
  if (from_center.squaredNorm() > root_.radius * root_.radius) return false;
  // Directions that are along no axis or edge of usual meshes.
  static constexpr double kDirections[4][3] = {{0.5377, 0.8339, -0.1241},
                                               {-0.3188, 0.2177, 0.9226},
                                               {0.7346, -0.6294, 0.2535},
                                               {-0.6023, -0.5129, -0.6118}};
  for (const auto& d : kDirections) {
    const std::optional<int> count = crossings(p, Vec3(d[0], d[1], d[2]).normalized());
    if (count) return *count != 0;
  }
  // Every ray met an edge (p is on one, say). The winding number needs no ray, but all triangles.
  constexpr double kInside = 0.5;
  return std::abs(windingNumber(topology_, p + center_)) > kInside;
}

/// The signed crossings of the ray from p along the unit `direction` with the closed parts: how
/// often they wind about p. Nothing when the ray comes too near to an edge to count.
std::optional<int> MeshBody::crossings(const Vec3& p, const Vec3& direction) const {
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
    // The children that the ray may pass, one bit each.
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
      const std::optional<int> crossing = crossingOf(bvh_->triangles()[leaf], p, direction);
      if (!crossing) return std::nullopt;
      count += *crossing;
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
    // About four vectors for each point: the point, its two copies in the cloud, its edges.
    sum += hull->points().size() * 12 * sizeof(double);
  }
  return sum;
}

}  // namespace allclear
