#pragma once

#include "allclear/distance/soft/body.h"
#include "allclear/distance/soft/pair.h"
#include "allclear/distance/soft/result.h"

namespace allclear {

/// As small as the rounding of the sums leaves it.
inline constexpr double kNegligibleShare = 1e-12;

/// A smooth signed distance. Along a unit normal n two convex solids leave the gap
/// d(n) = -h_A(n) - h_B(-n), h their support functions, and their distance is max d(n). The smooth
/// one is
///   softness * log(mean over k of exp(d_k / softness)),   d_k = -g_A(n_k) - g_B(-n_k)
/// over K fixed directions n_k (a fan of A's, the normals of the faces of both), with supports g
/// softened by half of the softness. All derivatives exist, except where negligible terms drop out:
/// those that add up to less than `negligible_share` of all. The gradient is exact but for that.
///
/// Never above the distance: g >= h, and a mean does not exceed its largest term. Below it by about
/// 7 times the softness, and by what the nearest direction of the fan loses (10 degrees between
/// neighbours). Between bodies of several pieces: the soft minimum over pairs of pieces, never
/// above the least of their distances; so > 0 only where the bodies are apart.
///
/// `tie`: the derivative by translation is shorter than 1/2: directions far apart compete.
/// `fallback`: two half-spaces. Pre: softness > 0 [m].
SmoothDistance softDistance(const SoftBody& A, const Pose& X_WA, const SoftBody& B,
                            const Pose& X_WB, double softness, SoftWorkspace* workspace,
                            double negligible_share = kNegligibleShare);

/// The same with buffers of its own, which it allocates.
SmoothDistance softDistance(const SoftBody& A, const Pose& X_WA, const SoftBody& B,
                            const Pose& X_WB, double softness);

}  // namespace allclear
