#pragma once

#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/shape.h"

namespace allclear {

struct DistanceOptions {
  /// [m] The result may be too small by this; `gap` says by how much at most. 0: to rounding. Where
  /// a curved shape overlaps a polytope it asks for a proof: `gap` is then within it, and without
  /// it far coarser than the error. It changes the time by a fifth or so, either way; pairs in
  /// closed form, two curved shapes and triangle meshes take no notice. Witnesses may be off their
  /// surfaces by the root of tolerance times size.
  double tolerance = 0.0;
  /// Null, or B may be displaced by any vector e with n.e <= sqrt(n' K n) for all n: an ellipsoid,
  /// flat where the symmetric matrix K [m^2, world] has eigenvalues 0. The result is then that of
  /// all of B's places together, the Minkowski sum, for convex shapes exactly; with a triangle mesh
  /// the displacements count as the ball about them, which gives smaller distances. `witness_B` is
  /// a point of B displaced. Borrowed for the call.
  const Mat3* spread = nullptr;
};

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
                              DistanceCache* cache = nullptr, const DistanceOptions& options = {});

/// The least signed distance of any solid of body A to any of body B, the bodies at the world poses
/// given; infinite where one has no solids, NaN where a distance is. `spread` as in
/// `DistanceOptions`.
double leastSignedDistance(const std::vector<Geometry>& A, const Pose& X_WA,
                           const std::vector<Geometry>& B, const Pose& X_WB,
                           const Mat3* spread = nullptr);

/// Whether the signed distance is at least `limit` [m]; cheaper than computing it. Distances within
/// rounding (1e-14 of the size of the pair) of the limit may go either way. `spread` as in
/// `DistanceOptions`.
bool distanceAtLeast(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                     double limit, DistanceCache* cache = nullptr, const Mat3* spread = nullptr);

}  // namespace allclear
