#pragma once

#include <vector>

#include "allclear/distance/cloud.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/shape.h"

namespace allclear {

// Distances at rest between the solids A of a body and a cloud. All elements of the cloud may be
// displaced as `spread` says (null: not); the ball about the displacements counts for it, which
// only makes the distance smaller.

/// The least signed distance [m] of any of the solids from elements of the node.
double cloudDistance(const std::vector<Geometry>& A, const Pose& X_WA, const Cloud& B,
                     const Pose& X_WO, const Mat3* spread = nullptr, std::int32_t node = 0);

/// The same with its closest points, those of displaced elements.
SignedDistance closestOfCloud(const std::vector<Geometry>& A, const Pose& X_WA, const Cloud& B,
                              const Pose& X_WO, const Mat3* spread = nullptr,
                              std::int32_t node = 0);

/// Whether that is at least `limit` [m]; far cheaper where it is.
bool cloudDistanceAtLeast(const std::vector<Geometry>& A, const Pose& X_WA, const Cloud& B,
                          const Pose& X_WO, double limit, const Mat3* spread = nullptr,
                          std::int32_t node = 0);

}  // namespace allclear
