#pragma once

#include "allclear/core/pose.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Signed distance of the shapes A and B at the world poses given. Sphere, capsule, box, cylinder,
/// cone, ellipsoid, half-space and convex mesh with each other, and triangle meshes with all of
/// these. (A pair with a triangle mesh ignores `cache`; `signedMeshDistance` in mesh_depth/depth.h
/// has one that helps it.)
///
/// Error, relative to the size of the pair: 1e-12 between sphere, capsule, box and half-space, and
/// of a sphere with every primitive; 1e-8 otherwise. Never fails on valid shapes and finite poses.
/// Two half-spaces overlap without bound: -infinity, except when their normals are opposite (to
/// 1e-12): then the gap between the planes.
SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                              DistanceCache* cache = nullptr);

/// Whether the signed distance is at least `limit` [m]; cheaper than computing it. Distances within
/// rounding (1e-14 of the size of the pair) of the limit may go either way.
bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                     double limit, DistanceCache* cache = nullptr);

}  // namespace allclear
