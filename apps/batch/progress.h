#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace allclear::batch {

/// "3 min 20 s" of seconds; "-" when it is not known.
std::string spanText(double seconds);

/// How far a batch is, on standard error: a bar that is rewritten on a terminal, a plain line now
/// and then in a log.
class Progress {
 public:
  /// `done` of `total` are there from an earlier run.
  Progress(std::int64_t done, std::int64_t total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void add(bool certified);
  /// Prints when it is time to.
  void show();

  /// The line, without the end; for tests.
  std::string text(double seconds, bool bar) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t before_, done_ = 0, certified_ = 0, total_;
  bool quiet_, in_place_, printed_ = false;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
};

}  // namespace allclear::batch
