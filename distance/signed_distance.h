#pragma once

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Signed distance of two solids A and B: the gap when they are apart, minus the length of
/// the shortest translation of B that separates them when they overlap. Metres, world frame.
///
/// Always `witness_B - witness_A = distance * normal`; moving B by `-distance * normal` makes the
/// two touch. In separation the witnesses are the closest points; in penetration they are the
/// points that touch after B has moved by `-distance * normal`.
struct SignedDistance {
  double distance = 0.0;
  Vec3 witness_A = Vec3::Zero();  ///< on the surface of A
  Vec3 witness_B = Vec3::Zero();  ///< on the surface of B
  Vec3 normal = Vec3::UnitZ();    ///< unit, from A to B
  bool unique_normal = true;   ///< no other normal gives the same distance (to about 1e-9 of size)
  bool unique_witness = true;  ///< the witnesses are the only ones (no parallel faces or edges)
  /// The true distance is at most `distance + gap` (to rounding); `distance` itself is never above
  /// the true one, because `normal` is a separating direction with exactly that much room. In
  /// separation the gap is at rounding level; in penetration of curved shapes it is what the search
  /// has proven about every other direction, and far coarser than the error of `distance`.
  double gap = 0.0;
  bool converged = true;  ///< false when an iteration limit was met: `distance`..`+gap` still hold

  bool unique() const { return unique_normal && unique_witness; }
};

/// What one query of a pair leaves for the next one of the same pair; start with a fresh one.
struct DistanceCache {
  Vec3 direction = Vec3::Zero();  ///< the last normal, in the frame of one of the shapes
  bool valid = false;
};

/// Signed distance of the shapes A and B at the world poses given. Sphere, capsule, box, cylinder,
/// cone, ellipsoid, half-space and convex mesh with each other, and triangle meshes with all of
/// these by way of `signedMeshDistance`, which takes the cache that helps it (mesh_depth.h).
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

/// A point of the shape farthest along `direction_G` (not zero, any length), in G. Pre: bounded
/// and convex, or a triangle mesh (then of its convex hull); not a half-space.
Vec3 support(const Shape& shape, const Vec3& direction_G);

/// `direction_G` times that point: the support function; +infinity for a half-space in any
/// direction but its normal.
double supportValue(const Shape& shape, const Vec3& direction_G);

/// First derivative of the distance when A and B move rigidly: the frame of A by the translation
/// dx_A and the small rotation dr_A about its own origin, world axes, and B likewise.
///   d(distance) = translation_A.dx_A + rotation_A.dr_A + translation_B.dx_B + rotation_B.dr_B
struct DistanceGradient {
  Vec3 translation_A = Vec3::Zero();
  Vec3 rotation_A = Vec3::Zero();
  Vec3 translation_B = Vec3::Zero();
  Vec3 rotation_B = Vec3::Zero();
};

/// The gradient at the poses of the query that gave `result`. Where `result.unique()` it is the
/// derivative; elsewhere one of the generalised ones.
DistanceGradient distanceGradient(const SignedDistance& result, const Pose& X_WA, const Pose& X_WB);

}  // namespace allclear
