#pragma once

#include "allclear/core/pose.h"
#include "allclear/core/types.h"

namespace allclear {

/// Two ellipsoids in A's frame.
struct EllipsoidsInA {
  Vec3 a, b;     ///< radii
  Mat3 R;        ///< R_AB
  Vec3 c;        ///< B's centre
  double scale;  ///< sum of the largest radii [m]

  EllipsoidsInA(const Vec3& radii_A, const Pose& X_WA, const Vec3& radii_B, const Pose& X_WB);

  double leastRadii() const { return a.minCoeff() + b.minCoeff(); }
  /// Rounding of a room [m]: a dozen sums of numbers of the magnitude of c and of the radii.
  double rounding() const { return 16.0 * 2.3e-16 * (scale + c.cwiseAbs().maxCoeff()); }
};

/// A unit normal n (from A to B) and what belongs to it.
struct EllipsoidNormal {
  Vec3 n;
  Vec3 on_A, on_B;  ///< support points of A along n, and of B along -n from B's centre, negated
  double h_A, h_B;  ///< support functions of the two at n
  double room;      ///< n.c - h_A - h_B [m]: never above the signed distance
  Vec3 miss;        ///< [m] c - on_A - on_B - room n, square to n; 0 at a stationary normal
};

EllipsoidNormal normalAt(const EllipsoidsInA& pair, const Vec3& n);

/// Climbs from n to a local maximum of the room. Apart there is one maximum only, and it is the
/// distance. Ends early once the room reaches `enough` (NaN: never). False when it has not come to
/// an end, to rounding, after the most steps.
bool climbRoom(const EllipsoidsInA& pair, double enough, EllipsoidNormal* normal);

/// Whether the local maximum `normal` is proven to be the global one, and the only one. Always
/// apart; in penetration a sufficient condition. The true signed distance is then at most room +
/// |miss| + rounding.
bool isProvenMaximum(const EllipsoidsInA& pair, const EllipsoidNormal& normal);

}  // namespace allclear
