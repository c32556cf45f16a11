// The start of a polytope inside the difference D = B - A: GJK's last tetrahedron where it has
// room, else extreme points along the axes, the point farthest from the longest line between these,
// and the point farthest from the plane of all three. D without room for that is flat.

#include "allclear/distance/convex/inner_polytope.h"

#include <algorithm>

namespace allclear {

bool InnerPolytope::startFrom(const GjkResult& r) {
  // The sines of the tetrahedron's angles must exceed this: its faces' normals are then exact to
  // 1e-12, and no face is a needle from the start.
  constexpr double kLeastShape = 1e-4;
  if (r.size < 4) return false;
  const Vec3& o = r.simplex[0].w;
  const Vec3 a = r.simplex[1].w - o;
  const Vec3 b = r.simplex[2].w - o;
  const Vec3 c = r.simplex[3].w - o;
  const Vec3 n = a.cross(b);
  const double area = n.norm();
  const double height = n.dot(c) / area;
  if (!(area > kLeastShape * a.norm() * b.norm() && std::abs(height) > kLeastShape * c.norm() &&
        std::abs(height) > 64.0 * pair_.rounding)) {
    return false;
  }
  begin(r.simplex[0], r.simplex[1], r.simplex[2], r.simplex[3], height > 0.0);
  return true;
}

namespace {

/// The axis along which the extreme points `p` (two per axis) are farthest apart.
int longestAxis(const MinkowskiPoint* p, double* longest) {
  int axis = 0;
  *longest = -1.0;
  for (int i = 0; i < 3; ++i) {
    const double length = (p[2 * i].w - p[2 * i + 1].w).norm();
    if (length > *longest) {
      *longest = length;
      axis = i;
    }
  }
  return axis;
}

}  // namespace

MinkowskiPoint InnerPolytope::farthestFromLine(const Vec3& p0, const Vec3& along,
                                               double* distance) const {
  const Vec3 side1 = along.unitOrthogonal();
  const Vec3 side2 = along.cross(side1);
  *distance = -1.0;
  MinkowskiPoint farthest;
  // Four directions across the line: one of them sees any thickness there is.
  for (const Vec3& side : {side1, side2}) {
    for (double sign : {1.0, -1.0}) {
      const MinkowskiPoint w = support(sign * side);
      const double off = along.cross(w.w - p0).norm();
      if (off > *distance) {
        *distance = off;
        farthest = w;
      }
    }
  }
  return farthest;
}

bool InnerPolytope::start(Vec3* flat_normal) {
  // Thinner than this, B - A has no inside that rounding leaves.
  const double flat = 64.0 * pair_.rounding;
  MinkowskiPoint axis_point[6];
  for (int i = 0; i < 6; ++i) {
    axis_point[i] = support((i % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(i / 2));
  }
  double longest, off;
  const int axis = longestAxis(axis_point, &longest);
  const Vec3& p0 = axis_point[2 * axis].w;
  const Vec3& p1 = axis_point[2 * axis + 1].w;
  *flat_normal = Vec3::UnitX();
  if (longest <= flat) return false;  // a point
  const Vec3 along = (p1 - p0) / longest;
  const MinkowskiPoint p2 = farthestFromLine(p0, along, &off);
  *flat_normal = along.unitOrthogonal();
  if (off <= flat) return false;  // a segment
  const Vec3 n = along.cross(p2.w - p0).normalized();
  *flat_normal = n;
  // The tip of the tetrahedron is on the side of the triangle that reaches farther; the other
  // extreme points follow as corners, so that P is not all on one side of the origin.
  const MinkowskiPoint above = support(n);
  const MinkowskiPoint below = support(-n);
  const double height_above = n.dot(above.w - p0);
  const double height_below = n.dot(p0 - below.w);
  if (std::max(height_above, height_below) <= flat) return false;
  const bool up = height_above >= height_below;
  begin(axis_point[2 * axis], axis_point[2 * axis + 1], p2, up ? above : below, up);
  extendByAny(up ? below : above);
  for (const MinkowskiPoint& w : axis_point) extendByAny(w);
  return true;
}

}  // namespace allclear
