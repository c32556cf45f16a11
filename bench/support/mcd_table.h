#pragma once

// Times of single queries and their figures.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace allclear::bench {

inline double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the clock itself takes between two readings [s]: taken off single queries.
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

/// Flat figures, written as JSON when a file was asked for.
class Figures {
 public:
  void set(const std::string& key, double value) { figures_[key] = value; }
  void write(const std::string& file) const {
    if (!file.empty()) std::ofstream(file) << nlohmann::json{{"figures", figures_}}.dump(2) << "\n";
  }

 private:
  std::map<std::string, double> figures_;
};

}  // namespace allclear::bench
