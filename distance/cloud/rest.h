#pragma once

#include "allclear/distance/cloud/element.h"

namespace allclear::cloud {

/// The nearest element of a node to a convex shape, both at rest. Pre: not a triangle mesh.
tree::Nearest restDistance(const tree::RigidShape& shape, const Pose& X_WA, const Cloud& cloud,
                           const Pose& X_WO, std::int32_t node);

/// How many of the limits `low` <= `high` [m] that distance is at least: 0, 1 or 2. Both cost
/// little more than one of them. Pre: not a triangle mesh.
int limitsKept(const tree::RigidShape& shape, const Pose& X_WA, const Cloud& cloud,
               const Pose& X_WO, std::int32_t node, double low, double high);

}  // namespace allclear::cloud
