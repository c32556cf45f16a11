#pragma once

#include <limits>

#include "allclear/distance/cloud.h"
#include "allclear/distance/minimum/tree/result.h"
#include "allclear/distance/minimum/tree/rigid_shape.h"

namespace allclear::cloud {

/// In O, without the radius, about a node's elements; ~i: about element i.
AlignedBox boxOf(const Cloud& cloud, std::int32_t node);

/// The distance itself is asked for.
inline constexpr double kExact = std::numeric_limits<double>::quiet_NaN();

/// Measures a core or a triangle against element `i`, in any frame F; `guess`: of the direction
/// from A to B, or zero. Poses may be off from rotations as those of curves are; while the two are
/// apart a and b are points of both bodies all the same, so that the distance occurs. Of a triangle
/// that meets the element's middle the distance is at most 0, and no depth. With `enough` [m] the
/// distance may be any upper bound that is on the same side of it (below, or not) as the true one.
/// Pre: the part is no volume.
tree::Nearest elementDistance(const tree::RigidShape& shape, const tree::RigidPart& part,
                              const Pose& X_FG, const Cloud& cloud, std::int32_t i,
                              const Pose& X_FO, const Vec3& guess = Vec3::Zero(),
                              double enough = kExact);

}  // namespace allclear::cloud
