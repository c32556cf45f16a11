#pragma once

#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A point of the shape farthest along `direction_G` (not zero, any length), in G. Pre: bounded
/// and convex, or a triangle mesh (then of its convex hull); not a half-space.
Vec3 support(const Shape& shape, const Vec3& direction_G);

/// The support function h(d) = max over the shape of d.p, with d = `direction_G`. +infinity for a
/// half-space in any direction but its normal.
double supportValue(const Shape& shape, const Vec3& direction_G);

}  // namespace allclear
