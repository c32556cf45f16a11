#include <cmath>

#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/geometry/segments.h"

namespace allclear {

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
  // Square to the axes that it meets inside: of near axes rounding would tilt it.
  Vec3 w = (b - a) - p;
  if (inside_A) w -= along_A.dot(w) * along_A;
  if (inside_B) w -= along_B.dot(w) * along_B;
  const double d = w.norm();
  const double size = 0.5 * (A.length() + B.length());
  const Vec3 cross = along_A.cross(along_B);
  const double sine = cross.norm();
  // Crossing segments: every direction square to both is a normal of depth r_A + r_B.
  const bool crossing = d <= 1e-15 * size || d == 0.0;
  double distance = crossing ? 0.0 : d;
  Vec3 n;
  if (crossing) {
    n = sine > 1e-12 ? Vec3(cross / sine) : Vec3(query.X_WA.R.col(0));
  } else if (inside_A && inside_B && sine > 1e-9 && sine * size > d) {
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
