#pragma once

#include "allclear/planner/run/run_context.h"

namespace allclear {

/// Says when a proof has to end (`certifyUnlessStopped`). A proof of what was found by then may
/// still be made after `stop` and after the deadline, if it takes no longer than this: the plan
/// would be lost for nothing.
class ProofTime {
 public:
  explicit ProofTime(const RunContext& context) : context_(context) {}

  bool operator()() {
    const RunContext::Clock::time_point now = context_.now();
    if (!is_stopped_ && context_.isStopped()) {
      is_stopped_ = true;
      stopped_at_ = now;
    }
    if (is_stopped_ && RunContext::seconds(now - stopped_at_) > kAfterStop) return true;
    const double late = -context_.secondsLeft();
    return late > kAfterDeadline + kShareAfterDeadline * context_.secondsSinceStart();
  }

 private:
  static constexpr double kAfterStop = 0.15;  ///< [s]: a person does not notice it
  /// [s] and of the time so far: less than what the end of any run may take.
  static constexpr double kAfterDeadline = 0.08, kShareAfterDeadline = 0.05;

  const RunContext& context_;
  bool is_stopped_ = false;
  RunContext::Clock::time_point stopped_at_;  ///< when this was first asked after the stop
};

}  // namespace allclear
