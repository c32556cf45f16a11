// From body curves to the curves of a convex shape. The frame G is fixed to the body, so the
// Bernstein coefficients of its pose are those of the body times X_BG. Points of the shape lie
// within `reach` of G's origin; a half-space has no such bound and is known by its frame alone.

#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/convex/convex.h"

namespace allclear {
namespace {

constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

void fillBall(ConvexCurve* curve, bool bounded) {
  Vec3 low = curve->control[0].p, high = low;
  for (const Pose& X : curve->control) {
    low = low.cwiseMin(X.p);
    high = high.cwiseMax(X.p);
  }
  // About the middle of the box of G's origins: the hull of the coefficients holds their path.
  curve->ball_center = 0.5 * (low + high);
  double spread = 0.0;
  for (const Pose& X : curve->control) {
    spread = std::max(spread, (X.p - curve->ball_center).norm());
  }
  curve->ball_radius = bounded ? (spread + curve->reach + curve->error) * (1.0 + kRounding)
                               : std::numeric_limits<double>::infinity();
}

ConvexCurve curveOnCell(const BodyCurve& body, const Shape& shape, const Pose& X_BG) {
  ConvexCurve curve;
  curve.shape = &shape;
  curve.time = body.time;
  const Ball ball = boundingBall(shape);
  const bool bounded = std::isfinite(ball.radius);
  curve.reach = bounded ? ball.center.norm() + ball.radius : 0.0;
  for (std::size_t k = 0; k < curve.control.size(); ++k) {
    curve.control[k] = body.control[k] * X_BG;
    ALLCLEAR_ASSERT(curve.control[k].p.allFinite() && curve.control[k].R.allFinite());
    curve.scale = std::max(curve.scale, curve.control[k].p.cwiseAbs().maxCoeff());
  }
  // The body's error grows with the distance from its reference point: take the farthest point.
  const double from_reference =
      (X_BG * ball.center - body.reference_B).norm() + (bounded ? ball.radius : 0.0);
  curve.rotation_error = body.rotation_error + kRounding;
  curve.error = body.error(from_reference) + kRounding * (curve.scale + curve.reach);
  curve.lever_speed = body.bounds.linear[0] + body.bounds.angular[0] * from_reference;
  curve.angular_speed = body.bounds.angular[0];
  ALLCLEAR_ASSERT(std::isfinite(curve.error + curve.rotation_error + curve.lever_speed));
  fillBall(&curve, bounded);
  return curve;
}

}  // namespace

void convexCurves(std::span<const BodyCurve> bodies, const Shape& shape, const Pose& X_BG,
                  std::span<ConvexCurve> curves) {
  ALLCLEAR_ASSERT(bodies.size() == curves.size());
  if (std::holds_alternative<TriangleMesh>(shape)) {
    throw InputError("a triangle mesh has no convex curve");
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    curves[i] = curveOnCell(bodies[i], shape, X_BG);
    if (i == 0) continue;
    const Pose &start = curves[i].control.front(), &end = curves[i - 1].control.back();
    curves[i].jump = (start.p - end.p).norm() + (start.R - end.R).norm() * curves[i].reach;
  }
}

std::vector<ConvexCurve> convexCurves(const MovingShape& moving) {
  std::vector<ConvexCurve> curves(moving.curves.size());
  convexCurves(moving.curves, *moving.shape, moving.X_BG, curves);
  return curves;
}

}  // namespace allclear
