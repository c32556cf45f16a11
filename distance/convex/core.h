#pragma once

#include <cmath>

#include "allclear/core/types.h"
#include "allclear/distance/geometry/support_corners.h"
#include "allclear/distance/geometry/triangles.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A bounded convex shape as a core thickened by a ball: a sphere is a point with a radius, a
/// capsule a segment with a radius, the others have radius 0. The core is in a frame of its own,
/// centred: `offset` is the position of that frame's origin in the shape's frame G. Borrows the
/// points of a convex mesh.
struct ConvexCore {
  enum class Kind : unsigned char {
    kPoint,
    kSegment,
    kBox,
    kCylinder,
    kCone,
    kEllipsoid,
    kPoints,
    kTriangle
  };
  Kind kind = Kind::kPoint;
  /// Segment: (0, 0, half length); box: half edges; cylinder, cone: (radius, 0, half length);
  /// ellipsoid: semi-axes.
  Vec3 size = Vec3::Zero();
  Vec3 offset = Vec3::Zero();
  double radius = 0.0;  ///< of the ball
  double extent = 0.0;  ///< the core is within this of its origin [m]
  const PointCloud* points = nullptr;

  const TriangleCorners* triangle = nullptr;  ///< kTriangle: about the core's origin

  bool isPolytope() const { return kind <= Kind::kBox || kind >= Kind::kPoints; }
};

/// The least cosine between directions at most `window` [rad] apart; below all cosines when that
/// means any two directions.
inline double leastCosine(double window) {
  constexpr double kWholeSphere = 3.2;  // [rad] more than pi
  return window >= kWholeSphere ? -2.0 : std::cos(window);
}

/// Pre: convex and bounded (else `ContractViolation`).
ConvexCore coreOf(const Shape& shape);

/// A core point farthest along `d` (not zero).
inline Vec3 coreSupport(const ConvexCore& core, const Vec3& d) {
  const Vec3& size = core.size;
  switch (core.kind) {
    case ConvexCore::Kind::kPoint:
      return Vec3::Zero();
    case ConvexCore::Kind::kSegment:
      return {0.0, 0.0, std::copysign(size.z(), d.z())};
    case ConvexCore::Kind::kBox:
      return {std::copysign(size.x(), d.x()), std::copysign(size.y(), d.y()),
              std::copysign(size.z(), d.z())};
    case ConvexCore::Kind::kCylinder: {
      // The point of the rim in direction (d.x, d.y); along the axis, the middle of the cap.
      const double rho = std::sqrt(d.x() * d.x() + d.y() * d.y());
      const double k = rho > 0.0 ? size.x() / rho : 0.0;
      return {k * d.x(), k * d.y(), std::copysign(size.z(), d.z())};
    }
    case ConvexCore::Kind::kCone: {
      const double rho = std::sqrt(d.x() * d.x() + d.y() * d.y());
      // Apex h d.z against base rim r rho - h d.z.
      if (2.0 * size.z() * d.z() > size.x() * rho) return {0.0, 0.0, size.z()};
      const double k = rho > 0.0 ? size.x() / rho : 0.0;
      return {k * d.x(), k * d.y(), -size.z()};
    }
    case ConvexCore::Kind::kEllipsoid: {
      // The unit ball stretched by S has its support along d at S (S d) / |S d|.
      const Vec3 scaled = size.cwiseProduct(d);
      return size.cwiseProduct(scaled) / scaled.norm();
    }
    case ConvexCore::Kind::kTriangle: {
      const double(*p)[3] = core.triangle->p;
      int best = 0;
      double most = 0.0;
      for (int i = 0; i < 3; ++i) {
        const double along = p[i][0] * d.x() + p[i][1] * d.y() + p[i][2] * d.z();
        if (i > 0 && along <= most) continue;
        most = along;
        best = i;
      }
      return core.triangle->corner(best);
    }
    case ConvexCore::Kind::kPoints:
      break;
  }
  return core.points->corner(core.points->farthest(d));
}

