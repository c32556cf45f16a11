// What the hull of some polygons fills.
#include "allclear/distance/cover/group.h"

#include <algorithm>
#include <cmath>

#include "allclear/distance/geometry/convex_hull.h"

namespace allclear::cover {
namespace {

/// An empty area counts as this times its power 3/2: half of a cube over it.
constexpr double kPerArea = 0.5;

Vec3 areaOf(std::span<const Vec3> polygon) {
  Vec3 area = Vec3::Zero();
  for (std::size_t i = 2; i < polygon.size(); ++i) {
    area += 0.5 * (polygon[i - 1] - polygon[0]).cross(polygon[i] - polygon[0]);
  }
  return area;
}

/// The areas of a hull's facets; of a flat one, of its two sides.
std::vector<Vec3> facetAreas(const ConvexHull& hull, const std::vector<Vec3>& corners,
                             const std::vector<Vec3>& rim) {
  if (hull.isFlat()) return {areaOf(rim), -areaOf(rim)};
  std::vector<Vec3> areas;
  for (const Triangle& t : hull.facets) {
    const Vec3 facet[] = {corners[t[0]], corners[t[1]], corners[t[2]]};
    areas.push_back(areaOf(facet));
  }
  return areas;
}

}  // namespace

Group::Group(fitting::Surface s) : surface(std::move(s)) { enclose(surface.corners); }

Group::Group(const Group& a, const Group& b) : surface(a.surface) {
  for (int i = 0; i < b.surface.size(); ++i) surface.add(b.surface.polygon(i));
  std::vector<Vec3> corners = a.hull;
  corners.insert(corners.end(), b.hull.begin(), b.hull.end());
  enclose(corners);
}

void Group::enclose(const std::vector<Vec3>& corners) {
  const ConvexHull found = convexHull(corners);
  for (int i : found.vertices) hull.push_back(corners[i]);
  for (const Vec3& p : hull) box.add(p);
  const std::vector<Vec3> facets = facetAreas(found, corners, hull);
  const Vec3 n = std::max_element(facets.begin(), facets.end(), [](const Vec3& a, const Vec3& b) {
                   return a.squaredNorm() < b.squaredNorm();
                 })->normalized();
  // Along n the hull shows half of what its facets show, as each line passes two of them.
  double shown = 0.0, front = 0.0, back = 0.0;
  for (const Vec3& facet : facets) shown += 0.5 * std::abs(facet.dot(n));
  // The two sides of a thin wall show the same area: the larger counts, not the sum.
  for (int i = 0; i < surface.size(); ++i) {
    const double area = areaOf(surface.polygon(i)).dot(n);
    (area > 0.0 ? front : back) += std::abs(area);
  }
  filled = found.volume + kPerArea * std::pow(std::max(0.0, shown - std::max(front, back)), 1.5);
}

}  // namespace allclear::cover
