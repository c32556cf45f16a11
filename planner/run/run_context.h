#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

#include "allclear/core/stop_scope.h"
#include "allclear/planner/planner.h"

namespace allclear {

/// The means and limits of one run of the planner. `plan` makes it once from the options; every
/// part of the run gets it by reference, so that all of them see one clock and one deadline.
struct RunContext {
  using Clock = std::chrono::steady_clock;

  Clock::time_point start = Clock::now();
  Clock::time_point deadline = Clock::time_point::max();
  std::function<bool()> stop;  ///< true to end as soon as possible; empty: never
  int threads = 1;             ///< that share the work; no result depends on their number
  std::uint64_t seed = 1;      ///< of all random streams
  std::function<void(const PlanProgress&)> progress;  ///< sees every iteration; may be empty
  std::function<Clock::time_point()> clock;           ///< what time it is; empty: `Clock::now`

  bool isStopped() const { return stop && stop(); }
  bool isOutOfTime() const { return deadline != Clock::time_point::max() && now() >= deadline; }
  bool mustEnd() const { return isStopped() || isOutOfTime(); }

  Clock::time_point now() const { return clock ? clock() : Clock::now(); }
  double secondsSinceStart() const { return seconds(now() - start); }
  /// Negative after the deadline; infinite without one.
  double secondsLeft() const {
    return deadline == Clock::time_point::max() ? std::numeric_limits<double>::infinity()
                                                : seconds(deadline - now());
  }

  /// A copy whose deadline is `seconds` from now, or after `from`.
  RunContext endingAfter(double seconds) const { return endingAfter(seconds, now()); }
  RunContext endingAfter(double seconds, Clock::time_point from) const {
    RunContext out = *this;
    out.deadline = from + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::min(seconds, kLongest)));
    return out;
  }

  /// What the caller does meanwhile is its own: it is not given up with the run.
  void report(const PlanProgress& step) const {
    if (!progress) return;
    const StopScope callers_own({});
    progress(step);
  }

  static double seconds(Clock::duration length) {
    return std::chrono::duration<double>(length).count();
  }
  static double secondsSince(Clock::time_point time) { return seconds(Clock::now() - time); }

 private:
  /// [s], four months: a longer time limit would overflow the clock's counter of nanoseconds.
  static constexpr double kLongest = 1e7;
};

/// The context of a run with these options and hooks that ends `time_limit` [s] after
/// `hooks.start`, or after now. Its `stop` may be asked in several threads at the same time; it
/// reports no progress.
RunContext contextOf(const PlanOptions& options, const PlanHooks& hooks, double time_limit);

}  // namespace allclear
