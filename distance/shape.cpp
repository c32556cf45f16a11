// The shapes: constructors that refuse sizes and meshes no query could work with, and simple facts
// about shapes (bounding balls, names, whether a mesh is closed).
//
// Every query squares and multiplies sizes and coordinates. The limits 1e-30 m and 1e30 m keep
// products of up to ten of them within the range of a double, so no query has to test for overflow.

#include "allclear/distance/shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/geometry/support_corners.h"
#include "allclear/distance/mesh/counting_sort.h"

namespace allclear {
namespace {

constexpr double kLargest = 1e30;    // [m]
constexpr double kSmallest = 1e-30;  // [m]

std::string shown(double value) { return formatted("%g", value); }

double positive(double value, const char* what) {
  const InputPlace place{"", 0, what, shown(value)};
  if (!std::isfinite(value) || value <= 0.0) {
    throw InputError(place, "must be a positive finite number [m]");
  }
  if (value < kSmallest || value > kLargest) {
    throw InputError(place, "must be between 1e-30 and 1e30 m");
  }
  return value;
}

Vec3 positive(const Vec3& value, const char* what) {
  static constexpr const char* kAxes[] = {" x", " y", " z"};
  for (int i = 0; i < 3; ++i) positive(value[i], (std::string(what) + kAxes[i]).c_str());
  return value;
}

double notNegative(double value, const char* what) {
  if (!std::isfinite(value) || value < 0.0) {
    throw InputError({"", 0, what, shown(value)}, "must be a finite number, not negative [m]");
  }
  // Too small to be told from 0: a capsule without length is a ball.
  return value < kSmallest ? 0.0 : positive(value, what);
}

void checkVertices(const std::vector<Vec3>& points, const char* what) {
  StopSteps steps;
  for (std::size_t i = 0; i < points.size(); ++i) {
    steps.step();
    for (double x : points[i]) {
      if (std::isfinite(x) && std::abs(x) <= kLargest) continue;
      throw InputError({"", 0, what, shown(x)}, "vertex " + std::to_string(i) +
                                                    " must have finite coordinates, within 1e30 m");
    }
  }
}

void checkTriangle(const Triangle& triangle, std::size_t number, int vertices) {
  for (int index : triangle) {
    if (index >= 0 && index < vertices) continue;
    throw InputError({"", 0, "triangle mesh", ""}, "triangle " + std::to_string(number) +
                                                       " uses vertex " + std::to_string(index) +
                                                       " of " + std::to_string(vertices));
  }
}

/// Whether at least one triangle has an area.
bool hasArea(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles) {
  StopSteps steps;
  for (const Triangle& t : triangles) {
    steps.step();
    const Vec3& a = vertices[t[0]];
    if ((vertices[t[1]] - a).cross(vertices[t[2]] - a).squaredNorm() > 0.0) return true;
  }
  return false;
}

}  // namespace

// About the centre of the points' box: at most sqrt 3 times the radius of the smallest ball, which
// is at least half the longest edge of the box.
Ball ballAbout(const std::vector<Vec3>& points) {
  Vec3 lower = points.front();
  Vec3 upper = points.front();
  for (const Vec3& p : points) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  Ball ball{0.5 * (lower + upper), 0.0};
  for (const Vec3& p : points) ball.radius = std::max(ball.radius, (p - ball.center).norm());
  return ball;
}

Sphere::Sphere(double radius) : radius_(positive(radius, "sphere radius")) {}

Capsule::Capsule(double radius, double length)
    : radius_(positive(radius, "capsule radius")), length_(notNegative(length, "capsule length")) {}

Box::Box(const Vec3& size) : size_(positive(size, "box size")) {}

Cylinder::Cylinder(double radius, double length)
    : radius_(positive(radius, "cylinder radius")), length_(positive(length, "cylinder length")) {}

Cone::Cone(double radius, double length)
    : radius_(positive(radius, "cone radius")), length_(positive(length, "cone length")) {}

Ellipsoid::Ellipsoid(const Vec3& radii) : radii_(positive(radii, "ellipsoid radii")) {}

ConvexMesh::ConvexMesh(std::vector<Vec3> points) {
  // The cloud reads the points before they move into the shared copy.
  if (points.empty()) throw InputError({"", 0, "convex mesh", ""}, "has no points");
  checkVertices(points, "convex mesh");
  cloud_ = std::make_shared<const PointCloud>(points);
  points_ = std::make_shared<const std::vector<Vec3>>(std::move(points));
}

TriangleMesh::TriangleMesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles,
                           OpenMeshes open) {
  // Names the first fault only: a broken file has thousands.
  if (triangles.empty()) throw InputError({"", 0, "triangle mesh", ""}, "has no triangles");
  checkVertices(vertices, "triangle mesh");
  StopSteps steps;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    steps.step();
    checkTriangle(triangles[i], i, static_cast<int>(vertices.size()));
  }
  if (!hasArea(vertices, triangles)) {
    throw InputError({"", 0, "triangle mesh", ""}, "is degenerate: no triangle has an area");
  }
  data_ = std::make_shared<const Data>(std::move(vertices), std::move(triangles), open);
}

