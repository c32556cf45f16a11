// Single instants and single bounds of two moving capsules, by the kernel's own pieces: what tests
// hold against the truth here is what the search computes.

#include "allclear/distance/minimum/capsule/rows.h"

namespace allclear {

using namespace mcd;  // NOLINT: the pieces of these kernels

ALLCLEAR_MULTIVERSION
void capsuleInstant(const CapsuleCurve& a, const CapsuleCurve& b, double s,
                    CapsuleInstant* instant) {
  double rows[kCount][kRow];
  gatherRows(a, b, rows);
  evaluateRows(rows, s, instant->x, instant->dx);
  const SegmentPair pair = closestOfRow(instant->x);
  instant->distance = std::sqrt(pair.squared);
  instant->sigma = pair.sigma;
  instant->tau = pair.tau;
}

ALLCLEAR_MULTIVERSION
double capsuleCertificate(const CapsuleCurve& a, const CapsuleCurve& b, double s0, double s1) {
  double rows[kCount][kRow], part[kCount][kRow], value[kRow], rate[kRow];
  gatherRows(a, b, rows);
  Connection ends[2];
  for (int i = 0; i < 2; ++i) {
    const double s = i == 0 ? s0 : s1;
    evaluateRows(rows, s, value, rate);
    const SegmentPair pair = closestOfRow(value);
    fillConnection(value, rate, s, pair, std::sqrt(pair.squared), &ends[i]);
  }
  restrictRows(rows, s0, s1, part);
  return squaredDistanceBound(part, ends[0], ends[1], a.scale + b.scale);
}

}  // namespace allclear
