#pragma once

#include <chrono>
#include <functional>

#include "allclear/exports/output_files.h"

namespace allclear {

/// The time of a command: it counts from the start of the command, with what it reads and writes.
class CommandTime {
 public:
  using Clock = std::chrono::steady_clock;

  /// `limit` [s]; not above 0: none, until one is read.
  explicit CommandTime(double limit);

  Clock::time_point start() const { return start_; }
  double seconds() const;
  double limit() const { return limit_; }
  double secondsLeft() const { return limit_ - seconds(); }
  /// Of a limit that stands in what is read.
  void setLimit(double limit) { limit_ = limit; }

  /// Runs `read`, which may set the limit, within the limit. When that was too short, says so on
  /// the standard error, with the longest call that could not be ended: false.
  bool readInTime(const std::function<void()>& read);

  /// Runs `format`, which makes the files of something certified. Their proofs get a little time
  /// beyond the limit or `interrupted`, and are left out when they take longer.
  NamedTexts filesInTime(const std::function<NamedTexts()>& format,
                         const std::function<bool()>& interrupted = {}) const;

 private:
  Clock::time_point start_ = Clock::now();
  double limit_;
};

}  // namespace allclear
