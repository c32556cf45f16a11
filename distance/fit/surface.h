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

/// A set of convex polygons: polygon i has the corners from corners[first[i]] up to
/// corners[first[i + 1]].
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

/// Solids as surfaces, which planes can cut, and pieces that are kept whole.
struct CuttableSolids {
  Surface closed;               ///< bounds solids, corners counter-clockwise from outside
  Surface open;                 ///< surfaces without an inside
  std::vector<Geometry> whole;  ///< balls, capsules and ellipsoids
};

/// The solids of all shapes. Cylinders and cones become circumscribed prisms and pyramids with 64
/// sides (0.12 % wider).
CuttableSolids cuttableSolids(std::span<const Geometry> solids);

/// How often the closed surface winds about p: about 1 inside, about 0 outside.
double windingNumber(const Surface& closed, const Vec3& p);

/// Corners of the convex cell below all planes; none of an unbounded cell without corners.
std::vector<Vec3> cellCorners(std::span<const Plane> planes);

}  // namespace allclear::fitting
