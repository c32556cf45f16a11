#pragma once

#include "allclear/distance/mesh/bvh.h"

namespace allclear::mesh {

/// A point, and a direction, as the kernels below take them.
struct CoarsePoint {
  float p[3];
  float slop;  ///< room for all roundings [m]
};
/// For volumes within `reach` of the origin.
CoarsePoint coarsePoint(const Vec3& p, double reach);

/// Bit i: the ray from p along the unit vector `u` may pass child i.
unsigned childrenAlong(const MeshNode& node, const CoarsePoint& p, const float* u);

/// Lower bounds of the distances from p to the children, by their balls and boxes.
void childrenBeyond(const MeshNode& node, const CoarsePoint& p, float* lower);

}  // namespace allclear::mesh
