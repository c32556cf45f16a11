#pragma once

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/distance_result.h"

namespace allclear {

/// Result of a smooth signed distance: positive apart, negative in penetration. `gradient` is the
/// derivative of `distance` by both poses (on the current branch of the method), not of the
/// Euclidean distance.
struct SmoothDistance {
  double distance = 0.0;          ///< [m]
  Vec3 witness_A = Vec3::Zero();  ///< world; witness_B - witness_A is parallel to `normal`
  Vec3 witness_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, from A to B: the direction that the method makes smooth
  DistanceGradient gradient;
  bool fallback = false;  ///< the method has no result here: this one is Euclidean or of `kSoft`
  bool tie = false;       ///< another result is as good: the next query may return that one
};

/// The Euclidean distance in this form. `tie` when its normal is not unique.
SmoothDistance asSmooth(const SignedDistance& exact, const Pose& X_WA, const Pose& X_WB);

}  // namespace allclear
