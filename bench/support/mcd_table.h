#pragma once

// Times of single queries and their statistics.

#include <algorithm>
#include <chrono>
#include <vector>

namespace allclear::bench {

inline double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The time between two readings of the clock [s]: subtracted from single queries.
inline double clockOverhead() {
  double least = 1.0;
  for (int i = 0; i < 1000; ++i) {
    const double start = secondsNow();
    least = std::min(least, secondsNow() - start);
  }
  return least;
}

struct Statistics {
  double mean = 0.0, median = 0.0, p99 = 0.0;
};

inline Statistics statisticsOf(std::vector<double> values) {
  Statistics s;
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  for (double v : values) s.mean += v / static_cast<double>(values.size());
  s.median = values[values.size() / 2];
  s.p99 = values[values.size() * 99 / 100];
  return s;
}

}  // namespace allclear::bench
