#pragma once

// Dense sampling of the true motion with polishing: an upper bound of the minimum that is all but
// exact, and a check of brackets against it.

#include <algorithm>
#include <cmath>
#include <vector>

#include "allclear/core/types.h"

namespace allclear::test {

struct TrueMinimum {
  double value = HUGE_VAL;
  double t = 0.0;
};

/// Least of f on the interval: `samples` values, each local minimum within reach of the least one
/// polished by golden section.
template <class Function>
TrueMinimum trueMinimum(const Function& f, Interval span, int samples) {
  std::vector<double> values(samples + 1);
  const auto at = [&](int i) { return span.lower + span.length() * i / samples; };
  double least = HUGE_VAL, variation = 0.0;
  for (int i = 0; i <= samples; ++i) {
    values[i] = f(at(i));
    least = std::min(least, values[i]);
    if (i > 0) variation = std::max(variation, std::abs(values[i] - values[i - 1]));
  }
  TrueMinimum best;
  const auto offer = [&](double value, double t) {
    if (value < best.value) best = {value, t};
  };
  for (int i = 0; i <= samples; ++i) {
    offer(values[i], at(i));
    const bool local =
        (i == 0 || values[i] <= values[i - 1]) && (i == samples || values[i] <= values[i + 1]);
    if (!local || values[i] > least + variation) continue;
    constexpr double kGolden = 0.3819660112501051;
    double low = at(std::max(i - 1, 0)), high = at(std::min(i + 1, samples));
    double x1 = low + kGolden * (high - low), x2 = high - kGolden * (high - low);
    double f1 = f(x1), f2 = f(x2);
    for (int k = 0; k < 40; ++k) {
      offer(f1, x1);
      offer(f2, x2);
      if (f1 < f2) {
        high = x2;
        x2 = x1;
        f2 = f1;
        f1 = f(x1 = low + kGolden * (high - low));
      } else {
        low = x1;
        x1 = x2;
        f1 = f2;
        f2 = f(x2 = high - kGolden * (high - low));
      }
    }
  }
  return best;
}

}  // namespace allclear::test
