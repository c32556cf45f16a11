// Sends a pair of shapes to the search for its kind: capsules, other convex shapes, meshes.

#include "allclear/distance/minimum_distance.h"

#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/minimum/query.h"

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

}  // namespace

DistanceBracket minimumDistance(const MovingShape& a, const MovingShape& b,
                                const McdOptions& options) {
  mcd::requireMatchingCurves(a, b);
  if (mcd::isMesh(*a.shape) || mcd::isMesh(*b.shape)) return meshMinimum(a, b, options);
  if (mcd::isCapsule(*a.shape) && mcd::isCapsule(*b.shape)) {
    return minimumDistance(capsuleCurves(a), capsuleCurves(b), options);
  }
  return minimumDistance(convexCurves(a), convexCurves(b), options);
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
