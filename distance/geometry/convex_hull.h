#pragma once

#include <span>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// The convex hull of points, as indices into them.
///
/// Rounding: an input point may lie outside of the hull by about 1e-13 of the points' extent.
struct ConvexHull {
  std::vector<int> vertices;     ///< one of equal points; in order around the rim when flat
  std::vector<Triangle> facets;  ///< outward normals; empty when the points are flat
  double volume = 0.0;           ///< [m^3]; 0 when the points are flat

  bool isFlat() const { return facets.empty(); }
};

/// Accepts any finite points: none, one, equal, collinear or coplanar ones. Points within 1e-10 of
/// their extent from a common plane count as flat; then `vertices` are the corners of the flat
/// hull.
ConvexHull convexHull(std::span<const Vec3> points);

/// Hull of points in a plane (to 1e-12 of their size): its corners in order, counterclockwise seen
/// against `normal`. Two ends for points on a line, one for a single place.
struct PlanarHull {
  std::vector<int> corners;  ///< indices into the points given
  Vec3 normal = Vec3::UnitZ();
};
PlanarHull planarHull(const std::vector<Vec3>& points);

}  // namespace allclear
