// One element against one convex part: by GJK between their cores, a point or a box and the part's
// core or triangle; where these meet, by the depth of the solids.
#include "allclear/distance/cloud/element.h"

#include <algorithm>

#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/convex/gjk.h"

namespace allclear::cloud {
namespace {

using deform::RigidPart;
using deform::RigidShape;

/// Curved cores converge slowly; this share of the distance is the least that their normal needs.
constexpr double kCurvedGap = 1e-9;

/// A box may be flat; a solid box that stands for it in contact is at least so thick [m].
constexpr double kThinnest = 1e-9;

/// A direction between boxes needs no more than this share of the distance.
constexpr double kCoarseGap = 1e-4;

ConvexCore coreOf(const RigidShape& shape, const RigidPart& part) {
  if (part.kind == RigidPart::Kind::kCore) return shape.core();
  ConvexCore triangle;
  triangle.kind = ConvexCore::Kind::kTriangle;
  triangle.triangle = &part.corners;
  for (int k = 0; k < 3; ++k) {
    triangle.extent = std::max(triangle.extent, part.corners.corner(k).norm());
  }
  return triangle;
}

ConvexCore coreOf(const AlignedBox& box) {
  ConvexCore core;
  core.size = 0.5 * (box.upper - box.lower);
  core.extent = core.size.norm();
  if (core.extent > 0.0) core.kind = ConvexCore::Kind::kBox;
  return core;
}

GjkResult measured(const RigidShape& shape, const RigidPart& part, const Pose& X_WG,
                   const AlignedBox& box, const Pose& X_WO, double coarse) {
  const Vec3 center = 0.5 * (box.lower + box.upper);
  const CorePair pair(coreOf(shape, part), X_WG, coreOf(box), {X_WO.R, X_WO * center});
  // From the middle of the part to that of the element: a good first guess, as both are small.
  Vec3 way = X_WG.R.transpose() * (X_WO * center - X_WG * part.center);
  if (!(way.norm() > 0.0)) way = Vec3::UnitX();
  GjkOptions options;
  if (!pair.isPolytope()) options.relative_gap = kCurvedGap;
  if (coarse > 0.0) options.relative_gap = coarse;
  return gjk(pair, way, options);
}

/// The depth of convex solids.
ElementDistance depth(const RigidShape& shape, const Pose& X_WG, const Cloud& cloud, std::int32_t i,
                      const Pose& X_WO) {
  const Pose X_WE{X_WO.R, X_WO * cloud.center(i)};
  const Vec3 size = (cloud.upper(i) - cloud.lower(i)).cwiseMax(kThinnest);
  const Shape element = cloud.isBalls() ? Shape(Sphere(cloud.radius())) : Shape(Box(size));
  const SignedDistance d = convexDistance(shape.hull(), X_WG, element, X_WE);
  return {d.distance, d.gap + (cloud.isBalls() ? 0.0 : 2.0 * kThinnest), d.witness_A, d.witness_B,
          d.normal};
}

}  // namespace

ElementDistance elementDistance(const RigidShape& shape, const RigidPart& part, const Pose& X_WG,
                                const Cloud& cloud, std::int32_t i, const Pose& X_WO) {
  const AlignedBox box{cloud.lower(i), cloud.upper(i)};
  const GjkResult found = measured(shape, part, X_WG, box, X_WO, 0.0);
  const bool is_core = part.kind == RigidPart::Kind::kCore;
  const Vec3 shift =
      is_core && shape.core().points != nullptr ? shape.core().offset : Vec3(Vec3::Zero());
  // Of GJK's answer the point of A is kept and B's taken anew: both are points of their bodies
  // then, and their distance, however far GJK has got, never less than the true one.
  const Vec3 a = X_WG * (found.witnessA() + shift);
  Vec3 b_O = box.lower;
  if (!cloud.isBalls()) {
    b_O = (X_WO.R.transpose() * (a - X_WO.p)).cwiseMax(box.lower).cwiseMin(box.upper);
  }
  const Vec3 b = X_WO * b_O, way = b - a;
  const double length = way.norm();
  if (found.overlap || !(length > 0.0)) {
    if (is_core) return depth(shape, X_WG, cloud, i, X_WO);
    // A triangle has no inside: that it is met is all that it can say.
    ElementDistance met;
    met.a = met.b = a;
    met.distance = -cloud.radius();
    return met;
  }
  ElementDistance out;
  // The radii stand on the line between the two points of the cores.
  out.normal = way / length;
  out.distance = length - part.radius - cloud.radius();
  out.a = a + part.radius * out.normal;
  out.b = b - cloud.radius() * out.normal;
  return out;
}

Vec3 directionTo(const RigidShape& shape, const RigidPart& part, const Pose& X_WG,
                 const AlignedBox& box, const Pose& X_WO) {
  const GjkResult found = measured(shape, part, X_WG, box, X_WO, kCoarseGap);
  if (found.overlap || !(found.upper > 0.0) || !(found.v.norm() > 0.0)) return Vec3::Zero();
  return (X_WG.R * found.v).normalized();
}

}  // namespace allclear::cloud
