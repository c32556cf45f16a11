// Single instants and single bounds of two moving capsules.

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
  End ends[2];
  for (int i = 0; i < 2; ++i) {
    const double s = i == 0 ? s0 : s1;
    evaluateRows(rows, s, value, rate);
    const SegmentPair pair = closestOfRow(value);
    fillEnd(value, rate, s, pair, std::sqrt(pair.squared), &ends[i]);
  }
  restrictRows(rows, s0, s1, part);
  return squaredDistanceBound(part, ends[0], ends[1], a.scale + b.scale);
}

ALLCLEAR_MULTIVERSION
double capsuleApproach(const CapsuleCurve& a, const CapsuleCurve& b, const Vec3& normal,
                       bool backward) {
  double rows[kCount][kRow];
  double n[3];
  for (int c = 0; c < 3; ++c) n[c] = backward ? -normal.data()[c] : normal.data()[c];
  gatherRows(a, b, rows);
  double fastest = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < kDegree; ++k) {
    double along[4] = {};
    for (int c = 0; c < 3; ++c) {
      for (int e = 0; e < 4; ++e) {
        along[e] += n[c] * (rows[k + 1][4 * c + e] - rows[k][4 * c + e]);
      }
    }
    fastest = std::max(fastest, std::max(along[0], along[1]) - std::min(along[2], along[3]));
  }
  const double rounding = kCertificateRounding * (a.scale + b.scale);
  return kDegree * fastest + rounding;
}

}  // namespace allclear
