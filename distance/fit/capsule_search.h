#pragma once

#include <span>
#include <vector>

#include "allclear/distance/fit/extreme_points.h"
#include "allclear/distance/fit/solids.h"

namespace allclear::fitting {

/// A capsule about a set of balls (points: radius 0) during the search.
struct CapsuleFit {
  Segment segment{Vec3::Zero(), Vec3::Zero()};
  double radius = 0.0;

  double volume() const;
};

/// How much work a search may cost.
struct CapsuleSearchEffort {
  int starts = 5;       ///< axes from which the optimiser is run
  int iterations = 60;  ///< of the optimiser, per start
  bool fan = true;      ///< tries axes all over the sphere besides the given and the principal ones
};

/// Nearly the best capsule about the balls for a fixed axis direction: within a few percent.
CapsuleFit roughCapsule(std::span<const Ball> balls, const Vec3& direction);

/// Improves a capsule until no small change of its ends helps. Encloses the balls to rounding.
/// Positions must be of unit order (tolerances are absolute).
CapsuleFit refineCapsule(std::span<const Ball> balls, const CapsuleFit& start, int iterations);

/// The best capsule found about the balls. Positions must be of unit order.
CapsuleFit searchCapsule(std::span<const Ball> balls, std::span<const Vec3> axes,
                         const CapsuleSearchEffort& effort);

/// Principal directions of the centres, the longest first: an orthonormal triple, maybe
/// left-handed.
Mat3 principalAxes(std::span<const Ball> balls);

}  // namespace allclear::fitting
