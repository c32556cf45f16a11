#pragma once

#include <functional>
#include <span>

#include "allclear/distance/body_curve.h"
#include "allclear/distance/smooth_distance.h"

namespace allclear {

/// A prepared body fixed to a moving one; `curves` as of `MovingShape`: consecutive cells, the same
/// for both bodies of a query, or one still curve for all.
struct SmoothMover {
  const SmoothBody* body = nullptr;
  Pose X_BG;
  std::span<const BodyCurve> curves;
};

/// A minimum over time of a smooth distance, of the curves' polynomials.
struct SmoothMinimum {
  double t_star = 0.0;
  SmoothDistance at;  ///< the distance at t_star
  int evaluations = 0;
};

/// Walks from `t_guess` downhill in `span`, by growing steps and then by the sign of the slope
/// that `look(t)` returns, until the slope is 1e-6 of the steepest met, or an end of the span is
/// reached. How often it looked.
int descend(Interval span, double t_guess, const std::function<double(double t)>& look);

/// The minimum downhill from `t_guess` (that of the Euclidean distance, where `minimumDistance`
/// finds the least over the whole interval), in the curves' interval: its slope by time is zero to
/// 1e-6 of the steepest met, or it is an end of the interval. Never above the distance at
/// `t_guess`. It is the lowest one wherever the smooth distance has no other valley lower than that
/// one; that is not searched for. Of methods with branches all is on the branch at `t_guess`.
SmoothMinimum smoothMinimum(const SmoothMover& a, const SmoothMover& b, double t_guess,
                            const SmoothOptions& options, SmoothState* state = nullptr);

}  // namespace allclear
