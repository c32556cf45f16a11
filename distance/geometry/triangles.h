#pragma once

#include "allclear/core/types.h"

namespace allclear {

/// Three corners, which may coincide or lie on a line: a point, a segment or a triangle.
struct TriangleCorners {
  double p[3][3];  ///< [corner][axis]

  Vec3 corner(int i) const { return {p[i][0], p[i][1], p[i][2]}; }
};

inline TriangleCorners cornersOf(const Vec3& a, const Vec3& b, const Vec3& c) {
  return {{{a.x(), a.y(), a.z()}, {b.x(), b.y(), b.z()}, {c.x(), c.y(), c.z()}}};
}

struct TriangleDistance {
  double distance = 0.0;  ///< exactly 0 when the triangles intersect
  double a[3];            ///< a point of A
  double b[3];            ///< a point of B, `distance` away from it (the same when they intersect)

  Vec3 pointA() const { return {a[0], a[1], a[2]}; }
  Vec3 pointB() const { return {b[0], b[1], b[2]}; }
};

/// Distance of two triangles. The points belong to the triangles, so the distance is never too
/// small; it is too large by rounding at most: some 1e-15 of the size of the pair. Needles, points
/// and coplanar triangles are fine.
TriangleDistance triangleDistance(const TriangleCorners& A, const TriangleCorners& B);

/// The point of a triangle nearest to p.
Vec3 nearestOnTriangle(const TriangleCorners& T, const Vec3& p);

}  // namespace allclear
