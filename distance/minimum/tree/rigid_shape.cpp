// The rigid side of a query: a convex core with a ball's radius, or the triangles of a mesh in
// their tree of boxes.
#include "allclear/distance/minimum/tree/rigid_shape.h"

#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/mesh/prepared.h"

namespace allclear::tree {
namespace {

/// Curved cores converge slowly; this share of the distance is the least that their normal needs.
constexpr double kCurvedGap = 1e-9;

/// A core's box along the axes of G.
/// Support points along the axes bound the core exactly. The reach is the less of two bounds: half
/// the diagonal of the box is good for boxes, the ball about the core for balls and capsules.
RigidPart boxed(const ConvexCore& core) {
  RigidPart part;
  Vec3 lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    upper[axis] = core.offset[axis] + coreSupport(core, Vec3::Unit(axis))[axis] + core.radius;
    lower[axis] = core.offset[axis] + coreSupport(core, -Vec3::Unit(axis))[axis] - core.radius;
  }
  part.center = 0.5 * (lower + upper);
  part.half = (0.5 * (upper - lower)).asDiagonal();
  part.radius = core.radius;
  part.reach = std::min((0.5 * (upper - lower)).norm(),
                        (core.offset - part.center).norm() + core.extent + core.radius);
  return part;
}

}  // namespace

RigidShape::RigidShape(const Shape& shape) : shape_(shape) {
  // It has no box and no reach: the balls and boxes that the search prunes with would be infinite.
  if (std::holds_alternative<HalfSpace>(shape)) {
    throw InputError("a plane has no distance to a mesh that bends");
  }
  if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) {
    body_ = bodyOf(*mesh);
    root_ = volume(body_->root(), 0);
    return;
  }
  core_ = coreOf(shape);
  root_ = boxed(core_);
}

RigidPart RigidShape::volume(const MeshVolume& volume, std::int32_t node) const {
  RigidPart part;
  part.kind = RigidPart::Kind::kVolume;
  part.node = node;
  for (int k = 0; k < 3; ++k) {
    part.center[k] = volume.box[k];
    for (int i = 0; i < 3; ++i) part.half(k, i) = volume.axis[i][k];
  }
  part.center += body_->center();
  // The half edges are orthogonal: the squares of all entries add up to that of half the diagonal.
  part.reach = std::sqrt(part.half.squaredNorm());
  return part;
}

RigidPart RigidShape::triangle(std::int32_t i) const {
  RigidPart part;
  part.kind = RigidPart::Kind::kTriangle;
  part.corners = body_->bvh()->triangles()[i];
  const Vec3& c = body_->center();  // the tree keeps corners relative to it
  for (auto& corner : part.corners.p) {
    for (int k = 0; k < 3; ++k) corner[k] += c[k];
  }
  Vec3 lower = part.corners.corner(0), upper = lower;
  for (int k = 1; k < 3; ++k) {
    lower = lower.cwiseMin(part.corners.corner(k));
    upper = upper.cwiseMax(part.corners.corner(k));
  }
  part.center = 0.5 * (lower + upper);
  part.half = (0.5 * (upper - lower)).asDiagonal();
  part.reach = 0.5 * (upper - lower).norm();
  return part;
}

/// The support function, exact for each kind: of a box c.d + sum |h_i.d| over its half edges h_i,
/// of three corners the largest, of a grown core that of the core and the radius times |d|.
double RigidShape::reachAlong(const RigidPart& part, const Vec3& d) const {
  switch (part.kind) {
    case RigidPart::Kind::kVolume:
      return part.center.dot(d) + (part.half.transpose() * d).cwiseAbs().sum();
    case RigidPart::Kind::kTriangle:
      return std::max({part.corners.corner(0).dot(d), part.corners.corner(1).dot(d),
                       part.corners.corner(2).dot(d)});
    case RigidPart::Kind::kCore:
      break;
  }
  const double along = core_.offset.dot(d) + core_.radius * d.norm();
  // A direction may vanish, as poses between two instants are no rotations.
  return d.isZero(0.0) ? along : along + coreSupport(core_, d).dot(d);
}

/// What is a point, a segment or a triangle is measured in closed form; any other core by GJK (E.
/// Gilbert, D. Johnson, S. Keerthi, 1988). Of its answer the point of the core is kept and
/// projected on the triangle anew: both are points of their bodies then, and their distance,
/// however far GJK has got, never less than the true one.
RigidShape::Nearest RigidShape::nearest(const RigidPart& part, const TriangleCorners& T,
                                        const Vec3& hint) const {
  Nearest out;
  using Kind = ConvexCore::Kind;
  if (part.kind == RigidPart::Kind::kTriangle || core_.kind == Kind::kPoint ||
      core_.kind == Kind::kSegment) {
    TriangleCorners own = part.corners;
    if (part.kind == RigidPart::Kind::kCore) {
      own = cornersOf(core_.offset + core_.size, core_.offset - core_.size,
                      core_.offset - core_.size);
    }
    // A point or a segment is a triangle without area.
    const TriangleDistance d = triangleDistance(own, T);
    out.a = d.pointA();
    out.b = d.pointB();
  } else {
    ConvexCore triangle;
    triangle.kind = Kind::kTriangle;
    triangle.triangle = &T;
    for (int k = 0; k < 3; ++k) {
      triangle.extent = std::max(triangle.extent, T.corner(k).norm());
    }
    const CorePair pair(core_, Pose(), triangle, Pose());
    GjkOptions options;
    if (!core_.isPolytope()) options.relative_gap = kCurvedGap;
    const GjkResult found = gjk(pair, hint.isZero(0.0) ? Vec3(Vec3::UnitX()) : hint, options);
    const Vec3 shift = core_.points != nullptr ? core_.offset : Vec3(Vec3::Zero());
    out.a = found.witnessA() + shift;
    out.b = found.overlap ? out.a : nearestOnTriangle(T, out.a);
  }
  const Vec3 way = out.b - out.a;
  const double length = way.norm();
  out.normal = length > 0.0 ? Vec3(way / length) : Vec3(Vec3::Zero());
  out.distance = length - part.radius;
  return out;
}

bool RigidShape::contains(const Vec3& p) const {
  return body_ && body_->hasInside() && body_->contains(p - body_->center());
}

// For tests whether the shape is inside of the other solid: where surfaces do not meet, one point
// tells for a whole part.
std::vector<Vec3> RigidShape::points() const {
  if (!body_)
    return {root_.kind == RigidPart::Kind::kCore
                ? Vec3(core_.offset + coreSupport(core_, Vec3::UnitX()))
                : root_.center};
  std::vector<Vec3> out;
  for (const Vec3& p : body_->representatives()) out.push_back(p + body_->center());
  return out;
}

}  // namespace allclear::tree
