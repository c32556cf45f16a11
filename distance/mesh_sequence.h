#pragma once

#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear {

// A rigid shape A against a mesh B that bends, which stands in the world at X_WO.
//
// Apart, the distance is that to the nearest triangle. Contact is where A, a solid, meets a
// triangle, or is inside of a closed part of B, or (where A is a closed triangle mesh) B inside of
// it. There the distance is negative: minus the depth of A in the convex hull of the few triangles
// (at most `DeformingMesh::kLeaf`) that it is deepest in; of a mesh with closed parts, in the hull
// of all of it. That is a way out, not the shortest one. A triangle mesh A counts as its hull
// there.

/// Brackets min_t distance(A(t), B(t)) over the whole interval of A's curves, their remainders and
/// rounding included, by branch and bound over A's triangles, B's tree and time: both ends are
/// proved. Options and statuses as of `minimumDistance` of two shapes; `options.spread` and
/// `check_unique` are not supported (`unique` stays false). In contact `penetrating` is set,
/// `lower` is what A's size allows, and `upper` the distance at the deepest of a few instants.
/// Throws `InputError` for a half-space and for bad options.
DistanceBracket minimumDistance(const MovingShape& a, const DeformingMesh& B, const Pose& X_WO,
                                const McdOptions& options);

/// The distance at one instant [s].
SignedDistance signedDistance(const Shape& A, const Pose& X_WA, const DeformingMesh& B,
                              const Pose& X_WO, double t);

}  // namespace allclear
