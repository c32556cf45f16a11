#include "allclear/distance/convex_core.h"

#include "allclear/core/assert.h"
#include "allclear/core/multiversion.h"

namespace allclear {
namespace {

using Kind = ConvexCore::Kind;

constexpr int kLanes = 8;

/// `count` is a multiple of kLanes. Indices are kept as doubles so that one loop vectorises whole.
ALLCLEAR_MULTIVERSION
int farthestOf(const double* x, const double* y, const double* z, int count, double dx, double dy,
               double dz) {
  double best[kLanes];
  double where[kLanes];
  for (int k = 0; k < kLanes; ++k) {
    best[k] = dx * x[k] + dy * y[k] + dz * z[k];
    where[k] = k;
  }
  for (int i = kLanes; i < count; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      const double value = dx * x[i + k] + dy * y[i + k] + dz * z[i + k];
      const double index = i + k;
      where[k] = value > best[k] ? index : where[k];
      best[k] = value > best[k] ? value : best[k];
    }
  }
  int lane = 0;
  for (int k = 1; k < kLanes; ++k) {
    if (best[k] > best[lane]) lane = k;
  }
  return static_cast<int>(where[lane]);
}

SupportSet boxSet(const ConvexCore& core, const Vec3& d, double angle) {
  SupportSet set;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(d[i]) > angle) {
      set.center[i] = std::copysign(core.size[i], d[i]);
    } else {
      ++set.dimension;
      set.half_edge[i] = core.size[i];
    }
  }
  return set;
}

SupportSet cylinderSet(const ConvexCore& core, const Vec3& d, double angle) {
  const double rho = std::hypot(d.x(), d.y());
  if (rho <= angle) return {2, {0.0, 0.0, std::copysign(core.size.z(), d.z())}, Vec3::Zero()};
  const double k = core.size.x() / rho;
  if (std::abs(d.z()) <= angle) {
    return {1, {k * d.x(), k * d.y(), 0.0}, {0.0, 0.0, core.size.z()}};
  }
  return {0, {k * d.x(), k * d.y(), std::copysign(core.size.z(), d.z())}, Vec3::Zero()};
}

SupportSet coneSet(const ConvexCore& core, const Vec3& d, double angle) {
  const double rho = std::hypot(d.x(), d.y());
  const double h = core.size.z();
  const double r = core.size.x();
  if (rho <= angle && d.z() < 0.0) return {2, {0.0, 0.0, -h}, Vec3::Zero()};
  const double lead = 2.0 * h * d.z() - r * rho;  // of the apex over the rim
  if (std::abs(lead) <= angle * std::hypot(2.0 * h, r)) {
    const Vec3 rim(r * d.x() / rho, r * d.y() / rho, -h);
    const Vec3 apex(0.0, 0.0, h);
    return {1, 0.5 * (rim + apex), 0.5 * (rim - apex)};
  }
  return {0, coreSupport(core, d), Vec3::Zero()};
}

SupportSet cloudSet(const ConvexCore& core, const Vec3& d, double angle) {
  const PointCloud& cloud = *core.points;
  const Vec3 top = cloud.point(farthestPoint(cloud, d));
  SupportSet set{0, top, Vec3::Zero()};
  double longest = 0.0;
  for (int i = 0; i < cloud.count; ++i) {
    const Vec3 edge = cloud.point(i) - top;
    const double length = edge.norm();
    if (-edge.dot(d) <= angle * length && length > longest) {
      longest = length;
      set = {1, top + 0.5 * edge, 0.5 * edge};
    }
  }
  if (set.dimension == 0) return set;
  for (int i = 0; i < cloud.count; ++i) {
    const Vec3 edge = cloud.point(i) - top;
    const double length = edge.norm();
    if (-edge.dot(d) > angle * length) continue;
    const double off_line = edge.cross(set.half_edge).norm() / set.half_edge.norm();
    if (off_line > 1e-9 * longest) set.dimension = 2;
  }
  return set;
}

}  // namespace

