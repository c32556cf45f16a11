// What queries need to know of each kind of core (core.h): its creases and its support sets.
//
// The support point of a core jumps as the normal crosses a crease: the normal of an edge (these
// form a great circle, square to the edge), of a line of a cone (a small circle about its axis), or
// of a flat face (a single normal). On a crease the support set is that edge, line or face.
//
//   kind       circles               single normals     support sets
//   segment    its edge              -                  corner, segment
//   box        3 edge directions     +-x, +-y, +-z      corner, segment, rectangle
//   cylinder   lines: square to z    +-z                point, segment, disc
//   cone       lines: about z        -z                 point, segment, disc
//   ellipsoid  -                     -                  point
//   points     edges at the support corner, and faces   corner, segment, polygon

#include "allclear/distance/convex/core.h"

#include <algorithm>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

using Kind = ConvexCore::Kind;

using Form = SupportSet::Form;

/// Of the extent: a point this little outside of a polygon's edge is inside, for it is rounding.
constexpr double kInsideSlack = 1e-14;

/// [rad] Corners of a polygon are level within this (its plane is known to rounding only).
constexpr double kLevel = 1e-9;

/// Relative area from which corners on one level are off a common line.
constexpr double kOffLine = 1e-9;

/// Corners of one face that are visited; of a face with more, the rest is ignored.
constexpr int kMostFaceCorners = 64;

SupportSet boxSet(const ConvexCore& core, const Vec3& d, double angle) {
  // Along each axis either one side wins, or the normal is square to it and both do.
  SupportSet set;
  int free = 0;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(d[i]) > angle) {
      set.center[i] = std::copysign(core.size[i], d[i]);
    } else {
      (free++ == 0 ? set.half_edge : set.half_edge_2)[i] = core.size[i];
    }
  }
  set.form = free == 0 ? Form::kPoint : free == 1 ? Form::kSegment : Form::kRectangle;
  return set;
}

SupportSet disc(double z, double radius) {
  SupportSet set;
  set.form = Form::kDisc;
  set.center.z() = z;
  set.radius = radius;
  return set;
}

SupportSet segment(const Vec3& from, const Vec3& to) {
  SupportSet set;
  set.form = Form::kSegment;
  set.center = 0.5 * (from + to);
  set.half_edge = 0.5 * (to - from);
  return set;
}

SupportSet cylinderSet(const ConvexCore& core, const Vec3& d, double angle) {
  const double rho = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double h = core.size.z();
  if (rho <= angle) return disc(std::copysign(h, d.z()), core.size.x());
  const double k = core.size.x() / rho;
  if (std::abs(d.z()) <= angle) {
    return segment({k * d.x(), k * d.y(), -h}, {k * d.x(), k * d.y(), h});
  }
  return {Form::kPoint, {k * d.x(), k * d.y(), std::copysign(h, d.z())}};
}

double slantOf(const ConvexCore& cone) {
  return std::sqrt(cone.size.x() * cone.size.x() + 4.0 * cone.size.z() * cone.size.z());
}

SupportSet coneSet(const ConvexCore& core, const Vec3& d, double angle) {
  const double rho = std::sqrt(d.x() * d.x() + d.y() * d.y());
  const double h = core.size.z();
  const double r = core.size.x();
  if (rho <= angle && d.z() < 0.0) return disc(-h, r);
  // How much farther along d the apex is than the rim. Over the angle of d from the crease it grows
  // like the length of the line between them.
  const double lead = 2.0 * h * d.z() - r * rho;
  const Vec3 apex(0.0, 0.0, h);
  const Vec3 rim = rho > 0.0 ? Vec3(r * d.x() / rho, r * d.y() / rho, -h) : apex;
  if (std::abs(lead) <= angle * slantOf(core)) return segment(rim, apex);
  return {Form::kPoint, lead > 0.0 ? apex : rim};
}

/// Calls visit(i) for every corner of the cloud that is as far along d as the corner `top`, where
/// edges that rise by less than `angle` [rad] count as level.
template <class Visit>
void forFarthest(const PointCloud& cloud, int top, const Vec3& d, double angle,
                 const Visit& visit) {
  const auto level = [&](int from, int to) {
    const Vec3 edge = cloud.corner(to) - cloud.corner(from);
    const double rise = edge.dot(d);
    return rise * rise <= angle * angle * edge.squaredNorm();
  };
  // The corners of one face hang together by level edges: walks over these, breadth first.
  int queue[kMostFaceCorners] = {top};
  int count = 1;
  for (int next = 0; next < count; ++next) {
    visit(queue[next]);
    cloud.forNeighbours(queue[next], [&](int i) {
      if (count == kMostFaceCorners || !level(queue[next], i)) return;
      for (int k = 0; k < count; ++k) {
        if (queue[k] == i) return;
      }
      queue[count++] = i;
    });
  }
}

/// The corners level with the farthest one along d: one corner, the segment that they lie on, or a
/// polygon. A polygon keeps d, from which `nearestInPolygon` finds its corners again.
SupportSet cloudSet(const ConvexCore& core, const Vec3& d, double angle) {
  const PointCloud& cloud = *core.points;
  const int top = cloud.farthest(d);
  const Vec3& corner = cloud.corner(top);
  Vec3 to_farthest = Vec3::Zero();
  double length2 = 0.0;
  forFarthest(cloud, top, d, angle, [&](int i) {
    const Vec3 edge = cloud.corner(i) - corner;
    if (edge.squaredNorm() > length2) {
      length2 = edge.squaredNorm();
      to_farthest = edge;
    }
  });
  if (length2 == 0.0) return {Form::kPoint, corner};
  // More than one corner: a segment if all lie on the line to the corner farthest from the first,
  // else a polygon.
  Vec3 from = corner;
  Vec3 to = corner + to_farthest;
  bool polygon = false;
  forFarthest(cloud, top, d, angle, [&](int i) {
    const Vec3& p = cloud.corner(i);
    polygon = polygon || (p - corner).cross(to_farthest).norm() > kOffLine * length2;
    // The corner may lie between two others on one line.
    if ((p - from).dot(to_farthest) < 0.0) from = p;
  });
  SupportSet set = segment(from, to);
  if (polygon) set = {Form::kPolygon, corner, d};
  return set;
}

