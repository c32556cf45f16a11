#pragma once

#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/convex/normal_refinement.h"

namespace allclear {

/// The depth of two cores, as a lower and an upper bound of their signed distance.
struct PenetrationResult {
  NormalCandidate best;  ///< `-best.separation` is the depth of the cores
  double upper = 0.0;    ///< signed distance of the cores is proven to be at most this
  bool converged = true;
  bool has_contact = false;  ///< then `contact` is that of `best`
  SupportContact contact;
};

/// Depth of overlapping (or touching) cores: the maximum over unit n of separation(n), which has
/// many local maxima. Expands a polytope inside the Minkowski difference (van den Bergen's EPA),
/// whose faces bound what any direction can still give, and refines the best directions to
/// rounding. `r`: the result of the GJK run that found the overlap.
///
/// `tolerance` > 0 [m]: ends once the whole bracket is that narrow. Else, of curved cores, once the
/// best direction is exact; the bracket is then coarser.
PenetrationResult searchPenetration(const CorePair& pair, const GjkResult& r,
                                    double tolerance = 0.0);

}  // namespace allclear
