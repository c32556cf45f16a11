#pragma once

#include <chrono>
#include <string>

#include "allclear/planner/planner.h"

namespace allclear {

/// Says on stderr how far a plan is: one line that is written anew on a terminal, a plain line now
/// and then in a log, nothing at all where it is quiet, or every iteration where it is verbose.
class ProgressLine {
 public:
  ProgressLine(bool quiet, bool verbose);
  /// Clears the line on a terminal: what follows is the result.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void operator()(const PlanProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool verbose_;
  bool in_place_;
  bool printed_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

/// "12.4 s  best 1.164 s  attempt 2  tool and post: 2.8 mm at t = 1.3 s", the best plan so far only
/// where there is one; cut off at `width` characters.
std::string progressText(const PlanProgress& progress, double seconds, int width);

/// The same with all that the solver says, for a log of every iteration.
std::string iterationText(const PlanProgress& progress);

}  // namespace allclear
