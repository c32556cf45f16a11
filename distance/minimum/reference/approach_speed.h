#pragma once

#include "allclear/distance/minimum/capsule/motion.h"
#include "allclear/distance/minimum/convex/convex.h"

namespace allclear {

/// Bound, over the cell, of how fast [m per unit of s] the axes approach along unit `normal` (from
/// A to B): max_s [max_i normal.a_i' - min_j normal.b_j'], negative when they recede throughout;
/// with `backward` the same for time running backward.
double capsuleApproach(const CapsuleCurve& a, const CapsuleCurve& b, const Vec3& normal,
                       bool backward);

namespace mcd {

/// How fast [m/s] the room along the normal of `from` can shrink in the cell, forward or backward
/// in time: the directional motion bound of conservative advancement.
double approachSpeed(const CapsuleMotion& motion, int cell, const Instant& from, bool backward);
double approachSpeed(const ConvexMotion& motion, int cell, const Instant& from, bool backward);

/// No distance is below this.
double distanceFloor(const CapsuleMotion& motion);
double distanceFloor(const ConvexMotion& motion);

}  // namespace mcd
}  // namespace allclear
