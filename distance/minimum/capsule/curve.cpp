// From body curves to the curves of a capsule's axis. A fixed point p of the body moves along
// R(s) p + T(s), so its Bernstein coefficients are those of the pose applied to p. All bounds here
// are convex hull bounds: a Bernstein polynomial stays in the hull of its coefficients, and so does
// its derivative, whose coefficients are the differences of neighbours times the degree.

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/capsule/capsule.h"

namespace allclear {
namespace {

constexpr int kCount = BodyCurve::kDegree + 1;
// Roundings of a coefficient (a product of a matrix and a vector, some ten operations) and of later
// evaluations of the curve (fewer than 50 by de Casteljau), relative to its magnitude.
constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

double squaredGap(const double (*x)[2], const double (*y)[2], int end) {
  double sum = 0.0;
  for (int c = 0; c < 3; ++c) sum += (x[c][end] - y[c][end]) * (x[c][end] - y[c][end]);
  return sum;
}

/// Largest distance between two rows of end points.
double gap(const double (*x)[2], const double (*y)[2]) {
  return std::sqrt(std::max(squaredGap(x, y, 0), squaredGap(x, y, 1)));
}

void fillBounds(CapsuleCurve* curve) {
  double low[3], high[3];
  curve->scale = 0.0;
  for (int c = 0; c < 3; ++c) {
    low[c] = high[c] = curve->end[0][c][0];
    for (int k = 0; k < kCount; ++k) {
      for (double x : curve->end[k][c]) {
        low[c] = std::min(low[c], x);
        high[c] = std::max(high[c], x);
      }
    }
    curve->scale = std::max({curve->scale, std::abs(low[c]), std::abs(high[c])});
    curve->ball_center[c] = 0.5 * (low[c] + high[c]);
  }
  const double(&m)[3] = curve->ball_center;
  const double middle[3][2] = {{m[0], m[0]}, {m[1], m[1]}, {m[2], m[2]}};
  double reach = 0.0, step = 0.0;  // squared
  for (int k = 0; k < kCount; ++k) {
    reach = std::max(
        {reach, squaredGap(curve->end[k], middle, 0), squaredGap(curve->end[k], middle, 1)});
    if (k == 0) continue;
    step = std::max({step, squaredGap(curve->end[k], curve->end[k - 1], 0),
                     squaredGap(curve->end[k], curve->end[k - 1], 1)});
  }
  curve->error += kRounding * curve->scale;
  curve->ball_radius = (std::sqrt(reach) + curve->radius + curve->error) * (1.0 + kRounding);
  // The hodograph's coefficients bound the speed by the convex hull property.
  curve->speed = BodyCurve::kDegree * std::sqrt(step) * (1.0 + kRounding);
}

/// NaN would be lost in the kernel's minima and maxima, and prove what is false.
bool isFinite(const CapsuleCurve& curve) {
  double sum = curve.error + curve.lever_speed + curve.radius;
  for (int k = 0; k < kCount; ++k) {
    for (int c = 0; c < 3; ++c) sum += std::abs(curve.end[k][c][0]) + std::abs(curve.end[k][c][1]);
  }
  return std::isfinite(sum);
}

CapsuleCurve curveOnCell(const BodyCurve& body, const CapsuleAxis& axis) {
  CapsuleCurve curve;
  for (int k = 0; k < kCount; ++k) {
    const Vec3 x0 = body.control[k] * axis.p0;
    const Vec3 x1 = body.control[k] * axis.p1;
    for (int c = 0; c < 3; ++c) {
      curve.end[k][c][0] = x0[c];
      curve.end[k][c][1] = x1[c];
    }
  }
  curve.radius = axis.radius;
  curve.time = body.time;
  // Every point of the axis is as near to the reference point as the farther end at most.
  const double reach =
      std::max((axis.p0 - body.reference_B).norm(), (axis.p1 - body.reference_B).norm());
  curve.error = body.error(reach);
  curve.lever_speed = body.bounds.linear[0] + body.bounds.angular[0] * reach;
  fillBounds(&curve);
  ALLCLEAR_ASSERT(isFinite(curve));
  curve.jump = 0.0;
  return curve;
}

}  // namespace

CapsuleAxis capsuleAxis(const Shape& shape, const Pose& X_BG) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    return {X_BG.p, X_BG.p, sphere->radius()};
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Vec3 half = X_BG.R.col(2) * (0.5 * capsule->length());
    return {X_BG.p - half, X_BG.p + half, capsule->radius()};
  }
  throw InputError("a " + shapeName(shape) + " has no capsule axis");
}

void capsuleCurves(std::span<const BodyCurve> bodies, const CapsuleAxis& axis,
                   std::span<CapsuleCurve> curves) {
  ALLCLEAR_ASSERT(bodies.size() == curves.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    curves[i] = curveOnCell(bodies[i], axis);
    if (i > 0) curves[i].jump = gap(curves[i].end[0], curves[i - 1].end[kCount - 1]);
  }
}

std::vector<CapsuleCurve> capsuleCurves(const MovingShape& moving) {
  std::vector<CapsuleCurve> curves(moving.curves.size());
  capsuleCurves(moving.curves, capsuleAxis(*moving.shape, moving.X_BG), curves);
  return curves;
}

}  // namespace allclear
