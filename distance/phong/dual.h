#pragma once

#include "allclear/distance/phong/options.h"
#include "allclear/distance/phong/state.h"
#include "allclear/distance/phong/surface.h"
#include "allclear/distance/soft/result.h"

namespace allclear {

/// Smooth signed distance of two meshes: two surface points a, b of which the Phong normals are
/// opposite to each other and along b - a; the distance is (b - a) along A's normal. Found by a
/// Newton walk over both meshes from the state's points or, without a valid state, from the
/// Euclidean witnesses.
///
/// Given out only when its sign is proven to be that of the Euclidean distance d and it is at most
/// 1.6 |d| + 0.05 of the smaller body's size (how this is known: `phong::PairMemory`); else the
/// Euclidean answer, flagged `fallback`. Where there is no continuous answer (on the axis of a
/// torus's hole, in the centre of a ball) it jumps like every other method: `tie` or `fallback` say
/// so.
///
/// Facets' corners may meet a little before the smooth normals say so. Where the bodies meet at a
/// solution that is less than 0.01 of the size apart, the value is given out lowered, as less than
/// 0, with its own gradient, until it is below -0.02 of the size (from where on it is the distance
/// of the two points again) or the bodies are apart.
///
/// With `state->frozen` the two facets of the state are kept as long as the solution is near them,
/// the state stays as it is and only the sign is not looked at: the value is then one smooth
/// function of the poses, of which the gradient is exact (implicit function theorem).
/// `options.smoothing` as in `SmoothOptions`; `options.method` is not looked at. `state` may be
/// null.
SmoothDistance dualPhongDistance(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                 const Pose& X_WB, const SmoothOptions& options,
                                 SmoothState* state);

}  // namespace allclear
