#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "allclear/distance/minimum_distance.h"

namespace allclear {

/// A capsule fixed to a body: the points within `radius` of the segment p0-p1, body frame. A sphere
/// has p0 = p1.
struct CapsuleAxis {
  Vec3 p0 = Vec3::Zero();
  Vec3 p1 = Vec3::Zero();
  double radius = 0.0;
};

/// The axis of a capsule or sphere; `InputError` for other shapes.
CapsuleAxis capsuleAxis(const Shape& shape, const Pose& X_BG);

/// A moving capsule on one cell, ready for the hot kernel: made once per (capsule, cell) by
/// `capsuleCurves` and shared by all pairs of the capsule.
struct alignas(64) CapsuleCurve {
  /// Bernstein coefficients of the axis's two end points: [k][coordinate][end].
  double end[BodyCurve::kDegree + 1][3][2];
  double ball_center[3];  ///< ball about everything the capsule sweeps in the cell, error included
  double ball_radius;
  double error;   ///< bound of the true axis's deviation from the polynomial one, rounding included
  double radius;  ///< of the capsule
  double speed;   ///< bound of the polynomial end points' speed [m per unit of s]
  double lever_speed;  ///< bound of the true end points' speed [m/s], from lever arms
  double scale;        ///< bound of the coefficients' magnitudes [m]
  double jump;  ///< bound of the gap [m] between this curve's start and the previous cell's end
  Interval time;

  bool still() const { return speed == 0.0 && lever_speed == 0.0; }
};

/// The curves of a capsule on consecutive cells; `curves` has one element per body curve.
void capsuleCurves(std::span<const BodyCurve> bodies, const CapsuleAxis& axis,
                   std::span<CapsuleCurve> curves);

/// The curves of a moving capsule or sphere.
std::vector<CapsuleCurve> capsuleCurves(const MovingShape& moving);

/// `minimumDistance` of two capsules whose curves exist already (equally many of both, or one still
/// curve for all cells): they are made once per capsule and shared by all its pairs.
DistanceBracket minimumDistance(std::span<const CapsuleCurve> a, std::span<const CapsuleCurve> b,
                                const McdOptions& options);

/// The certified kernel's result, of the true motion's signed distance [m].
struct CapsuleBracket {
  double lower;
  double upper;
  double s;      ///< in [0, 1] within `cell`
  double sigma;  ///< witness on A's axis, 0 at p0
  double tau;    ///< witness on B's axis
  int cell;      ///< -1 when no distance was evaluated (`upper` is then a bound by balls)
  McdStatus status;
  int distance_evaluations;
  int bound_evaluations;
};

/// As `McdOptions`, for the bare kernel.
struct CapsuleQuery {
  double tolerance = 1e-3;      ///< wanted width of the bracket [m], as that of `McdOptions`
  double threshold = HUGE_VAL;  ///< [m]; infinite: none
  bool decide_only = false;
  int max_evaluations = 100000;
};

/// The bare certified kernel: no allocation, no witnesses.
CapsuleBracket capsuleMinimum(std::span<const CapsuleCurve> a, std::span<const CapsuleCurve> b,
                              const CapsuleQuery& query);

/// The axes of two capsules at one instant s of a cell, for the polynomial motion.
struct CapsuleInstant {
  double distance;  ///< of the axes
  double sigma;
  double tau;
  double x[12];   ///< end points: coordinate * 4 + (a0, a1, b0, b1)
  double dx[12];  ///< their derivatives by s
};
void capsuleInstant(const CapsuleCurve& a, const CapsuleCurve& b, double s,
                    CapsuleInstant* instant);

/// The kernel's bound alone: lower bound of the squared distance [m^2] of the axes of the
/// polynomial motion over s in [s0, s1] of a cell; may be negative.
double capsuleCertificate(const CapsuleCurve& a, const CapsuleCurve& b, double s0, double s1);

}  // namespace allclear
