#pragma once

#include "allclear/distance/cloud.h"
#include "allclear/distance/deform/sequence_shape.h"

namespace allclear::cloud {

/// The nearest points of a part of the rigid shape and one element.
struct ElementDistance {
  double distance = 0.0;  ///< signed [m]; of a triangle that meets the element's middle at most 0
  double gap = 0.0;       ///< the true distance is at most this more
  Vec3 a = Vec3::Zero();  ///< world, on the surfaces
  Vec3 b = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, world, from A to B
};

/// Measures a core or a triangle against element `i`. Poses may be off from rotations as those of
/// curves are; while the two are apart a and b are points of both bodies all the same, so that the
/// distance occurs. Pre: the part is no volume.
ElementDistance elementDistance(const deform::RigidShape& shape, const deform::RigidPart& part,
                                const Pose& X_WG, const Cloud& cloud, std::int32_t i,
                                const Pose& X_WO);

/// The greatest room between the part and a box (in O) that a few steps find: a unit vector of the
/// world, from A to B; zero where the two meet. Pre: the part is no volume.
Vec3 directionTo(const deform::RigidShape& shape, const deform::RigidPart& part, const Pose& X_WG,
                 const AlignedBox& box, const Pose& X_WO);

}  // namespace allclear::cloud
