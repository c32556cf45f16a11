#pragma once

#include <span>
#include <vector>

#include "allclear/distance/fit/capsule_search.h"
#include "allclear/distance/fit/solids.h"

namespace allclear::fitting {

/// Coordinates in which the solids are about the origin and of about unit size.
struct UnitFrame {
  Vec3 center = Vec3::Zero();
  double scale = 1.0;  ///< [m] per unit

  explicit UnitFrame(const Solids& solids);
  Vec3 toUnit(const Vec3& p) const { return (p - center) / scale; }
  Vec3 fromUnit(const Vec3& p) const { return center + scale * p; }
};

/// A capsule of small volume about the solids; the search also starts from `axes`.
Geometry encloseByCapsule(const Solids& solids, std::span<const Vec3> axes,
                          const CapsuleSearchEffort& effort);

/// The smallest capsule about the solids with the given axis (to rounding).
Geometry capsuleAlong(const Segment& axis, const Solids& solids);

/// The ends of a capsule's axis at its pose.
Segment axisOf(const Geometry& capsule);

/// A pose at p whose z axis points along d (unit).
Pose poseAlong(const Vec3& p, const Vec3& d);

}  // namespace allclear::fitting
