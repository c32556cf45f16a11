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
  int valleys = 0;                 ///< local minima of the samples
  double highest = 0.0;            ///< greatest sample
  double first = 0.0, last = 0.0;  ///< values at the interval's ends
};

/// Golden section from a bracket of a local minimum, until its values are the same to `exact`.
template <class Function>
void polish(const Function& f, double low, double f_low, double high, double f_high,
            TrueMinimum* best) {
  constexpr double kGolden = 0.3819660112501051, kExact = 1e-13;
  double x1 = low + kGolden * (high - low), x2 = high - kGolden * (high - low);
  double f1 = f(x1), f2 = f(x2);
  for (int k = 0; k < 40; ++k) {
    const bool left = f1 < f2;
    if (std::min(f1, f2) < best->value) {
      best->value = std::min(f1, f2);
      best->t = left ? x1 : x2;
    }
    if (std::max(f_low, f_high) - std::min(f1, f2) < kExact) return;
    if (left) {
      high = x2, f_high = f2;
      x2 = x1, f2 = f1;
      f1 = f(x1 = low + kGolden * (high - low));
    } else {
      low = x1, f_low = f1;
      x1 = x2, f1 = f2;
      f2 = f(x2 = high - kGolden * (high - low));
    }
  }
}

/// Least of f on the interval: `samples` values, each local minimum that may be the least one
/// polished, the lowest first.
template <class Function>
TrueMinimum trueMinimum(const Function& f, Interval span, int samples) {
  std::vector<double> values(samples + 1);
  const auto at = [&](int i) { return span.lower + span.length() * i / samples; };
  TrueMinimum best;
  for (int i = 0; i <= samples; ++i) {
    values[i] = f(at(i));
    if (values[i] < best.value) best = {values[i], at(i)};
  }
  best.highest = *std::max_element(values.begin(), values.end());
  best.first = values.front();
  best.last = values.back();
  std::vector<int> valleys;
  for (int i = 0; i <= samples; ++i) {
    const bool local =
        (i == 0 || values[i] <= values[i - 1]) && (i == samples || values[i] < values[i + 1]);
    if (local) valleys.push_back(i);
  }
  best.valleys = static_cast<int>(valleys.size());
  std::sort(valleys.begin(), valleys.end(), [&](int i, int j) { return values[i] < values[j]; });
  for (int i : valleys) {
    // Between samples f falls no further than it changes from one to the next hereabouts.
    double variation = 0.0;
    for (int k = std::max(i - 2, 0); k < std::min(i + 3, samples); ++k) {
      variation = std::max(variation, std::abs(values[k + 1] - values[k]));
    }
    if (values[i] > best.value + variation) continue;
    const int low = std::max(i - 1, 0), high = std::min(i + 1, samples);
    polish(f, at(low), values[low], at(high), values[high], &best);
  }
  return best;
}

}  // namespace allclear::test
