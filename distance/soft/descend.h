#pragma once

#include <functional>

#include "allclear/core/types.h"

namespace allclear {

/// Walks downhill from `t_guess` to a minimum over time of a function whose slope at t is
/// `slope(t)`: first by growing steps until the slope changes its sign, then by the bracketed
/// secant method. Ends where the slope is 1e-6 of the steepest one met, at an end of `span`, or
/// after 40 evaluations. The caller keeps the lowest value that it saw. Returns the number of
/// evaluations.
int descend(Interval span, double t_guess, const std::function<double(double t)>& slope);

}  // namespace allclear
