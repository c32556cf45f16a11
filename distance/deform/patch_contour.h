#pragma once

#include <vector>

namespace allclear::deform {

/// A closed polygon in the plane whose corners move linearly from t = 0 to t = 1.
struct MovingLoop {
  /// Of each corner x and y at t = 0, then x and y at t = 1.
  const double* corners = nullptr;
  int count = 0;
  /// Bounds what one coordinate may be off by.
  double rounding = 0.0;
};

/// Whether no two edges meet but neighbours in their common corner, at every t in [0, 1] (or, when
/// `for_all_times` is false, at t = 0). `false` means no more than that there is no proof.
bool staysSimple(const MovingLoop& loop, bool for_all_times);

}  // namespace allclear::deform
