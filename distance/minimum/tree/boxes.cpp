#include "allclear/distance/minimum/tree/boxes.h"

#include <algorithm>

namespace allclear::tree {
namespace {

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

}  // namespace

Vec3 wayBetweenBoxes(const Vec3& center, const Mat3& half, const AlignedBox& box) {
  Vec3 a = center, b = a;
  // Three half steps: more would make the direction better by little.
  for (int i = 0; i < 3; ++i) {
    b = a.cwiseMax(box.lower).cwiseMin(box.upper);
    if (i == 2) break;
    a = center;
    for (int axis = 0; axis < 3; ++axis) {
      const double squared = half.col(axis).squaredNorm();
      if (!(squared > 0.0)) continue;
      a += std::clamp((b - center).dot(half.col(axis)) / squared, -1.0, 1.0) * half.col(axis);
    }
  }
  return b - a;
}

Vec3 directionBetweenBoxes(const Vec3& center, const Mat3& half, const AlignedBox& box) {
  const Vec3 n = wayBetweenBoxes(center, half, box);
  const double length = n.norm();
  return length > 0.0 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

GjkResult gjkToBox(const RigidShape& shape, const RigidPart& part, const Pose& X_OG,
                   const AlignedBox& box, const Vec3& guess, const GjkOptions& options) {
  const Pose X_OB{Mat3::Identity(), 0.5 * (box.lower + box.upper)};
  return gjk(CorePair(coreOf(shape, part), X_OG, coreOf(box), X_OB), guess, options);
}

Vec3 directionTo(const RigidShape& shape, const RigidPart& part, const Pose& X_OG,
                 const AlignedBox& box) {
  // From the middle of the part to that of the box.
  Vec3 way = X_OG.R.transpose() * (0.5 * (box.lower + box.upper) - X_OG * part.center);
  if (!(way.norm() > 0.0)) way = Vec3::UnitX();
  GjkOptions options;
  options.relative_gap = kCoarseGap;
  const GjkResult found = gjkToBox(shape, part, X_OG, box, way, options);
  if (found.overlap || !(found.upper > 0.0) || !(found.v.norm() > 0.0)) return Vec3::Zero();
  return (X_OG.R * found.v).normalized();
}

}  // namespace allclear::tree
