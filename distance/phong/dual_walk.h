#pragma once

#include <array>
#include <optional>

#include "allclear/distance/phong/surface.h"

namespace allclear::phong {

/// A point on each of two surfaces.
struct PointPair {
  SurfacePoint a, b;
};

/// The equations F of the dual Phong distance and their Jacobian at one pair of points, in A's
/// frame; dual_walk.cpp derives them.
struct DualEquations {
  Eigen::Matrix<double, 4, 1> F;
  Eigen::Matrix<double, 4, 4> J;  ///< by two barycentric coordinates of a, then of b
  Plane Psi;                      ///< tangent plane at a
  Vec3 n;                         ///< unit normal at a
  Vec3 m;                         ///< unit normal at b
  Vec3 x;                         ///< from b to a
  Vec3 Rb;                        ///< b relative to B's origin
  Vec3 da[2], db[2];              ///< derivatives of a and b by the coordinates
};

/// Newton's method for F = 0 over a pair of surfaces at a fixed pose.
class DualWalk {
 public:
  /// `size` [m] of the smaller body: the scale of steps.
  DualWalk(const PhongSurface& A, const PhongSurface& B, const Pose& X_AB, double size)
      : A_(A), B_(B), X_(X_AB), size_(size) {}

  /// Goes from `at` to a solution: over edges or, with `walking` false, on the two facets extended
  /// to their planes. False when it does not converge; `at` and `out` are then the last point.
  bool solve(PointPair* at, bool walking, DualEquations* out) const;

 private:
  using Vec4 = Eigen::Matrix<double, 4, 1>;

  DualEquations equations(const PointPair& at) const;
  PointPair moved(const PointPair& at, const DualEquations& e, const Vec4& step,
                  bool walking) const;
  bool searchAlong(const Vec4& step, bool walking, double length, double* residual_at,
                   PointPair* at, DualEquations* e) const;

  const PhongSurface& A_;
  const PhongSurface& B_;
  const Pose& X_;
  double size_;
};

/// Derivatives of the distance at a solution by B's translation and rotation about its origin, in
/// A's frame; nothing where J is singular.
std::optional<std::array<Vec3, 2>> gradientByB(const DualEquations& e);

}  // namespace allclear::phong
