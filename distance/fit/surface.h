#pragma once

#include <span>
#include <vector>

#include "allclear/distance/fit/solids.h"

namespace allclear::fitting {

/// Points x with normal . x <= offset are below.
struct Plane {
  Vec3 normal;
  double offset;

  double height(const Vec3& p) const { return normal.dot(p) - offset; }
  Plane flipped() const { return {-normal, -offset}; }
};

/// Convex polygons in a row: polygon i has corners[first[i]] up to corners[first[i + 1]].
struct Surface {
  std::vector<Vec3> corners;
  std::vector<int> first{0};

  int size() const { return static_cast<int>(first.size()) - 1; }
  std::span<const Vec3> polygon(int i) const {
    return std::span(corners).subspan(first[i], first[i + 1] - first[i]);
  }
  void add(std::span<const Vec3> polygon);

  /// The part below the plane. The part below the flipped plane has the same new corners, to
  /// rounding.
  Surface below(const Plane& plane) const;
};

/// Solids as what can be cut by planes, and what is kept whole.
struct Cuttable {
  Surface closed;               ///< bounds solids, corners counter-clockwise from outside
  Surface open;                 ///< without inside
  std::vector<Geometry> whole;  ///< balls, capsules and ellipsoids
};

/// Cylinders and cones become circumscribed prisms and pyramids with 64 sides (0.12 % wider).
Cuttable cuttable(std::span<const Geometry> solids);

/// How often the closed surface winds about p: near 1 inside, near 0 outside.
double windingNumber(const Surface& closed, const Vec3& p);

/// Corners of the convex cell below all planes.
std::vector<Vec3> cellCorners(std::span<const Plane> planes);

}  // namespace allclear::fitting