/// Second derivative of the support function at `d` (unit) along `s` and `t`, on the smooth branch
/// of the support point `point` there.
inline double coreCurvature(const ConvexCore& core, const Vec3& d, const Vec3& point, const Vec3& s,
                            const Vec3& t) {
  // Ellipsoid: h = |S d| with the point S^2 d / h, so h'' = S^2 / h - point point' / h.
  if (core.kind == ConvexCore::Kind::kEllipsoid) {
    const Vec3 es = core.size.cwiseProduct(s);
    const Vec3 et = core.size.cwiseProduct(t);
    return (es.dot(et) - point.dot(s) * point.dot(t)) / point.dot(d);
  }
  const bool at_rim = core.kind == ConvexCore::Kind::kCylinder ||
                      (core.kind == ConvexCore::Kind::kCone && point.z() < 0.0);
  const double rho2 = d.x() * d.x() + d.y() * d.y();
  if (!at_rim || rho2 == 0.0) return 0.0;
  // Rim of radius r: h = r rho + (a multiple of d.z). With e the unit direction around z at d, the
  // second derivative of rho is (e.s)(e.t) / rho; `s_around` is rho (e.s).
  const double s_around = d.x() * s.y() - d.y() * s.x();
  const double t_around = d.x() * t.y() - d.y() * t.x();
  return core.size.x() * s_around * t_around / (rho2 * std::sqrt(rho2));
}

/// A circle of unit normals, `axis . n = sine`: those of a straight edge (sine 0) or of the lines
/// of a cone (the axis is the cone's).
struct CreaseCircle {
  Vec3 axis;
  double sine;
  double cosine;  ///< radius of the circle; kept beside `sine`, for one does not give the other

  /// Sine of the angle from the circle to n, positive on the side of the axis.
  double offset(const Vec3& n) const {
    // sin(x - y) with x the latitude of n above the axis' equator and y that of the circle.
    const double height = axis.dot(n);
    return sine == 0.0 ? height : height * cosine - axis.cross(n).norm() * sine;
  }
};

/// Where the support function of a core is not smooth: on circles of the unit sphere and at single
/// normals (of its flat faces).
struct Creases {
  /// More are dropped: a corner of a mesh with so many edges is nearly round, and the search for
  /// the best normal has its faces as other starts.
  static constexpr int kMax = 24;
  int circles = 0;
  CreaseCircle circle[kMax];
  int normals = 0;
  Vec3 normal[kMax];

  void add(const CreaseCircle& c) {
    if (circles < kMax) circle[circles++] = c;
  }
  void add(const Vec3& n) {
    if (normals < kMax) normal[normals++] = n;
  }
};

/// The creases of a core within `window` [rad] of the unit normal `d`; of a convex mesh, those at
/// its support corner only.
Creases creasesNear(const ConvexCore& core, const Vec3& d, double window);

/// The set of core points farthest along `d`, with normals within `angle` of `d` taken as equal.
struct SupportSet {
  enum class Form : unsigned char { kPoint, kSegment, kRectangle, kDisc, kPolygon };
  Form form = Form::kPoint;
  Vec3 center = Vec3::Zero();       ///< a point of the set; of all but polygons, the middle
  Vec3 half_edge = Vec3::Zero();    ///< segment, rectangle: from the middle to a side; polygon: the
                                    ///< direction it is farthest along
  Vec3 half_edge_2 = Vec3::Zero();  ///< rectangle
  double radius = 0.0;              ///< disc, square to z

  int dimension() const { return form == Form::kPoint ? 0 : form == Form::kSegment ? 1 : 2; }
};
SupportSet supportSet(const ConvexCore& core, const Vec3& d, double angle);

/// The point of the support set nearest to `point`, which lies in its plane.
Vec3 nearestInSet(const ConvexCore& core, const SupportSet& set, const Vec3& point);

}  // namespace allclear
