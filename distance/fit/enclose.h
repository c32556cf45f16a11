#pragma once

#include <span>
#include <vector>

#include "allclear/distance/fit/capsule_search.h"
#include "allclear/distance/fit/solids.h"

namespace allclear::fitting {

/// Moves the solids to about the origin and unit size and back.
struct UnitFrame {
  Vec3 center = Vec3::Zero();
  double scale = 1.0;  ///< [m] per unit

  explicit UnitFrame(const Solids& solids);
  Vec3 toUnit(const Vec3& p) const { return (p - center) / scale; }
  Vec3 fromUnit(const Vec3& p) const { return center + scale * p; }
};

/// A capsule of small volume about the solids, axes to try first in `axes`. `Geometry` as of
/// `capsuleAlong`.
Geometry encloseByCapsule(const Solids& solids, std::span<const Vec3> axes,
                          const CapsuleSearchEffort& effort);

/// The capsule about the solids with (to rounding) the given axis, as small as it may be.
Geometry capsuleAlong(const Segment& axis, const Solids& solids);

/// The ends of a capsule's axis as its pose has them.
Segment axisOf(const Geometry& capsule);

/// A pose at p whose z axis points along d (unit).
Pose poseAlong(const Vec3& p, const Vec3& d);

}  // namespace allclear::fitting
