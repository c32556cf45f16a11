#pragma once

#include <span>
#include <vector>

#include "allclear/distance/minimum_distance.h"
#include "allclear/planner/clearance/evaluator.h"

namespace allclear {

// Distances to an obstacle that bends (`Obstacle::deforming`): of the robot's solids from the exact
// surface (distance/deforming_mesh.h).

/// Lowers `best` to the least distance over the curves' time. `tolerance` and `refine` of the
/// options count.
void measureDeforming(const std::vector<Geometry>& solids, std::span<const BodyCurve> curves,
                      const Obstacle& obstacle, McdOptions options, Clearance* best);

/// Lowers `least` (distance - demand) and `worst`, of pair number `pair`, to those at t.
void measureDeformingAtRest(const std::vector<Geometry>& solids, const Pose& X_WA,
                            const Obstacle& obstacle, double t, int pair, double demand,
                            double* least, Clearance* worst);

}  // namespace allclear
