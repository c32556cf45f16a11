#include "allclear/distance/soft/result.h"

namespace allclear {

SmoothDistance asSmooth(const SignedDistance& exact, const Pose& X_WA, const Pose& X_WB) {
  SmoothDistance out;
  out.distance = exact.distance;
  out.witness_A = exact.witness_A;
  out.witness_B = exact.witness_B;
  out.normal = exact.normal;
  out.gradient = distanceGradient(exact, X_WA, X_WB);
  out.tie = !exact.unique_normal;
  return out;
}

}  // namespace allclear
