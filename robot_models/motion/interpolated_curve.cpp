// A body curve from sampled poses, with a rigorous remainder (docs/algorithms/motion-bounds.md).
//
// Let p(t) be the path of a body point (or a rotated vector), P its polynomial of degree 7 through
// the 8 Chebyshev-Lobatto nodes t_i of a cell of length h, and N(t) = prod (t - t_i).
//
// Plain bound. p - P = N p[t_0 .. t_7, t], a divided difference of order 8, at most sup|p^(8)| / 8!
// in length (Hermite-Genocchi; for vectors too). On s in [-1, 1] the node polynomial is
// (1 - s^2) U_6(s) / 2^6, at most 1/64; hence (h/2)^8 / 64 / 8! sup|p^(8)|.
//
// Checked bound. Evaluate the motion at the 7 extrema tau_j of N as well. The divided difference
// g = (p - P) / N is then interpolated at the tau_j, with a remainder of order 15:
//   |p - P| <= 1.4061 max_j |p(tau_j) - P(tau_j)| + 0.007765 / 64 (h/2)^15 sup|p^(15)| / 15!.
// The first term measures the true motion; it is mostly a hundred times below the plain bound,
// which takes all joint axes as parallel. The lesser of the two bounds counts.
//
// A point at u from the reference point moves by p + R u, so its error is at most the reference
// point's plus |u| times the rotation's (Frobenius norm, not below the spectral one).
#include "allclear/robot_models/motion/interpolated_curve.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/extremes.h"

namespace allclear {
namespace {

constexpr double kFactorial8 = 40320.0;
constexpr double kInverseNodeBound = 64.0;  // 1 / max |N| on [-1, 1]

// Rounding of poses and of their interpolation, relative to the lengths that entered them: some
// hundred operations of one epsilon each; 1000 leaves a wide margin and stays below 1e-12.
constexpr double kPoseRounding = 1e3 * kEpsilon;

/// The pad [m] for a curve: proportional to the greatest length that entered its poses.
double poseRounding(const std::array<Pose, kNodes>& control, double reach) {
  double size = reach;
  for (const Pose& X : control) size = raised(size, X.p.cwiseAbs().sum());
  return kPoseRounding * size;
}

/// How far, at most, the motion is from the polynomial at the checks: squares of the distance of
/// the curve's reference point and of the rotation's.
std::pair<double, double> squaredDeviation(std::span<const Pose> samples, const Vec3& reference_B) {
  const auto polynomial = LobattoNodes::atChecks(samples.first<kNodes>());
  double position = 0.0, rotation = 0.0;
  for (int j = 0; j < LobattoNodes::kChecks; ++j) {
    const Pose& X = samples[kNodes + j];
    const Mat3 turned = X.R - polynomial[j].R;
    const Vec3 moved = turned * reference_B + (X.p - polynomial[j].p);
    position = raised(position, moved.squaredNorm());
    rotation = raised(rotation, turned.squaredNorm());
  }
  return {position, rotation};
}

}  // namespace

double remainderFactor(double cell_length) {
  const double second = 0.25 * cell_length * cell_length;
  return second * second * (second * second) / kFactorial8 / kInverseNodeBound;
}

double checkedRemainderFactor(double cell_length) {
  const double half = 0.5 * cell_length;
  const double second = half * half, fourth = second * second;
  return kCheckedRest * fourth * fourth * fourth * second * half;
}

double interpolateCurve(std::span<const Pose> samples, const MotionMajorant& majorant, double reach,
                        double radius, BodyCurve* curve) {
  const double length = curve->time.length();
  const double factor = remainderFactor(length);
  curve->control = LobattoNodes::controlFromSamples(samples.first<kNodes>());
  curve->position_error = majorant.linear[8] * factor;
  curve->rotation_error = majorant.angular[8] * factor;
  if (samples.size() == kChecked) {
    const auto [position, rotation] = squaredDeviation(samples, curve->reference_B);
    const double rest = checkedRemainderFactor(length);
    curve->position_error = std::min(
        curve->position_error, kCheckedShare * std::sqrt(position) + majorant.linear[15] * rest);
    curve->rotation_error = std::min(
        curve->rotation_error, kCheckedShare * std::sqrt(rotation) + majorant.angular[15] * rest);
  }
  // The polynomial's derivatives are not the motion's: these bounds are of the motion itself.
  for (int n = 1; n <= 3; ++n) {
    curve->bounds.linear[n - 1] = majorant.linear[n];
    curve->bounds.angular[n - 1] = majorant.angular[n];
  }
  const double error = curve->error(radius);
  curve->position_error += poseRounding(curve->control, reach);
  curve->rotation_error += kPoseRounding;
  return error;
}

}  // namespace allclear
