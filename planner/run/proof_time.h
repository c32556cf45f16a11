#pragma once

#include "allclear/planner/run/run_context.h"

namespace allclear {

/// How long work goes on after it was to end.
struct Grace {
  double after_stop;            ///< [s]
  double after_deadline;        ///< [s]
  double share_after_deadline;  ///< of the time so far
};

/// Says when work has to end that does not end by itself (`StopScope`): a little after `stop` or
/// the deadline of a run, at which its parts end in good order, with what they have found.
class GraceTime {
 public:
  GraceTime(const RunContext& context, const Grace& grace) : context_(context), grace_(grace) {}

  bool operator()() {
    const RunContext::Clock::time_point now = context_.now();
    if (!is_stopped_ && context_.isStopped()) {
      is_stopped_ = true;
      stopped_at_ = now;
    }
    if (is_stopped_ && RunContext::seconds(now - stopped_at_) > grace_.after_stop) return true;
    const double late = -context_.secondsLeft();
    return late >
           grace_.after_deadline + grace_.share_after_deadline * context_.secondsSinceStart();
  }

 private:
  const RunContext& context_;
  const Grace grace_;
  bool is_stopped_ = false;
  RunContext::Clock::time_point stopped_at_;  ///< when this was first asked after the stop
};

/// A proof of what was found by then may still be made after `stop` and after the deadline, if it
/// takes no longer than this: the plan would be lost for nothing. A person does not notice 0.15 s.
inline constexpr Grace kGraceOfProof{0.15, 0.06, 0.05};
/// Searches look at the clock every few milliseconds in most problems, and end by themselves.
inline constexpr Grace kGraceOfSearch{0.05, 0.02, 0.01};

}  // namespace allclear
