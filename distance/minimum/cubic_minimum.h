#pragma once

#include <cmath>

#include "allclear/core/simd.h"

namespace allclear::mcd {

/// The cubic on [0, 1] with the end values d0, d1 and end slopes f0, f1: where in (0, 1) its local
/// minimum lies, and its value there; false when it has none inside. With d(x) = d0 + f0 x + c2 x^2
/// + c3 x^3 that is the root of d' at which d'' = 2 sqrt(c2^2 - 3 c3 f0) > 0, in the one of its two
/// forms that does not subtract nearly equal numbers.
ALLCLEAR_INLINE bool innerMinimum(double d0, double f0, double d1, double f1, double* x,
                                  double* value) {
  const double rise = d1 - d0;
  const double c2 = 3.0 * rise - 2.0 * f0 - f1;
  const double c3 = f0 + f1 - 2.0 * rise;
  const double discriminant = c2 * c2 - 3.0 * c3 * f0;
  if (!(discriminant > 0.0)) return false;
  const double root = std::sqrt(discriminant);
  *x = c2 > 0.0 ? -f0 / (c2 + root) : (root - c2) / (3.0 * c3);
  if (!(*x > 0.0 && *x < 1.0)) return false;
  *value = d0 + *x * (f0 + *x * (c2 + *x * c3));
  return true;
}

}  // namespace allclear::mcd
