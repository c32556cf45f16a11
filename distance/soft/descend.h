#pragma once

#include <functional>

#include "allclear/core/types.h"

namespace allclear {

/// As near to the minimum as rounding lets a value tell.
inline constexpr double kLevelSlope = 1e-6;

/// Walks downhill from `t_guess` to a minimum over time of a function whose slope at t is
/// `slope(t)`: first by growing steps until the slope changes its sign, then by the bracketed
/// secant method. Ends where the slope is `level` of the steepest one met, at an end of `span`, or
/// after 40 evaluations. The value there is above the minimum by about level^2 of its range over
/// the valley. The caller keeps the lowest value that it saw. Returns the number of evaluations.
int descend(Interval span, double t_guess, const std::function<double(double t)>& slope,
            double level = kLevelSlope);

}  // namespace allclear
