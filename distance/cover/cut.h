#pragma once

#include <optional>
#include <span>
#include <vector>

#include "allclear/distance/fit/surface.h"

namespace allclear::cover {

// Where a convex cover may cut a surface. Internal: not for users' code.

inline constexpr double kThickness = 1e-12;  ///< of the size: as near to a plane counts as in it

/// Lowest and highest corner above a plane.
struct Heights {
  double lower = std::numeric_limits<double>::infinity();
  double upper = -std::numeric_limits<double>::infinity();
  void add(double height) {
    lower = std::min(lower, height);
    upper = std::max(upper, height);
  }
};

/// Whether a facet in a plane goes with what is below it: by its normal that is where the solid is;
/// without area, by a rule that is the other way round for the flipped plane.
bool belongsBelow(std::span<const Vec3> facet, const Vec3& plane_normal);

/// A cut along one plane, or along two parallel ones: what is between two knobs shows its worth
/// only when both are cut off.
struct Cut {
  fitting::Plane plane;
  std::optional<double> second_offset;  ///< above that of the plane
  double score = 0.0;                   ///< what is left: the less the better
};

/// The mesh's axes and, where they differ, the principal axes of the corners.
std::vector<Vec3> cutAxes(const fitting::Surface& surface);

/// Cuts across those, judged by what the boxes of their sides hold.
std::vector<Cut> scoredCuts(const fitting::Surface& surface);

}  // namespace allclear::cover
