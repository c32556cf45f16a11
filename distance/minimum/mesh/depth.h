#pragma once

#include "allclear/distance/distance_result.h"
#include "allclear/distance/minimum/mesh/motion.h"

namespace allclear::mcd {

/// What is known of the least signed distance of two moving bodies that meet.
struct DeepestInstant {
  double lower = 0.0;  ///< the signed distance of the true motion is never below this
  double upper = 0.0;  ///< and not above this at `when`
  TimePoint when;
  SignedDistance there;  ///< world; its `distance` is minus the length of a translation that frees
  int evaluations = 0;
  double motion_error = 0.0;  ///< `MeshMotion::error`, which both bounds contain
};

/// By few signed distances over time, polished about the deepest. `contact`: where the bodies meet.
///
/// Lower: the signed distance of convex hulls is no larger than the bodies' and varies by no more
/// than they move; and a translation that leaves a room of m between the bodies frees them as long
/// as they have not moved by m. (The depth itself of bodies that are not convex may jump.)
DeepestInstant deepestInstant(const MeshMotion& motion, TimePoint contact);

}  // namespace allclear::mcd
