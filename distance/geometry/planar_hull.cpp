// The corners of a flat convex polygon, by gift wrapping: few points, and no sort by angles, whose
// ties collinear points would decide by rounding.

#include "allclear/distance/geometry/convex_hull.h"

namespace allclear {
namespace {

/// Of the points' size: lengths, and the sine of an angle, that count as zero.
constexpr double kFlat = 1e-12;

/// Index of the point of the largest measure, the first of equals.
int farthestFrom(const std::vector<Vec3>& points, const auto& measure) {
  int best = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (measure(points[i]) > measure(points[best])) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace

PlanarHull planarHull(const std::vector<Vec3>& points) {
  PlanarHull hull;
  // The point `a` farthest from any is a corner; with b, farthest from a, and c, farthest off the
  // line of both, it spans the plane.
  const Vec3& o = points[0];
  const int a = farthestFrom(points, [&](const Vec3& p) { return (p - o).squaredNorm(); });
  const Vec3& from = points[a];
  const int b = farthestFrom(points, [&](const Vec3& p) { return (p - from).squaredNorm(); });
  hull.corners = {a};
  const Vec3 x = points[b] - from;
  const double size = x.norm();
  if (size == 0.0) return hull;
  const int c =
      farthestFrom(points, [&](const Vec3& p) { return x.cross(p - from).squaredNorm(); });
  const Vec3 n = x.cross(points[c] - from);
  if (n.norm() <= kFlat * size * size) {
    hull.corners = {a, b};
    return hull;
  }
  hull.normal = n.normalized();
  // Gift wrapping: from one corner to the next, the one that leaves all others on the left. Of
  // points in one direction the farthest: those between are no corners.
  for (int at = a;;) {
    int next = -1;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 w = points[i] - points[at];
      if (w.norm() <= kFlat * size) continue;
      if (next < 0) {
        next = static_cast<int>(i);
        continue;
      }
      const Vec3 best = points[next] - points[at];
      const double turn = hull.normal.dot(best.cross(w));
      const double level = kFlat * best.norm() * w.norm();
      if (turn < -level || (turn <= level && w.norm() > best.norm())) next = static_cast<int>(i);
    }
    if ((points[next] - from).norm() <= kFlat * size) break;
    // Rounding kept the loop from closing at `a`: the points are all but on a line.
    if (hull.corners.size() > points.size()) return {{a, b}, hull.normal};
    hull.corners.push_back(next);
    at = next;
  }
  return hull;
}

}  // namespace allclear