TriangleMesh TriangleMesh::withOpen(OpenMeshes open) const {
  return {data_->vertices, data_->triangles, open};
}

std::string whyNotClosed(const TriangleMesh& mesh) {
  // Every directed edge must be used once, and once in the other direction by the neighbour.
  using DirectedEdge = std::array<int, 2>;
  std::vector<DirectedEdge> uses;
  uses.reserve(3 * mesh.triangles().size());
  StopSteps steps;
  for (const Triangle& t : mesh.triangles()) {
    steps.step();
    for (int e = 0; e < 3; ++e) uses.push_back({t[e], t[(e + 1) % 3]});
  }
  for (int end : {1, 0}) {
    allclear::mesh::countingSort(&uses, static_cast<int>(mesh.vertices().size()),
                                 [end](const DirectedEdge& edge) { return edge[end]; });
  }
  for (std::size_t i = 0, next = 0; i < uses.size(); i = next) {
    steps.step();
    const int from = uses[i][0], to = uses[i][1];
    while (next < uses.size() && uses[next] == uses[i]) ++next;
    const std::size_t count = next - i;
    const bool is_met = std::binary_search(uses.begin(), uses.end(), DirectedEdge{to, from});
    if (from != to && count == 1 && is_met) continue;
    const std::string name =
        "the edge from vertex " + std::to_string(from) + " to " + std::to_string(to);
    if (from == to) return name + " has no length";
    if (count > 1) return name + " belongs to " + std::to_string(count) + " triangles on one side";
    return name + " belongs to one triangle only";
  }
  return "";
}

std::string shapeName(const Shape& shape) {
  static constexpr const char* kNames[] = {"sphere",     "capsule",     "box",
                                           "cylinder",   "cone",        "ellipsoid",
                                           "half-space", "convex mesh", "mesh"};
  return kNames[shape.index()];
}

Ball boundingBall(const Shape& shape) {
  // Centred in the origin of G, except for meshes.
  struct Visitor {
    Ball operator()(const Sphere& s) const { return {Vec3::Zero(), s.radius()}; }
    Ball operator()(const Capsule& s) const {
      return {Vec3::Zero(), 0.5 * s.length() + s.radius()};
    }
    Ball operator()(const Box& s) const { return {Vec3::Zero(), s.halfSize().norm()}; }
    Ball operator()(const Cylinder& s) const {
      return {Vec3::Zero(), std::hypot(s.radius(), 0.5 * s.length())};
    }
    Ball operator()(const Cone& s) const {
      return {Vec3::Zero(), std::hypot(s.radius(), 0.5 * s.length())};
    }
    Ball operator()(const Ellipsoid& s) const { return {Vec3::Zero(), s.radii().maxCoeff()}; }
    Ball operator()(const HalfSpace&) const {
      return {Vec3::Zero(), std::numeric_limits<double>::infinity()};
    }
    Ball operator()(const ConvexMesh& s) const { return s.cloud().ball(); }
    Ball operator()(const TriangleMesh& s) const { return ballAbout(s.vertices()); }
  };
  return std::visit(Visitor{}, shape);
}

}  // namespace allclear
