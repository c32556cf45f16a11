#pragma once

#include "allclear/distance/core_pair.h"

namespace allclear {

/// A separating normal and its room s(n) = separation(n), the larger the better.
struct NormalCandidate {
  Vec3 n = Vec3::UnitX();
  double separation = -1e300;
  bool isolated = true;  ///< false when another normal is as good, or a whole arc of them
};

/// Keeps the better of `best` and (n, separation); ties with a different normal are noted.
void offer(const CorePair& pair, const Vec3& n, double separation, bool isolated,
           NormalCandidate* best);

/// Points of a convex mesh between which its creases near a normal are looked for.
struct ActivePoints {
  static constexpr int kMax = 5;
  int count = 0;
  Vec3 point[kMax];

  void add(const Vec3& p);
};

/// The best normal among all that lie on a crease of both cores at once (face normals and crossings
/// of edge directions): exact for segments and boxes, a good start for other primitives.
NormalCandidate bestCreaseNormal(const CorePair& pair);

/// Climbs from `n` to a local maximum of s(n) on the sphere, to rounding: s is smooth on the
/// creases (normals of an edge or of a face) and between them, so each combination of creases within
/// a window about `n` is solved by a safeguarded Newton iteration and the best one is kept.
/// `active_A`, `active_B`: corners near the support of convex meshes (ignored otherwise).
void refineNormal(const CorePair& pair, const Vec3& n, ActivePoints active_A,
                  ActivePoints active_B, NormalCandidate* best);

}  // namespace allclear
