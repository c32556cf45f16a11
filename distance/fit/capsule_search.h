#pragma once

#include <span>
#include <vector>

#include "allclear/distance/fit/solids.h"

namespace allclear::fitting {

/// Capsule about a set of balls (points: radius 0), while it is searched for.
struct CapsuleFit {
  Segment segment{Vec3::Zero(), Vec3::Zero()};
  double radius = 0.0;

  double volume() const;
};

/// How much work a search may cost.
struct CapsuleSearchEffort {
  int starts = 5;       ///< axes from which the optimiser is run
  int iterations = 60;  ///< of the optimiser, per start
  bool fan = true;      ///< try axes all over the sphere, not only the given and the principal ones
};

/// The best capsule about the balls for a fixed axis direction, roughly: within a few percent.
CapsuleFit roughCapsule(std::span<const Ball> balls, const Vec3& direction);

/// Improves a capsule until no small change of both ends helps; encloses the balls to rounding.
/// Positions must be of unit order (tolerances are absolute).
CapsuleFit refineCapsule(std::span<const Ball> balls, const CapsuleFit& start, int iterations);

/// The best capsule found about the balls. Positions must be of unit order.
CapsuleFit searchCapsule(std::span<const Ball> balls, std::span<const Vec3> axes,
                         const CapsuleSearchEffort& effort);

/// Principal directions of the centres, the longest first; always an orthonormal triple.
Mat3 principalAxes(std::span<const Ball> balls);

/// Indices of points extreme along 2 * `directions` directions all over the sphere, ascending.
std::vector<int> extremePoints(std::span<const Vec3> points, int directions);

/// The i-th of `count` directions spread over a half-sphere.
Vec3 fanDirection(int i, int count);

}  // namespace allclear::fitting
