// Two capsules: the distance of two segments, less the radii (V. Lumelsky, "On fast computation of
// distance between line segments", 1985; nearestOnSegments has the numerics). What this file adds
// is the normal, to full accuracy where the segments nearly cross.

#include <cmath>

#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/geometry/segments.h"

namespace allclear {
namespace {

/// Segments nearer than this share of their length cross: the way between them is rounding.
constexpr double kCrossing = 1e-15;

/// The sine of the angle between the axes from which their cross product still has a direction.
constexpr double kLeastSine = 1e-12;

/// From this sine on, the cross product of the axes is accurate to 1e-16 / 1e-9 = 1e-7 rad at
/// worst, and better than the way between the points where `sine * size` exceeds the distance.
constexpr double kSquareSine = 1e-9;

}  // namespace

SignedDistance fromCores(const Vec3& core_A, double radius_A, const Vec3& core_B, double radius_B,
                         const Vec3& normal, double core_distance) {
  SignedDistance out;
  out.distance = core_distance - (radius_A + radius_B);
  out.normal = normal;
  out.witness_A = core_A + radius_A * normal;
  out.witness_B = core_B - radius_B * normal;
  return out;
}

SignedDistance capsuleCapsule(const PairQuery& query) {
  const Capsule& A = *std::get_if<Capsule>(&query.A);
  const Capsule& B = *std::get_if<Capsule>(&query.B);
  const Vec3 u = 0.5 * A.length() * query.X_WA.R.col(2);
  const Vec3 v = 0.5 * B.length() * query.X_WB.R.col(2);
  const Vec3 p = query.X_WA.p - query.X_WB.p;
  const SegmentPoints nearest = nearestOnSegments(p, u, v);
  const Vec3 a = nearest.s * u;
  const Vec3 b = nearest.t * v;
  const Vec3 along_A = query.X_WA.R.col(2), along_B = query.X_WB.R.col(2);
  const bool inside_A = A.length() > 0.0 && std::abs(nearest.s) < 1.0;
  const bool inside_B = B.length() > 0.0 && std::abs(nearest.t) < 1.0;
  // The way w from A's point to B's is perpendicular to each segment that it meets inside. Rounding
  // tilts a short w, so its part along such a segment is removed.
  Vec3 w = (b - a) - p;
  if (inside_A) w -= along_A.dot(w) * along_A;
  if (inside_B) w -= along_B.dot(w) * along_B;
  const double d = w.norm();
  const double size = 0.5 * (A.length() + B.length());
  const Vec3 cross = along_A.cross(along_B);
  const double sine = cross.norm();
  // Crossing segments: every direction square to both is a normal of depth r_A + r_B.
  const bool crossing = d <= kCrossing * size || d == 0.0;
  double distance = crossing ? 0.0 : d;
  Vec3 n;
  if (crossing) {
    n = sine > kLeastSine ? Vec3(cross / sine) : Vec3(query.X_WA.R.col(0));
  } else if (inside_A && inside_B && sine > kSquareSine && sine * size > d) {
    // Nearly crossing: w has lost more digits than the direction that is square to both.
    n = cross / (cross.dot(w) < 0.0 ? -sine : sine);
    distance = n.dot(w);
  } else {
    n = w / d;
  }
  SignedDistance out =
      fromCores(query.X_WA.p + a, A.radius(), query.X_WB.p + b, B.radius(), n, distance);
  out.unique_normal = !crossing;
  out.unique_witness = !nearest.parallel;
  return out;
}

}  // namespace allclear
