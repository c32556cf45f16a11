#include "allclear/apps/command_time.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "allclear/core/formatted.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// For proofs: beyond the limit [s], the same as a share of it, and beyond an interruption [s].
constexpr double kAfterLimit = 0.03, kShareAfterLimit = 0.03, kAfterStop = 0.1;

}  // namespace

CommandTime::CommandTime(double limit) : limit_(limit > 0.0 ? limit : HUGE_VAL) {}

double CommandTime::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool CommandTime::readInTime(const std::function<void()>& read) {
  const StopScope scope([this] { return seconds() > limit_; });
  // Nothing is kept of what was read by then.
  try {
    read();
    return true;
  } catch (const Stopped&) {
    std::cerr << "out of time after " << formatted("%.3g", seconds())
              << " s, while the task and its files were read";
    const LibraryCall longest = scope.longestCall();
    if (!longest.library.empty()) {
      std::cerr << formatted(" (longest single call: %.3g s of %s)", longest.seconds,
                             longest.library.c_str());
    }
    std::cerr << "\n";
    return false;
  }
}

NamedTexts CommandTime::filesInTime(const std::function<NamedTexts()>& format,
                                    const std::function<bool()>& interrupted) const {
  const double begin = seconds();
  const double until = std::max(limit_, begin) + kAfterLimit + kShareAfterLimit * limit_;
  const StopScope scope([&] {
    const double now = seconds();
    return now > until || (interrupted && interrupted() && now > begin + kAfterStop);
  });
  return format();
}

}  // namespace allclear
