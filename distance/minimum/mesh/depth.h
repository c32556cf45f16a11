#pragma once

#include "allclear/distance/distance_result.h"
#include "allclear/distance/minimum/mesh/motion.h"

namespace allclear::mcd {

/// What is known of the least signed distance of two moving bodies that meet.
struct DeepestInstant {
  double lower = 0.0;  ///< the true motion's signed distance [m] is never below this
  double upper = 0.0;  ///< and not above this at `when`
  TimePoint when;
  SignedDistance there;  ///< world; its `distance` is minus the length of a translation that frees
  int evaluations = 0;
  double motion_error = 0.0;  ///< `MeshMotion::error`, which both bounds contain
};

/// Takes about a dozen signed distances over time, polished about the deepest. `contact`: an
/// instant at which the bodies meet.
DeepestInstant deepestInstant(const MeshMotion& motion, TimePoint contact);

}  // namespace allclear::mcd
