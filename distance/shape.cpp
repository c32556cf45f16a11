#include "allclear/distance/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/input_error.h"
#include "allclear/distance/point_cloud.h"

namespace allclear {
namespace {

double positive(double value, const char* what) {
  if (!std::isfinite(value) || value <= 0.0) {
    throw InputError({"", 0, what, std::to_string(value)}, "must be a positive finite number");
  }
  return value;
}

Vec3 positive(const Vec3& value, const char* what) {
  for (int i = 0; i < 3; ++i) positive(value[i], what);
  return value;
}

double notNegative(double value, const char* what) {
  if (!std::isfinite(value) || value < 0.0) {
    throw InputError({"", 0, what, std::to_string(value)}, "must be a finite number, not negative");
  }
  return value;
}

void checkFinite(const std::vector<Vec3>& points, const char* what) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) {
      throw InputError({"", 0, what, ""}, "vertex " + std::to_string(i) + " is not finite");
    }
  }
}

}  // namespace

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
  if (points.empty()) throw InputError({"", 0, "convex mesh", ""}, "has no points");
  checkFinite(points, "convex mesh");
  cloud_ = std::make_shared<const PointCloud>(points);
  points_ = std::make_shared<const std::vector<Vec3>>(std::move(points));
}

TriangleMesh::TriangleMesh(std::vector<Vec3> vertices, std::vector<Triangle> triangles) {
  if (triangles.empty()) throw InputError({"", 0, "triangle mesh", ""}, "has no triangles");
  checkFinite(vertices, "triangle mesh");
  const int count = static_cast<int>(vertices.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (int index : triangles[i]) {
      if (index < 0 || index >= count) {
        throw InputError({"", 0, "triangle mesh", ""}, "triangle " + std::to_string(i) +
                                                           " uses vertex " + std::to_string(index) +
                                                           " of " + std::to_string(count));
      }
    }
  }
  data_ = std::make_shared<const Data>(Data{std::move(vertices), std::move(triangles)});
}

std::string shapeName(const Shape& shape) {
  static constexpr const char* kNames[] = {"sphere",     "capsule",     "box",
                                           "cylinder",   "cone",        "ellipsoid",
                                           "half-space", "convex mesh", "mesh"};
  return kNames[shape.index()];
}

Ball boundingBall(const Shape& shape) {
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
