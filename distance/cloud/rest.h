#pragma once

#include "allclear/distance/cloud/element.h"

namespace allclear::cloud {

/// The least distance of a convex shape from elements of a node, both at rest: the nearest below
/// `ceiling` [m], or an infinite distance where there is none. Elements at `ceiling` or beyond are
/// not told apart. With `any` the first that is found below it is enough. Pre: not a triangle mesh.
tree::Nearest restDistance(const tree::RigidShape& shape, const Pose& X_WA, const Cloud& cloud,
                           const Pose& X_WO, std::int32_t node, double ceiling, bool any);

}  // namespace allclear::cloud
