#pragma once

#include "allclear/core/types.h"

namespace allclear::fitting {

using Vec7 = Eigen::Matrix<double, 7, 1>;

/// One linear constraint per column: the first seven rows . y >= the last row.
using Constraints = Eigen::Matrix<double, 8, Eigen::Dynamic>;

/// The shortest y that fulfils all constraints. False when there is none, or when rounding keeps it
/// from being found. Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23: the dual
/// is a nonnegative least-squares problem.
bool leastDistance(const Constraints& constraints, Vec7* y);

}  // namespace allclear::fitting
