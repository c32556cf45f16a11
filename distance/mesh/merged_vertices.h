#pragma once

#include <vector>

#include "allclear/core/types.h"

namespace allclear::mesh {

/// For each vertex the number of the first vertex at the same place (0 and -0 are one).
/// O(vertices).
std::vector<int> mergedVertices(const std::vector<Vec3>& vertices);

}  // namespace allclear::mesh
