#pragma once

#include "allclear/distance/convex/normal_refinement.h"

namespace allclear {

/// Support points of both cores along normals near each other, in A's frame.
struct NamedContact {
  int count = 0;  ///< 1 to 4 of each
  Vec3 a[4];
  Vec3 b[4];
};

/// Finds the local maximum of s(n) near `n0` from the features of the cores that `named` names, to
/// rounding: one of them at a time, by a closed form or Newton's iteration, mended until they
/// support their normal. Offers it to `best` and returns true with its contact, or false (and
/// nothing changed) where the features lead to no proven contact or to one that is not isolated:
/// `refineNormal` then tries all there are.
bool descendByFeatures(const CorePair& pair, const NamedContact& named, const Vec3& n0,
                       NormalCandidate* best, SupportContact* contact);

}  // namespace allclear
