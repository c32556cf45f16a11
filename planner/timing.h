#pragma once

#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/bspline.h"
#include "allclear/trajectories/hermite.h"

namespace allclear {

/// The shortest duration [s] for which bounds of the curve's velocity, acceleration and jerk keep
/// their limits, and at least the problem's shortest duration. It may exceed the longest one.
double neededDuration(const Problem& problem, const BSpline& curve);

/// `neededDuration`, or the problem's longest duration if that is shorter [s].
double feasibleDuration(const Problem& problem, const BSpline& curve);

/// A motion along the straight segments of `path` (planned coordinates, two vertices and more) that
/// rests at every vertex. Each segment follows the smooth step 10 s^3 - 15 s^4 + 6 s^5, as fast as
/// the limits allow: slow, but exactly as clear as the path.
/// Pre: `durationAtCorners` is finite, and not beyond 1e9 s (where instants would not differ).
HermiteCurve restingAtCorners(const Problem& problem, const std::vector<VecX>& path);
/// The duration [s] of that motion; infinite where a limit is next to nothing.
double durationAtCorners(const Problem& problem, const std::vector<VecX>& path);

}  // namespace allclear
