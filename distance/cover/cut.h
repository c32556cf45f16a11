#pragma once

#include <optional>
#include <span>
#include <vector>

#include "allclear/distance/fit/surface.h"

namespace allclear::cover {

// Where a convex cover may cut a surface.

/// Of the surface's size: corners this near to a plane count as in it. Cutting makes corners on the
/// plane that are right to a few roundings (1e-16 of the size).
inline constexpr double kThickness = 1e-12;

/// Heights of the lowest and the highest corner above a plane.
struct Heights {
  double lower = std::numeric_limits<double>::infinity();
  double upper = -std::numeric_limits<double>::infinity();
  void add(double height) {
    lower = std::min(lower, height);
    upper = std::max(upper, height);
  }
};

/// Whether a facet that lies in a plane belongs to the part below the plane: by its normal, that is
/// the side where the solid is. A facet without area follows a rule that gives the opposite answer
/// for the flipped plane, so that it belongs to exactly one side.
bool belongsBelow(std::span<const Vec3> facet, const Vec3& plane_normal);

/// A cut along one plane, or along two parallel ones: where two knobs stick out, cutting off one
/// may gain nothing as long as the other is left.
struct Cut {
  fitting::Plane plane;
  std::optional<double> second_offset;  ///< of the second plane, above the first
  double score = 0.0;                   ///< estimated volume that is left: less is better
};

/// Directions to cut across: the mesh's axes and, where they differ, the principal axes of its
/// corners.
std::vector<Vec3> cutAxes(const fitting::Surface& surface);

/// Cuts across these directions, scored by the volume of boxes about their sides.
std::vector<Cut> scoredCuts(const fitting::Surface& surface);

}  // namespace allclear::cover
