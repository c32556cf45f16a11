#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "allclear/core/file.h"

namespace allclear::bench {

/// The figures of one run of a bench: printed by the bench as it likes, kept here under flat keys,
/// and written as {"figures": {key: number}} where the command line has `--json FILE`.
class Report {
 public:
  Report(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; ++i) {
      if (std::strcmp(argv[i], "--json") == 0) file_ = argv[i + 1];
    }
  }
  ~Report() {
    if (file_.empty()) return;
    nlohmann::json out;
    out["figures"] = figures_;
    writeFileAtomically(file_, out.dump(1) + "\n");
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  double figure(const std::string& key, double value) { return figures_[key] = value; }

 private:
  std::string file_;
  std::map<std::string, double> figures_;
};

/// Nanoseconds per call of `call(i)`: the least of `rounds` rounds of about `seconds` each, so that
/// what else the machine does counts as little as can be.
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
