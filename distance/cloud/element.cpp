// One element against one convex part: in closed form between a point and a point, segment or box,
// else by GJK between their cores; where these meet, by the depth of the solids.
#include "allclear/distance/cloud/element.h"

#include <algorithm>
#include <limits>

#include "allclear/distance/convex/convex_distance.h"
#include "allclear/distance/minimum/tree/boxes.h"

namespace allclear::cloud {
namespace {

using tree::Nearest;
using tree::RigidPart;
using tree::RigidShape;

/// Curved cores converge slowly; this share of the distance is the least that their normal needs.
constexpr double kCurvedGap = 1e-9;

/// A box may be flat; a solid box that stands for it in contact is at least so thick [m].
constexpr double kThinnest = 1e-9;

/// A point this near to a core, relative to the coordinates, counts as within: a few roundings.
constexpr double kTouch = 16.0 * std::numeric_limits<double>::epsilon();

/// The depth of convex solids.
Nearest depth(const RigidShape& shape, const Pose& X_FG, const Cloud& cloud, std::int32_t i,
              const Pose& X_FO) {
  const Pose X_FE{X_FO.R, X_FO * cloud.center(i)};
  const Vec3 size = (cloud.upper(i) - cloud.lower(i)).cwiseMax(kThinnest);
  const Shape element = cloud.isBalls() ? Shape(Sphere(cloud.radius())) : Shape(Box(size));
  const SignedDistance d = convexDistance(shape.hull(), X_FG, element, X_FE);
  Nearest out;
  out.distance = d.distance;
  out.gap = d.gap + (cloud.isBalls() ? 0.0 : 2.0 * kThinnest);
  out.a = d.witness_A;
  out.b = d.witness_B;
  out.normal = d.normal;
  return out;
}

/// The point of A's core (or triangle) nearest to the element, in G.
struct CorePoint {
  Vec3 p;
  bool overlap = false;
};

CorePoint nearestOfCore(const RigidShape& shape, const RigidPart& part, const Pose& X_OG,
                        const AlignedBox& box, bool is_point, const Vec3& guess_O, double enough) {
  using Kind = ConvexCore::Kind;
  const bool is_core = part.kind == RigidPart::Kind::kCore;
  if (is_core && is_point && shape.core().kind <= Kind::kBox) {
    // Points, segments and boxes are boxes with half edges of `size`.
    const ConvexCore& core = shape.core();
    const Vec3 way = box.lower - X_OG.p, b = X_OG.R.transpose() * way - core.offset;
    const Vec3 nearest = b.cwiseMax(-core.size).cwiseMin(core.size);
    // So near to the core the direction is noise: a touch is treated as an overlap, as by GJK.
    const double touch = kTouch * (core.extent + way.norm() + box.lower.norm());
    return {core.offset + nearest, !((b - nearest).norm() > touch)};
  }
  // Without a guess from middle to middle: good enough, as both are small.
  const bool has_guess = !guess_O.isZero(0.0);
  Vec3 way = has_guess ? guess_O : Vec3(0.5 * (box.lower + box.upper) - X_OG * part.center);
  if (!(way.norm() > 0.0)) way = Vec3::UnitX();
  const bool is_curved = is_core && !shape.core().isPolytope();
  GjkOptions options;
  options.relative_gap = is_curved ? kCurvedGap : 0.0;
  options.enough = enough;
  const GjkResult found = tree::gjkToBox(shape, part, X_OG, box, X_OG.R.transpose() * way, options);
  const bool has_points = is_core && shape.core().points != nullptr;
  return {found.witnessA() + (has_points ? shape.core().offset : Vec3(Vec3::Zero())),
          found.overlap};
}

}  // namespace

AlignedBox boxOf(const Cloud& cloud, std::int32_t node) {
  if (node < 0) return {cloud.lower(~node), cloud.upper(~node)};
  const Cloud::Node& n = cloud.nodes()[node];
  AlignedBox box;
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = static_cast<double>(n.lower[k]);
    box.upper[k] = static_cast<double>(n.upper[k]);
  }
  return box;
}

Nearest elementDistance(const RigidShape& shape, const RigidPart& part, const Pose& X_FG,
                        const Cloud& cloud, std::int32_t i, const Pose& X_FO, const Vec3& guess,
                        double enough) {
  const AlignedBox box{cloud.lower(i), cloud.upper(i)};
  const Pose X_OG = X_FO.inverse() * X_FG;
  const CorePoint found =
      nearestOfCore(shape, part, X_OG, box, cloud.isBalls(), X_FO.R.transpose() * guess,
                    enough + part.radius + cloud.radius());
  // The point of A is kept and B's taken anew: both are points of their bodies then, and their
  // distance, however far GJK has got, never less than the true one.
  const Vec3 a = X_FG * found.p;
  Vec3 b_O = box.lower;
  if (!cloud.isBalls()) {
    b_O = (X_FO.R.transpose() * (a - X_FO.p)).cwiseMax(box.lower).cwiseMin(box.upper);
  }
  const Vec3 b = X_FO * b_O, way = b - a;
  const double length = way.norm();
  Nearest out;
  if (found.overlap || !(length > 0.0)) {
    if (part.kind == RigidPart::Kind::kCore) return depth(shape, X_FG, cloud, i, X_FO);
    // A triangle has no inside: that it is met is all that it can say.
    out.a = out.b = a;
    out.distance = -cloud.radius();
    return out;
  }
  // The radii stand on the line between the two points of the cores.
  out.normal = way / length;
  out.distance = length - part.radius - cloud.radius();
  out.a = a + part.radius * out.normal;
  out.b = b - cloud.radius() * out.normal;
  return out;
}

}  // namespace allclear::cloud
