#pragma once

#include <span>
#include <vector>

#include "allclear/distance/cloud.h"
#include "allclear/planner/clearance/evaluator.h"

namespace allclear {

// Distances of the robot's solids to a part of a cloud (`Obstacle::cloud`). Where the cloud may be
// displaced, the ball about the displacements counts: the witness on the cloud is moved towards the
// robot by its radius.

/// Lowers `best` to the least distance over the curves' time. `tolerance`, `refine` and `spread` of
/// the options count; beyond the demand of `best` a fifth of the rest may be left open, so that
/// what is above it, or not, is told to the tolerance.
void measureCloud(const std::vector<Geometry>& solids, std::span<const BodyCurve> curves,
                  const MovingCloud& cloud, McdOptions options, Clearance* best);

/// Lowers `least` (distance - demand) and `worst`, of pair number `pair`, to those at rest.
void measureCloudAtRest(const std::vector<Geometry>& solids, const Pose& X_WA, const Cloud& cloud,
                        std::int32_t node, const Pose& X_WO, const Mat3* spread, int pair,
                        double demand, double* least, Clearance* worst);

}  // namespace allclear
