// Directional motion bounds. Along a fixed unit n the room between two shapes shrinks no faster
// than A's fastest point moves along n plus B's fastest along -n. The velocities are Bernstein
// polynomials, whose values lie in the hull of their coefficients: the largest coefficient bounds
// all of the cell.

#include "allclear/distance/minimum/reference/approach_speed.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/minimum/capsule/rows.h"

namespace allclear {
namespace {

/// Roundings of a velocity coefficient, relative to the positions that it is a difference of.
constexpr double kRounding = 100.0 * std::numeric_limits<double>::epsilon();

}  // namespace

using namespace mcd;  // NOLINT: the pieces of the capsules' kernels

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

double mcd::approachSpeed(const CapsuleMotion& motion, int cell, const Instant& from,
                          bool backward) {
  const double length = motion.cellTime(cell).length();
  if (length <= 0.0) return 0.0;
  return capsuleApproach(motion.curveA(cell), motion.curveB(cell), from.normal, backward) / length;
}

/// Points of a shape turn about its origin, which is `reach` away from them at most.
double mcd::approachSpeed(const ConvexMotion& motion, int cell, const Instant& from,
                          bool backward) {
  const ConvexCurve &A = motion.curveA(cell), &B = motion.curveB(cell);
  const double length = motion.cellTime(cell).length();
  if (length <= 0.0) return 0.0;
  // The points of a half-space have no bounded reach.
  if (std::holds_alternative<HalfSpace>(*A.shape)) return motion.leverSpeed(cell);
  const Vec3 n = backward ? Vec3(-from.normal) : from.normal;
  double fastest = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < BodyCurve::kDegree; ++k) {
    const Pose &A0 = A.control[k], &A1 = A.control[k + 1];
    const Pose &B0 = B.control[k], &B1 = B.control[k + 1];
    const double rate = n.dot((A1.p - A0.p) - (B1.p - B0.p)) +
                        ((A1.R - A0.R).transpose() * n).norm() * A.reach +
                        ((B1.R - B0.R).transpose() * n).norm() * B.reach;
    fastest = std::max(fastest, rate);
  }
  return (BodyCurve::kDegree * fastest + kRounding * (A.scale + B.scale)) / length;
}

double mcd::distanceFloor(const CapsuleMotion& motion) {
  return -(motion.curveA(0).radius + motion.curveB(0).radius);
}

double mcd::distanceFloor(const ConvexMotion&) {
  constexpr double kNoFloor = -1e300;  // finite, so that halving above it makes sense
  return kNoFloor;
}

}  // namespace allclear
