#pragma once

#include "allclear/core/pose.h"
#include "allclear/core/types.h"

namespace allclear {

/// Signed distance of two solids A and B: the gap when they are apart, minus the length of
/// the shortest translation of B that separates them when they overlap. Metres, world frame.
///
/// Always `witness_B - witness_A = distance * normal`; moving B by `-distance * normal` makes the
/// two touch. In separation the witnesses are the closest points; in penetration they are the
/// points that touch after B has moved by `-distance * normal`.
struct SignedDistance {
  double distance = 0.0;
  Vec3 witness_A = Vec3::Zero();  ///< on the surface of A
  Vec3 witness_B = Vec3::Zero();  ///< on the surface of B
  Vec3 normal = Vec3::UnitZ();    ///< unit, from A to B
  bool unique_normal = true;   ///< no other normal gives the same distance (to about 1e-9 of size)
  bool unique_witness = true;  ///< the witnesses are the only ones (no parallel faces or edges)
  /// The true distance is at most `distance + gap` (to rounding); `distance` itself is never above
  /// the true one, because `normal` is a separating direction with exactly that much room. In
  /// separation the gap is at rounding level; in penetration of curved shapes it is what the search
  /// has proven about every other direction, and far coarser than the error of `distance`.
  double gap = 0.0;
  bool converged = true;  ///< false when an iteration limit was met: `distance`..`+gap` still hold

  bool unique() const { return unique_normal && unique_witness; }
};

/// Carries the last normal of one pair of shapes from a query to the next, which then starts from
/// it. Start with a fresh one for every pair.
struct DistanceCache {
  Vec3 direction = Vec3::Zero();  ///< the last normal, in the frame of one of the shapes
  bool valid = false;
};

/// First derivative of the distance when A and B move rigidly: the frame of A by the translation
/// dx_A and the small rotation dr_A about its own origin, world axes, and B likewise.
///   d(distance) = translation_A.dx_A + rotation_A.dr_A + translation_B.dx_B + rotation_B.dr_B
struct DistanceGradient {
  Vec3 translation_A = Vec3::Zero();
  Vec3 rotation_A = Vec3::Zero();
  Vec3 translation_B = Vec3::Zero();
  Vec3 rotation_B = Vec3::Zero();
};

/// The gradient at the poses of the query that gave `result`. Where `result.unique()` it is the
/// derivative; elsewhere one of the generalised ones.
DistanceGradient distanceGradient(const SignedDistance& result, const Pose& X_WA, const Pose& X_WB);

}  // namespace allclear
