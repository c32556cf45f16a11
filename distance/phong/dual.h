#pragma once

#include "allclear/distance/phong/options.h"
#include "allclear/distance/phong/state.h"
#include "allclear/distance/phong/surface.h"
#include "allclear/distance/soft/result.h"

namespace allclear {

/// Smooth signed distance of two meshes: two surface points a, b whose Phong normals are opposite
/// to each other and parallel to b - a; the distance is (b - a) along A's normal. A Newton walk
/// over both meshes finds them, from the state's points or, without a valid state, from the
/// Euclidean witnesses.
///
/// Returned only when its sign is proven to be that of the Euclidean distance d, and when it is at
/// most 1.6 |d| + 0.05 of the smaller body's size (`phong::PairMemory` says how this is known);
/// else the Euclidean distance, flagged `fallback`. Where no continuous distance exists (on the
/// axis of a torus's hole, in the centre of a ball) it jumps like every other method, and sets
/// `tie` or `fallback`.
///
/// The corners of facets may meet a little before the smooth normals say so. Where the bodies
/// overlap at a solution that is less than 0.01 of the size apart, the value is lowered below 0,
/// together with its gradient, until it is below -0.02 of the size (from there on it is the
/// distance of the two points again) or the bodies are apart.
///
/// With `state->frozen` the query keeps the two facets of the state as long as the solution is near
/// them, leaves the state unchanged and does not check the sign: the value is then one smooth
/// function of the poses, and the gradient is exact (implicit function theorem). Ignores
/// `options.method`. `state` may be null.
SmoothDistance dualPhongDistance(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                 const Pose& X_WB, const SmoothOptions& options,
                                 SmoothState* state);

}  // namespace allclear
