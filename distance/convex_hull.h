#pragma once

#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// Convex hull of a point set, as its corners and the graph of its (triangulated) faces.
struct ConvexHull {
  std::vector<int> corners;              ///< indices into the points given
  std::vector<std::array<int, 3>> faces;  ///< indices into `corners`, counterclockwise from outside
};

/// Hull by quickhull, O(n log n) on usual sets. Points within about 1e-15 of the size of the set of
/// the hull may be left out. Empty when the points are flat (in a plane, line or point, to 1e-12 of
/// their size) or rounding defeats it: callers then use all points.
/// Pre: finite, at least one.
ConvexHull convexHull(const std::vector<Vec3>& points);

/// Hull of points in a plane (to 1e-12 of their size): its corners in order, counterclockwise seen
/// against `normal`. Two ends for points on a line, one for a single place.
struct PlanarHull {
  std::vector<int> corners;  ///< indices into the points given
  Vec3 normal = Vec3::UnitZ();
};
PlanarHull planarHull(const std::vector<Vec3>& points);

}  // namespace allclear
