#include "allclear/distance/distance_result.h"

namespace allclear {

// The distance is the room along the normal between the two witnesses. The normal itself is
// stationary (it gives the largest room), so to first order only the witnesses move with their
// frames: a witness at lever w = witness - p moves by dx + dr x w, and n.(dr x w) = dr.(w x n).
DistanceGradient distanceGradient(const SignedDistance& result, const Pose& X_WA,
                                  const Pose& X_WB) {
  const Vec3& n = result.normal;
  return {-n, -(result.witness_A - X_WA.p).cross(n), n, (result.witness_B - X_WB.p).cross(n)};
}

}  // namespace allclear
