#pragma once

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "allclear/core/file.h"
#include "allclear/core/types.h"

namespace allclear::bench {

/// The figures of one run of a bench, under flat keys, and the series that `bench/plot.py` draws:
/// written as {"figures": {key: number}, "plots": [..]} where the command line has `--json FILE`.
class Report {
 public:
  explicit Report(std::string file) : file_(std::move(file)) {}
  Report(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i) {
      if (std::strcmp(argv[i], "--json") == 0) file_ = argv[i + 1];
    }
  }
  ~Report() {
    if (file_.empty()) return;
    nlohmann::json out;
    out["figures"] = figures_;
    if (!plots_.empty()) out["plots"] = plots_;
    writeFileAtomically(file_, out.dump(1) + "\n");
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  /// Whether there will be a file: series of plots need not be computed without one.
  bool isWritten() const { return !file_.empty(); }

  double figure(const std::string& key, double value) { return figures_[key] = value; }

  /// A plot as one of the functions of `plots.h` returns it.
  void plot(nlohmann::json plot) { plots_.push_back(std::move(plot)); }

 private:
  std::string file_;
  std::map<std::string, double> figures_;
  std::vector<nlohmann::json> plots_;
};

/// Nanoseconds per call of `call(i)`: the least of `rounds` rounds of about `seconds` each, so that
/// other work on the machine counts as little as possible.
template <class Call>
double nanosecondsPerCall(const Call& call, double seconds = 0.05, int rounds = 7) {
  using Clock = std::chrono::steady_clock;
  const auto timed = [&](long n) {
    const auto start = Clock::now();
    for (long i = 0; i < n; ++i) call(static_cast<int>(i));
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  long n = 16;
  while (timed(n) < 0.2 * seconds) n *= 2;
  double best = timed(n) / static_cast<double>(n);
  const long per_round = std::max(1L, static_cast<long>(seconds / best));
  for (int r = 0; r < rounds; ++r) {
    best = std::min(best, timed(per_round) / static_cast<double>(per_round));
  }
  return best * 1e9;
}

/// Keeps a result from being optimised away.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace allclear::bench
