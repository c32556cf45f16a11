// Cells of a cover, and how planes cut them. The maker of covers (convex_cover.cpp) and the check
// of a cover that comes from elsewhere (cover/enclosure.cpp) cut by the same arithmetic, so that
// what one found inside a piece the other does, too.
#include "allclear/distance/cover/cells.h"

#include <algorithm>

#include "allclear/core/stop_scope.h"

namespace allclear::cover {
namespace {

using fitting::Plane;
using fitting::Surface;

/// Of the size of a cell: how far inside its corner the winding number is taken. Above the rounding
/// of a corner (some 1e-13), below what a cover's error may be.
constexpr double kBeside = 1e-11;

}  // namespace

Cell wholeCell(const TriangleMesh& mesh) {
  Cell whole;
  StopSteps steps;
  for (const Triangle& t : mesh.triangles()) {
    steps.step();
    const Vec3 corners[] = {mesh.vertices()[t[0]], mesh.vertices()[t[1]], mesh.vertices()[t[2]]};
    whole.surface.add(corners);
  }
  Vec3 lower = whole.surface.corners[0], upper = lower;
  for (const Vec3& p : whole.surface.corners) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  for (int i = 0; i < 3; ++i) {
    whole.planes.push_back({Vec3::Unit(i), upper[i]});
    whole.planes.push_back({-Vec3::Unit(i), -lower[i]});
  }
  return whole;
}

Cell cellBelow(const Cell& cell, const Plane& plane) {
  Surface crossing, level;  // to be clipped; in the plane
  double size = 0.0;
  for (const Vec3& p : cell.surface.corners) size = std::max(size, p.cwiseAbs().maxCoeff());
  const double thickness = kThickness * size;
  StopSteps steps;
  for (int i = 0; i < cell.surface.size(); ++i) {
    steps.step();
    const std::span<const Vec3> polygon = cell.surface.polygon(i);
    Heights heights;
    for (const Vec3& p : polygon) heights.add(plane.height(p));
    if (heights.lower < -thickness) {
      crossing.add(polygon);
    } else if (heights.upper <= thickness && belongsBelow(polygon, plane.normal)) {
      level.add(polygon);
    }
  }
  Cell below{crossing.below(plane), cell.planes};
  for (int i = 0; i < level.size(); ++i) below.surface.add(level.polygon(i));
  below.planes.push_back(plane);
  return below;
}

std::vector<CellCorner> cornersOf(const Cell& cell) {
  const std::vector<Vec3> places = fitting::cellCorners(cell.planes);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& place : places) middle += place / static_cast<double>(places.size());
  std::vector<CellCorner> corners;
  for (const Vec3& place : places) corners.push_back({place, place + kBeside * (middle - place)});
  return corners;
}

}  // namespace allclear::cover
