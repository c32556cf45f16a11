#pragma once

#include "allclear/distance/convex/core_pair.h"

namespace allclear {

/// Points a of A's and b of B's support set along a normal n, as nearly `separation * n` apart as
/// the two sets allow. With no mismatch, n and the points prove each other: in separation they are
/// the answer; in penetration n is a stationary direction of the depth.
struct SupportContact {
  Vec3 a;
  Vec3 b;
  double mismatch = 0.0;  ///< |b - a - separation * n| [m]
};

/// Normals within 1e-10 rad of a crease count as on it.
SupportContact contactAt(const CorePair& pair, const Vec3& n, double separation);

/// Whether the support sets along n meet in a single point (no parallel faces or edges, to
/// 1e-9 rad).
bool contactIsUnique(const CorePair& pair, const Vec3& n);

}  // namespace allclear
