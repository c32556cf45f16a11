#pragma once

#include <span>
#include <vector>

#include "allclear/core/types.h"

namespace allclear::fitting {

/// Indices, ascending, of the points that are extreme along `directions` axes all over the sphere,
/// in both senses.
std::vector<int> extremePoints(std::span<const Vec3> points, int directions);

/// The i-th of `count` directions spread over a half-sphere.
Vec3 fanDirection(int i, int count);

}  // namespace allclear::fitting
