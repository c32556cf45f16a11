#pragma once

#include <cmath>
#include <vector>

#include "allclear/distance/fit/surface.h"

namespace allclear::cover {

/// A box along the axes, empty at first.
struct PieceBox {
  Vec3 lower = Vec3::Constant(HUGE_VAL), upper = Vec3::Constant(-HUGE_VAL);

  void add(const Vec3& p) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  double gap(const PieceBox& other) const {
    return (lower - other.upper).cwiseMax(other.lower - upper).cwiseMax(0.0).norm();
  }
  Vec3 size() const { return upper - lower; }
};

/// Polygons of a surface and their convex hull: a piece of a shell's cover, and how much the hull
/// adds to the polygons.
struct Group {
  fitting::Surface surface;
  std::vector<Vec3> hull;  ///< its corners
  PieceBox box;
  /// [m^3] The volume of the hull and, as flat hulls have none, half of the power 3/2 of the area
  /// that the hull shows in its broadest direction beyond the polygons: a window in a wall.
  double filled = 0.0;

  explicit Group(fitting::Surface surface);
  Group(const Group& a, const Group& b);  ///< of the polygons of both

 private:
  void enclose(const std::vector<Vec3>& corners);
};

}  // namespace allclear::cover