/// Where along -along..along the point nearest to w is: in [-1, 1].
double clampedShare(const Vec3& along, const Vec3& w) {
  const double length2 = along.squaredNorm();
  return length2 > 0.0 ? std::clamp(along.dot(w) / length2, -1.0, 1.0) : 0.0;
}

/// `set.half_edge` of a polygon is the direction it was farthest along.
Vec3 nearestInPolygon(const ConvexCore& core, const SupportSet& set, const Vec3& point) {
  const PointCloud& cloud = *core.points;
  int corner[kMostFaceCorners];
  int count = 0;
  bool inside = true;
  forFarthest(cloud, cloud.farthest(set.half_edge), set.half_edge, kLevel, [&](int i) {
    corner[count++] = i;
    cloud.forFaces(i, [&](const Vec3& normal) {
      inside = inside && normal.dot(point - cloud.corner(i)) <= kInsideSlack * core.extent;
    });
  });
  if (inside) return point;
  // Outside: the nearest point is on an edge. All pairs of corners are tried, as nothing tells
  // edges from diagonals here; these lie inside and cannot be nearer.
  Vec3 nearest = set.center;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j) {
      const Vec3 middle = 0.5 * (cloud.corner(corner[i]) + cloud.corner(corner[j]));
      const Vec3 half = cloud.corner(corner[i]) - middle;
      const Vec3 candidate = middle + clampedShare(half, point - middle) * half;
      if ((candidate - point).squaredNorm() < (nearest - point).squaredNorm()) nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace

ConvexCore coreOf(const Shape& shape) {
  // Fields in order: kind, size, offset, radius, extent, points.
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
      return {Kind::kPoints, Vec3::Zero(), cloud.ball().center, 0.0, cloud.ball().radius, &cloud};
    }
    ConvexCore operator()(const HalfSpace&) const { return unbounded(); }
    ConvexCore operator()(const TriangleMesh&) const { return unbounded(); }
    static ConvexCore unbounded() {
      contractViolated("a bounded convex shape is needed", __FILE__, __LINE__);
    }
  };
  return std::visit(Visitor{}, shape);
}

Creases creasesNear(const ConvexCore& core, const Vec3& d, double window) {
  Creases creases;
  const double least_cosine = leastCosine(window);
  // Adds those within the window.
  const auto circle = [&](const Vec3& axis, double sine, double cosine) {
    const CreaseCircle c{axis, sine, cosine};
    if (std::abs(c.offset(d)) <= window) creases.add(c);
  };
  const auto normal = [&](const Vec3& n) {
    if (n.dot(d) >= least_cosine) creases.add(n);
  };
  const Vec3 z = Vec3::UnitZ();
  switch (core.kind) {
    case Kind::kSegment:
      if (core.size.z() > 0.0) circle(z, 0.0, 1.0);
      break;
    case Kind::kBox:
      for (int i = 0; i < 3; ++i) {
        circle(Vec3::Unit(i), 0.0, 1.0);
        normal(Vec3::Unit(i));
        normal(-Vec3::Unit(i));
      }
      break;
    case Kind::kCylinder:
      circle(z, 0.0, 1.0);
      normal(z);
      normal(-z);
      break;
    case Kind::kCone:
      circle(z, core.size.x() / slantOf(core), 2.0 * core.size.z() / slantOf(core));
      normal(-z);
      break;
    case Kind::kPoints:
      core.points->forEdges(core.points->farthest(d),
                            [&](const Vec3& direction) { circle(direction, 0.0, 1.0); });
      core.points->forFaces(core.points->farthest(d), normal);
      break;
    default:  // a point or an ellipsoid is smooth; of a triangle only support points are asked for
      break;
  }
  return creases;
}

SupportSet supportSet(const ConvexCore& core, const Vec3& d, double angle) {
  switch (core.kind) {
    case Kind::kSegment:
      if (std::abs(d.z()) <= angle && core.size.z() > 0.0) return segment(-core.size, core.size);
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
  // Smooth, or a segment seen from an end: one point.
  return {Form::kPoint, coreSupport(core, d)};
}

Vec3 nearestInSet(const ConvexCore& core, const SupportSet& set, const Vec3& point) {
  const Vec3 w = point - set.center;
  switch (set.form) {
    case Form::kPoint:
      break;
    case Form::kSegment:
      return set.center + clampedShare(set.half_edge, w) * set.half_edge;
    case Form::kRectangle:  // its edges are square to each other: each share on its own
      return set.center + clampedShare(set.half_edge, w) * set.half_edge +
             clampedShare(set.half_edge_2, w) * set.half_edge_2;
    case Form::kDisc: {  // the point is in the disc's plane
      const double rho = std::hypot(w.x(), w.y());
      const double k = rho > set.radius ? set.radius / rho : 1.0;
      return set.center + Vec3(k * w.x(), k * w.y(), 0.0);
    }
    case Form::kPolygon:
      return nearestInPolygon(core, set, point);
  }
  return set.center;
}

}  // namespace allclear
