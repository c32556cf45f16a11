#pragma once

#include <optional>
#include <vector>

#include "allclear/distance/ellipsoid_pair.h"
#include "allclear/distance/soft/result.h"

namespace allclear {

/// A body of one solid that is a sphere or an ellipsoid, as an ellipsoid in the body's frame;
/// nothing for other bodies.
std::optional<PosedEllipsoid> asEllipsoid(const std::vector<Geometry>& solids);

/// A smooth signed distance of two such bodies: (gauge^2 - 1) / 2 times the sum of their largest
/// radii. Smooth everywhere but for spheres of the same centre and the like, where its gradient is
/// 0: also deep inside, where the Euclidean normal jumps.
///
/// Positive exactly where the bodies are apart, and never below the distance there: a demand for
/// this value asks for no more room than one for the distance. Poses of the bodies' frames.
SmoothDistance gaugeDistance(const PosedEllipsoid& A, const Pose& X_WA, const PosedEllipsoid& B,
                             const Pose& X_WB);

}  // namespace allclear
