#pragma once

#include <span>

#include "allclear/distance/body_curve.h"
#include "allclear/distance/phong/smooth_distance.h"

namespace allclear {

/// A prepared body fixed to a moving one. `curves` as in `MovingShape`: consecutive cells, the same
/// ones for both bodies of a query, or a single still curve for the whole interval.
struct SmoothMover {
  const SmoothBody* body = nullptr;
  Pose X_BG;
  std::span<const BodyCurve> curves;
};

/// A minimum over time of a smooth distance, along the polynomials of the curves.
struct SmoothMinimum {
  double t_star = 0.0;
  SmoothDistance at;  ///< the distance at t_star
  int evaluations = 0;
};

/// The minimum downhill from `t_guess`, over the interval of the curves. Start at the minimum of
/// the Euclidean distance: `minimumDistance` has searched the whole interval for that one. At the
/// result the slope by time is 1e-6 of the steepest one met, or it is an end of the interval; the
/// value is never above that at `t_guess`. Another valley of the smooth distance may be lower: it
/// is not searched for. With Phong methods the whole walk stays on the branch at `t_guess`.
SmoothMinimum smoothMinimum(const SmoothMover& a, const SmoothMover& b, double t_guess,
                            const SmoothOptions& options, SmoothState* state = nullptr);

}  // namespace allclear
