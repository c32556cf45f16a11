#pragma once

#include "allclear/distance/cloud.h"
#include "allclear/distance/convex/gjk.h"
#include "allclear/distance/minimum/tree/rigid_shape.h"

namespace allclear::tree {

/// About from the nearest point of the slanted box with this centre and these half edges (columns)
/// to that of the other box, by a few alternating projections; zero where they meet.
Vec3 wayBetweenBoxes(const Vec3& center, const Mat3& half, const AlignedBox& box);
/// The same as a unit vector, or zero.
Vec3 directionBetweenBoxes(const Vec3& center, const Mat3& half, const AlignedBox& box);

/// GJK between the core or triangle of a part and a box, from the direction `guess` (not zero); in
/// G, without the radii.
GjkResult gjkToBox(const RigidShape& shape, const RigidPart& part, const Pose& X_OG,
                   const AlignedBox& box, const Vec3& guess, const GjkOptions& options);

/// The greatest room between the part and a box that a few steps find: a unit vector of O, from A
/// to B; zero where the two meet. Pre: the part is no volume.
Vec3 directionTo(const RigidShape& shape, const RigidPart& part, const Pose& X_OG,
                 const AlignedBox& box);

/// The box along the axes of O about a part's box at X_OG.
inline AlignedBox boxAbout(const RigidPart& part, const Pose& X_OG) {
  const Vec3 center = X_OG * part.center, half = (X_OG.R * part.half).cwiseAbs().rowwise().sum();
  return {center - half, center + half};
}

/// min n.b over a box.
inline double leastAlong(const AlignedBox& box, const Vec3& n) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) sum += n[k] * (n[k] > 0.0 ? box.lower[k] : box.upper[k]);
  return sum;
}

/// Both have a point in common.
inline bool meet(const AlignedBox& a, const AlignedBox& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

}  // namespace allclear::tree
