#pragma once

#include "allclear/distance/mesh/bvh.h"

namespace allclear::mesh {

/// A point in single precision, with room for its own and the kernels' roundings.
struct CoarsePoint {
  float p[3];
  float slop;  ///< room for all roundings [m]
};
/// For volumes within `reach` of the origin.
CoarsePoint coarsePoint(const Vec3& p, double reach);

/// Bit i: the ray from p along the unit vector `u` may pass the ball of child i.
unsigned childrenAlong(const MeshNode& node, const CoarsePoint& p, const float* u);

/// Lower bounds of the distances from p to the children: of ball and box the larger.
void childrenBeyond(const MeshNode& node, const CoarsePoint& p, float* lower);

}  // namespace allclear::mesh
