#include "allclear/distance/phong/smooth_minimum.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/distance/soft/descend.h"

namespace allclear {
namespace {

/// Half-width of the central difference, in shares of a cell. Over a cell the curve is a polynomial
/// of small degree, so that the difference has the rate to about the square of this, 1e-6: as
/// exact as the slopes that `descend` asks for.
constexpr double kRateStep = 1e-3;

/// A moving body's pose and the rates that its polynomial has there.
struct PoseAndRate {
  Pose X_WG;
  Vec3 velocity = Vec3::Zero();  ///< of G's origin, world
  Vec3 spin = Vec3::Zero();      ///< world
};

const BodyCurve& cellAt(std::span<const BodyCurve> curves, double t) {
  const auto* cell = std::partition_point(curves.data(), curves.data() + curves.size() - 1,
                                          [&](const BodyCurve& c) { return c.time.upper < t; });
  return *cell;
}

PoseAndRate poseAndRate(const SmoothMover& mover, double t) {
  const BodyCurve& curve = cellAt(mover.curves, t);
  PoseAndRate out;
  const Pose here = curve.pose(t);
  out.X_WG = here * mover.X_BG;
  if (mover.curves.size() == 1 && curve.bounds.linear[0] == 0.0 && curve.bounds.angular[0] == 0.0) {
    return out;
  }
  const double step = kRateStep * curve.time.length();
  const double before = std::max(curve.time.lower, t - step);
  const double after = std::min(curve.time.upper, t + step);
  const Pose X = curve.pose(before), Y = curve.pose(after);
  const double rate = 1.0 / (after - before);
  // dR/dt R^T is the cross-product matrix of the spin; differences make it so only nearly, and the
  // antisymmetric part is the nearest one that is.
  const Mat3 W = rate * (Y.R - X.R) * here.R.transpose();
  out.spin = 0.5 * Vec3(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
  out.velocity = rate * ((Y * mover.X_BG.p) - (X * mover.X_BG.p));
  return out;
}

}  // namespace

SmoothMinimum smoothMinimum(const SmoothMover& a, const SmoothMover& b, double t_guess,
                            const SmoothOptions& options, SmoothState* state) {
  if (a.curves.empty() || b.curves.empty()) {
    throw InputError("a minimum over time needs a curve of both bodies");
  }
  const auto& longer = a.curves.size() > 1 ? a.curves : b.curves;
  const Interval span{longer.front().time.lower, longer.back().time.upper};
  SmoothState own;
  if (state == nullptr) state = &own;
  const bool was_frozen = state->frozen;
  SmoothMinimum best;
  best.at.distance = HUGE_VAL;
  best.evaluations = descend(span, t_guess, [&](double t) {
    const PoseAndRate A = poseAndRate(a, t), B = poseAndRate(b, t);
    const SmoothDistance d = smoothDistance(*a.body, A.X_WG, *b.body, B.X_WG, options, state);
    // From the first solution on, stay on its branch: one smooth function for the whole walk.
    state->frozen = state->valid;
    if (d.distance < best.at.distance) {
      best.t_star = t;
      best.at = d;
    }
    const DistanceGradient& g = d.gradient;
    return g.translation_A.dot(A.velocity) + g.rotation_A.dot(A.spin) +
           g.translation_B.dot(B.velocity) + g.rotation_B.dot(B.spin);
  });
  state->frozen = was_frozen;
  return best;
}

}  // namespace allclear
