#pragma once

#include <array>
#include <span>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"

namespace allclear {

/// Bounds, over a cell of time, of the derivatives of a body's motion: for n = 1, 2, 3 every body
/// point u [m] from the reference point obeys |dⁿ/dtⁿ x_W(t)| ≤ linear[n-1] + angular[n-1] |u|.
struct DerivativeBounds {
  std::array<double, 3> linear{};
  std::array<double, 3> angular{};
};

/// The motion of one body on one cell of time, `time`: a pose polynomial with a rigorous remainder,
/// so that bounds over the cell need the polynomial alone.
///
/// The polynomial is in Bernstein form of degree 7 over the cell, s = (t - t0) / (t1 - t0):
/// X(s) = sum_i B_i(s) control[i]; the control "rotations" are 3x3 matrices, not rotations. The
/// true position of the body point p_B is within `error(|p_B - reference_B|)` of X(s) * p_B for all
/// s.
struct BodyCurve {
  static constexpr int kDegree = 7;

  Interval time;
  std::array<Pose, kDegree + 1> control;
  Vec3 reference_B = Vec3::Zero();
  double position_error = 0.0;  ///< [m] at the reference point
  double rotation_error = 0.0;  ///< [m] per metre from the reference point
  DerivativeBounds bounds;      ///< of the true motion, not of the polynomial

  /// Error bound [m] at a body point `radius` [m] away from the reference point.
  double error(double radius) const { return position_error + rotation_error * radius; }

  /// The polynomial's pose at time t in the cell.
  Pose pose(double t) const;

  /// Bernstein coefficients of the curve of a body point, as columns: exact for the polynomial.
  Eigen::Matrix<double, 3, kDegree + 1> pointCurve(const Vec3& p_B) const;

  /// The same motion on a part of `time`.
  BodyCurve restricted(Interval part) const;

  /// The curve of a body at rest, on `time`.
  static BodyCurve still(const Pose& X_WB, Interval time);
};

/// Poses at the 8 Chebyshev-Lobatto nodes of a cell, first and last instant included, to the
/// polynomial through them.
struct LobattoNodes {
  static constexpr int kCount = BodyCurve::kDegree + 1;
  /// Instants between the nodes, where the polynomial can be held against the motion.
  static constexpr int kChecks = kCount - 1;
  /// Node i, then check i - kCount, in [0, 1]; each ascending.
  static double at(int i);

  static std::array<Pose, kCount> controlFromSamples(std::span<const Pose, kCount> samples);
  /// The polynomial's poses at the checks.
  static std::array<Pose, kChecks> atChecks(std::span<const Pose, kCount> samples);
};

/// Bound of the interpolation's error over a cell of length h [s]: kCheckedShare * (the greatest
/// deviation at a check) + kCheckedRest (h/2)^15 sup|p^(15)| (docs/algorithms/motion-bounds.md).
inline constexpr double kCheckedShare = 1.4061;
inline constexpr double kCheckedRest = 0.007765 / 64.0 / 1307674368000.0;

}  // namespace allclear
