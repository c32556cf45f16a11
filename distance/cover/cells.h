#pragma once

#include <vector>

#include "allclear/distance/cover/cut.h"
#include "allclear/distance/fit/surface.h"

namespace allclear::cover {

// A cover of a solid divides space into convex cells, plane by plane.

/// A convex cell, below all its planes, and what of a surface is inside of it.
struct Cell {
  fitting::Surface surface;
  std::vector<fitting::Plane> planes;
};

/// The whole mesh in its box: bounded, so that every cell has corners.
Cell wholeCell(const TriangleMesh& mesh);

/// The part of a cell below a plane. A polygon that reaches below it is clipped. One that lies in
/// the plane goes with one side only. One that merely touches the plane from above leaves nothing:
/// the solid below is bounded by other polygons.
Cell cellBelow(const Cell& cell, const fitting::Plane& plane);

/// Winding number from which a corner of a cell counts as inside: 1 inside a closed surface, 0
/// outside; anything between, near holes and rims, is covered rather than lost.
inline constexpr double kWinds = 0.1;

/// A corner of a cell, and a point beside it, just inside of the cell: where the winding number is
/// taken. (A corner that lies on the surface is among the surface's points already.)
struct CellCorner {
  Vec3 place;
  Vec3 beside;
};
std::vector<CellCorner> cornersOf(const Cell& cell);

}  // namespace allclear::cover
