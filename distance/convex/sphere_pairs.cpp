// A sphere and a primitive: the signed distance of the centre, less the radius. This holds inside
// the primitive too: to free the sphere, its centre must get a radius away from the solid, and the
// shortest way out for the centre, extended by the radius, does that.

#include "allclear/distance/convex/pairs.h"
#include "allclear/distance/convex/point_distance.h"

namespace allclear {
namespace {

/// The result for A, a sphere, and B, from the distance `point` of A's centre to B's core, which a
/// ball of radius_B thickens (0: B is its own core).
SignedDistance fromPoint(const PairQuery& query, const PointDistance& point, double radius_B) {
  const double radius_A = std::get_if<Sphere>(&query.A)->radius();
  const Vec3 n = -(query.X_WB.R * point.gradient);
  SignedDistance out;
  out.distance = point.distance - (radius_A + radius_B);
  out.normal = n;
  out.witness_A = query.X_WA.p + radius_A * n;
  out.witness_B = query.X_WA.p + (point.distance - radius_B) * n;
  out.unique_normal = point.unique;
  return out;
}

Vec3 centerInB(const PairQuery& query) {
  return query.X_WB.R.transpose() * (query.X_WA.p - query.X_WB.p);
}

}  // namespace

SignedDistance sphereSphere(const PairQuery& query) {
  const double radius_B = std::get_if<Sphere>(&query.B)->radius();
  const Vec3 w = query.X_WA.p - query.X_WB.p;
  const double d = w.norm();
  // Coincident centres: every direction is as good.
  const Vec3 outward = d > 0.0 ? Vec3(w / d) : Vec3(query.X_WB.R.col(0));
  const double radius_A = std::get_if<Sphere>(&query.A)->radius();
  SignedDistance out = fromCores(query.X_WA.p, radius_A, query.X_WB.p, radius_B, -outward, d);
  out.unique_normal = d > 0.0;
  return out;
}

SignedDistance sphereCapsule(const PairQuery& query) {
  const Capsule& B = *std::get_if<Capsule>(&query.B);
  return fromPoint(query, pointToSegment(centerInB(query), 0.5 * B.length()), B.radius());
}

SignedDistance sphereBox(const PairQuery& query) {
  const Box& B = *std::get_if<Box>(&query.B);
  return fromPoint(query, pointToBox(centerInB(query), B.halfSize()), 0.0);
}

SignedDistance sphereCylinder(const PairQuery& query) {
  const Cylinder& B = *std::get_if<Cylinder>(&query.B);
  return fromPoint(query, pointToCylinder(centerInB(query), B.radius(), 0.5 * B.length()), 0.0);
}

SignedDistance sphereCone(const PairQuery& query) {
  const Cone& B = *std::get_if<Cone>(&query.B);
  return fromPoint(query, pointToCone(centerInB(query), B.radius(), 0.5 * B.length()), 0.0);
}

SignedDistance sphereEllipsoid(const PairQuery& query) {
  const Ellipsoid& B = *std::get_if<Ellipsoid>(&query.B);
  return fromPoint(query, pointToEllipsoid(centerInB(query), B.radii()), 0.0);
}

}  // namespace allclear