ConvexCore coreOf(const Shape& shape) {
  struct Visitor {
    ConvexCore operator()(const Sphere& s) const {
      return {Kind::kPoint, Vec3::Zero(), Vec3::Zero(), s.radius(), 0.0, nullptr};
    }
    ConvexCore operator()(const Capsule& s) const {
      const double half = 0.5 * s.length();
      return {Kind::kSegment, {0.0, 0.0, half}, Vec3::Zero(), s.radius(), half, nullptr};
    }
    ConvexCore operator()(const Box& s) const {
      const Vec3 half = s.halfSize();
      return {Kind::kBox, half, Vec3::Zero(), 0.0, half.norm(), nullptr};
    }
    ConvexCore round(Kind kind, double radius, double length) const {
      const Vec3 size(radius, 0.0, 0.5 * length);
      return {kind, size, Vec3::Zero(), 0.0, size.norm(), nullptr};
    }
    ConvexCore operator()(const Cylinder& s) const {
      return round(Kind::kCylinder, s.radius(), s.length());
    }
    ConvexCore operator()(const Cone& s) const {
      return round(Kind::kCone, s.radius(), s.length());
    }
    ConvexCore operator()(const Ellipsoid& s) const {
      return {Kind::kEllipsoid, s.radii(), Vec3::Zero(), 0.0, s.radii().maxCoeff(), nullptr};
    }
    ConvexCore operator()(const ConvexMesh& s) const {
      const PointCloud& cloud = s.cloud();
      return {Kind::kPoints, Vec3::Zero(), cloud.ball.center, 0.0, cloud.ball.radius, &cloud};
    }
    ConvexCore operator()(const HalfSpace&) const { return unbounded(); }
    ConvexCore operator()(const TriangleMesh&) const { return unbounded(); }
    static ConvexCore unbounded() {
      contractViolated("a bounded convex shape is needed", __FILE__, __LINE__);
    }
  };
  return std::visit(Visitor{}, shape);
}

int farthestPoint(const PointCloud& cloud, const Vec3& d) {
  return farthestOf(cloud.x.data(), cloud.y.data(), cloud.z.data(),
                    static_cast<int>(cloud.x.size()), d.x(), d.y(), d.z());
}

void coreCurvature(const ConvexCore& core, const Vec3& d, Vec3* point, Mat3* hessian) {
  *point = coreSupport(core, d);
  hessian->setZero();
  if (core.kind == Kind::kEllipsoid) {
    const Vec3 squares = core.size.cwiseAbs2();
    const double h = point->dot(d);
    *hessian = (Mat3(squares.asDiagonal()) - *point * point->transpose()) / h;
    return;
  }
  const bool at_rim = core.kind == Kind::kCylinder ||
                      (core.kind == Kind::kCone && point->z() < 0.0);
  const double rho = std::hypot(d.x(), d.y());
  if (!at_rim || rho == 0.0) return;
  const Vec3 tangent(-d.y() / rho, d.x() / rho, 0.0);
  *hessian = core.size.x() / rho * tangent * tangent.transpose();
}

Creases creasesOf(const ConvexCore& core) {
  Creases creases;
  const Vec3 z = Vec3::UnitZ();
  switch (core.kind) {
    case Kind::kSegment:
      if (core.size.z() > 0.0) creases.addCircle(z, 0.0);
      break;
    case Kind::kBox:
      for (int i = 0; i < 3; ++i) {
        creases.addCircle(Vec3::Unit(i), 0.0);
        creases.addNormal(Vec3::Unit(i));
        creases.addNormal(-Vec3::Unit(i));
      }
      break;
    case Kind::kCylinder:
      creases.addCircle(z, 0.0);
      creases.addNormal(z);
      creases.addNormal(-z);
      break;
    case Kind::kCone:
      creases.addCircle(z, core.size.x() / std::hypot(core.size.x(), 2.0 * core.size.z()));
      creases.addNormal(-z);
      break;
    default:
      break;
  }
  return creases;
}

SupportSet supportSet(const ConvexCore& core, const Vec3& d, double angle) {
  switch (core.kind) {
    case Kind::kSegment:
      if (std::abs(d.z()) <= angle && core.size.z() > 0.0) return {1, Vec3::Zero(), core.size};
      break;
    case Kind::kBox:
      return boxSet(core, d, angle);
    case Kind::kCylinder:
      return cylinderSet(core, d, angle);
    case Kind::kCone:
      return coneSet(core, d, angle);
    case Kind::kPoints:
      return cloudSet(core, d, angle);
    default:
      break;
  }
  return {0, coreSupport(core, d), Vec3::Zero()};
}

}  // namespace allclear
