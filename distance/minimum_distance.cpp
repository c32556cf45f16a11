// Sends a pair of shapes to the search for its kind: capsules, other convex shapes, meshes.

#include "allclear/distance/minimum_distance.h"

#include "allclear/core/input_error.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/convex/first_contact.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/minimum/query.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

/// With a half-space a mesh is its convex hull: a plane sees no more of it.
DistanceBracket meshMinimum(MovingShape a, MovingShape b, const McdOptions& options) {
  mcd::requireValid(options);
  if (mcd::isHalfSpace(*a.shape) || mcd::isHalfSpace(*b.shape)) {
    a.shape = &mesh::meshHull(*a.shape);
    b.shape = &mesh::meshHull(*b.shape);
    return minimumDistance(a, b, options);
  }
  return minimumDistance(*bodyOf(*a.shape), a, *bodyOf(*b.shape), b, options);
}

/// The most that displacements reach along n at either end of the time, and so in between.
double reachOf(const Spread& spread, const Vec3& n) {
  return std::max(upperDisplacementReach(spread.start, n), upperDisplacementReach(spread.end, n));
}

/// A half-space that may be displaced is one whose plane has moved out: by as much as the
/// displacements reach along its normal, or, where that turns, along any.
MovingShape movedOut(MovingShape plane, const Spread& spread) {
  const Vec3 n = plane.curves[0].control[0].R * plane.X_BG.R.col(2);
  bool turns = false;
  for (const BodyCurve& curve : plane.curves) {
    for (const Pose& X : curve.control) turns = turns || X.R != plane.curves[0].control[0].R;
  }
  const double most = std::max(displacementRadius(spread.start), displacementRadius(spread.end));
  plane.X_BG.p += (turns ? most : reachOf(spread, n)) * plane.X_BG.R.col(2);
  return plane;
}

/// With a mesh the displacements count as the ball about them. The witnesses at t*, B's displaced
/// as far against the normal as it may be there, are a real pair of points.
DistanceBracket grownMinimum(const MovingShape& a, const MovingShape& b, McdOptions options) {
  const Spread spread = *options.spread;
  options.spread = nullptr;
  const double grown = std::max(displacementRadius(spread.start), displacementRadius(spread.end));
  if (options.threshold) *options.threshold += grown;
  DistanceBracket bracket = minimumDistance(a, b, options);
  bracket.lower -= grown;
  if (!bracket.evaluated) return bracket;
  // K at t*, linear in time: a single still curve may span any.
  const auto& curves = a.curves.size() > b.curves.size() ? a.curves : b.curves;
  const Interval time{curves.front().time.lower, curves.back().time.upper};
  const double share = time.length() > 0.0 ? (bracket.t_star - time.lower) / time.length() : 0.0;
  const Mat3 K = (1.0 - share) * spread.start + share * spread.end;
  const Vec3 e = -farthestDisplacement(K, bracket.normal);
  bracket.witness_B += e;
  if (bracket.upper > 0.0) {
    const double error = bracket.upper - (bracket.witness_B - e - bracket.witness_A).norm();
    bracket.upper = std::min(bracket.upper,
                             (bracket.witness_B - bracket.witness_A).norm() + std::max(0.0, error));
  }
  return bracket;
}

DistanceBracket displacedMinimum(const MovingShape& a, const MovingShape& b, McdOptions options) {
  if (mcd::isHalfSpace(*a.shape) || mcd::isHalfSpace(*b.shape)) {
    const bool a_is_plane = mcd::isHalfSpace(*a.shape);
    const Spread spread = *options.spread;
    options.spread = nullptr;
    return a_is_plane ? minimumDistance(movedOut(a, spread), b, options)
                      : minimumDistance(a, movedOut(b, spread), options);
  }
  if (mcd::isMesh(*a.shape) || mcd::isMesh(*b.shape)) return grownMinimum(a, b, options);
  return minimumDistance(convexCurves(a), convexCurves(b), options);
}

}  // namespace

DistanceBracket minimumDistance(const MovingShape& a, const MovingShape& b,
                                const McdOptions& options) {
  mcd::requireMatchingCurves(a, b);
  if (options.spread != nullptr) return displacedMinimum(a, b, options);
  if (mcd::isMesh(*a.shape) || mcd::isMesh(*b.shape)) return meshMinimum(a, b, options);
  if (mcd::isCapsule(*a.shape) && mcd::isCapsule(*b.shape)) {
    return minimumDistance(capsuleCurves(a), capsuleCurves(b), options);
  }
  return minimumDistance(convexCurves(a), convexCurves(b), options);
}

FirstContact firstContact(const MovingShape& a, const MovingShape& b, double threshold,
                          const FirstContactOptions& options) {
  mcd::requireMatchingCurves(a, b);
  if (mcd::isMesh(*a.shape) || mcd::isMesh(*b.shape)) {
    if (!mcd::isHalfSpace(*a.shape) && !mcd::isHalfSpace(*b.shape)) {
      throw InputError("a first contact needs convex shapes, not triangle meshes");
    }
    MovingShape hull_a = a, hull_b = b;
    hull_a.shape = &mesh::meshHull(*a.shape);
    hull_b.shape = &mesh::meshHull(*b.shape);
    return firstContact(convexCurves(hull_a), convexCurves(hull_b), threshold, options);
  }
  return firstContact(convexCurves(a), convexCurves(b), threshold, options);
}

WitnessGradient witnessGradient(const MovingShape& a, const MovingShape& b,
                                const DistanceBracket& bracket) {
  const auto curveAt = [&](const MovingShape& moving) -> const BodyCurve& {
    for (const BodyCurve& curve : moving.curves) {
      if (curve.time.contains(bracket.t_star)) return curve;
    }
    return moving.curves.front();  // at rest: one curve for all times
  };
  const auto inBody = [&](const MovingShape& moving, const Vec3& witness) -> Vec3 {
    // The curve's matrix is only near a rotation (it has a remainder): solve, do not transpose.
    const Pose X = curveAt(moving).pose(bracket.t_star);
    return X.R.partialPivLu().solve(witness - X.p);
  };
  WitnessGradient gradient;
  gradient.t_star = bracket.t_star;
  gradient.p_A = inBody(a, bracket.witness_A);
  gradient.p_B = inBody(b, bracket.witness_B);
  gradient.normal = bracket.normal;
  gradient.unique = bracket.unique;
  return gradient;
}

const char* mcdStatusName(McdStatus status) {
  switch (status) {
    case McdStatus::kBracketed:
      return "bracketed";
    case McdStatus::kCertifiedAbove:
      return "certified above";
    case McdStatus::kBelow:
      return "below";
    case McdStatus::kUndecided:
      return "undecided";
  }
  return "unknown";
}

}  // namespace allclear
