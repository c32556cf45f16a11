#pragma once

#include "allclear/distance/convex/support_contact.h"

namespace allclear {

/// A normal and the room s(n) = separation(n) that it leaves between the cores; more is better.
struct NormalCandidate {
  Vec3 n = Vec3::UnitX();
  double separation = -1e300;  ///< [m]; at first less than any normal's
  bool isolated = true;        ///< false when another normal is as good, or a whole arc of them
};

/// Of the size: normals whose rooms differ by less are as good.
constexpr double kRoomTie = 1e-10;

/// Normals nearer than 1e-3 rad are one: the same optimum, reached less or more exactly.
inline bool isSameNormal(const Vec3& m, const Vec3& n) {
  constexpr double kSameCosine = 1.0 - 5e-7;
  return m.dot(n) > kSameCosine;
}

/// Keeps the better of `best` and (n, separation). A different normal with as much room (within
/// 1e-10 of the size) makes the result not `isolated`.
void offer(const CorePair& pair, const Vec3& n, double separation, bool isolated,
           NormalCandidate* best);

enum class RefineUntil {
  kProven,     ///< a contact proves a candidate: enough in separation, where it is the answer
  kExhausted,  ///< all combinations of creases are done: in penetration optima can lie side by side
};

/// Climbs from n0 to a local maximum of s(n) on the sphere, to rounding: s is smooth on the creases
/// (normals of an edge or of a face) and between them, so combinations of creases within `window`
/// [rad] of n0 are solved by a safeguarded Newton iteration, until a contact without mismatch
/// proves one. Offers the best to `best`. Returns whether it is proven; then `contact` is its
/// contact.
bool refineNormal(const CorePair& pair, const Vec3& n0, double window, RefineUntil until,
                  NormalCandidate* best, SupportContact* contact);

}  // namespace allclear
