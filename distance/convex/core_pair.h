#pragma once

#include "allclear/core/pose.h"
#include "allclear/distance/convex/core.h"
#include "allclear/distance/support.h"

namespace allclear {

/// Two cores in the frame of A's core: numbers are as small as the pair, wherever in the world it
/// is. `n` below is a unit vector of that frame, from A to B.
///
/// B may be displaced by any vector of an ellipsoid (distance/support.h): it then stands for
/// all of its places at once, their Minkowski sum. That is convex, its support function the sum of
/// both, and the second term smooth: it has no creases.
struct CorePair {
  /// One rounding of a coordinate relative to the largest number in a sum: 2^-52, rounded up.
  static constexpr double kEpsilon = 2.3e-16;

  ConvexCore A;
  ConvexCore B;
  Mat3 R;           ///< R_AB
  Vec3 p;           ///< position of B's core in A's
  double scale;     ///< extent_A + extent_B
  double rounding;  ///< error of a support point difference, up to a small factor [m]
  bool is_displaced = false;
  Mat3 spread = Mat3::Zero();  ///< of B's displacements, in A's frame [m^2]

  /// `spread_W`: null where B stands where it is.
  CorePair(const ConvexCore& core_A, const Pose& X_WA, const ConvexCore& core_B, const Pose& X_WB,
           const Mat3* spread_W = nullptr)
      : A(core_A), B(core_B) {
    R.noalias() = X_WA.R.transpose() * X_WB.R;
    p.noalias() = X_WA.R.transpose() * (X_WB.p - X_WA.p);
    // Meshes keep their corners about a centre of their own: smaller numbers round less.
    if (A.points != nullptr) p -= A.offset;
    if (B.points != nullptr) p += R * B.offset;
    scale = A.extent + B.extent;
    if (spread_W != nullptr) {
      is_displaced = true;
      spread = X_WA.R.transpose() * *spread_W * X_WA.R;
      scale += displacementRadius(spread);
    }
    rounding = kEpsilon * (scale + p.cwiseAbs().maxCoeff());
  }

  Vec3 supportA(const Vec3& n) const { return coreSupport(A, n); }
  Vec3 supportB(const Vec3& n) const {
    const Vec3 point = R * coreSupport(B, towardA(n)) + p;
    return is_displaced ? point + displacement(n) : point;
  }
  /// B's displacement farthest against n.
  Vec3 displacement(const Vec3& n) const { return -farthestDisplacement(spread, n); }

  bool isPolytope() const { return A.isPolytope() && B.isPolytope() && !is_displaced; }

  Vec3 towardA(const Vec3& n) const { return -(R.transpose() * n); }  ///< -n in B's frame

  /// Room between the cores along n (any n: a lower bound of their signed distance).
  double separation(const Vec3& n) const { return n.dot(supportB(n) - supportA(n)); }
};

}  // namespace allclear
