#pragma once

#include <span>
#include <vector>

#include "allclear/distance/minimum/convex/convex.h"

namespace allclear::mcd {

/// A corner of a convex mesh (an index of its `PointCloud`), and while it is the lowest.
struct LowestCorner {
  int corner = 0;
  int cell = 0;
  Interval time;
  /// The distance while it is the lowest, as a polynomial: Bernstein coefficients over `time`.
  std::array<double, BodyCurve::kDegree + 1> distance{};
};

/// The sequence of the lowest corners of a moving convex mesh above a half-space at rest, in order
/// of time: the whole distance as a function. A corner is held while no neighbour is lower by more
/// than `tolerance` [m].
///
/// About as many corners as the mesh has along the path of its way down, some sqrt(n): for the
/// minimum alone `minimumDistance` is faster.
std::vector<LowestCorner> lowestCorners(std::span<const ConvexCurve> plane,
                                        std::span<const ConvexCurve> mesh,
                                        double tolerance = 1e-12);

}  // namespace allclear::mcd
