// Rates are told as they were since this process was started: an earlier one of the same run may
// have had other workers. Lines of a log are far apart, so that a night's batch leaves a log one
// can read.
#include "allclear/apps/batch/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace allclear::batch {
namespace {

constexpr double kBarInterval = 0.2;    // [s] between two pictures of the bar
constexpr double kLineInterval = 10.0;  // [s] between two lines of a log
constexpr int kBarWidth = 24;

double secondsBetween(std::chrono::steady_clock::time_point a,
                      std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

std::string spanText(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  constexpr long kMinute = 60, kHour = 3600;
  const long whole = std::lround(seconds);
  if (whole < kMinute) return std::to_string(whole) + " s";
  if (whole < kHour) {
    return std::to_string(whole / kMinute) + " min " + std::to_string(whole % kMinute) + " s";
  }
  return std::to_string(whole / kHour) + " h " + std::to_string(whole % kHour / kMinute) + " min";
}

Progress::Progress(std::int64_t done, std::int64_t total, bool quiet)
    : before_(done), total_(total), quiet_(quiet), in_place_(::isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (quiet_ || done_ == 0) return;
  if (printed_ || in_place_) {
    std::fprintf(stderr, "%s%s\n", in_place_ ? "\r\033[K" : "",
                 text(secondsBetween(start_, Clock::now()), in_place_).c_str());
  }
}

void Progress::add(bool certified) {
  ++done_;
  certified_ += certified ? 1 : 0;
}

/// The rate is that of this run: what an earlier one did took its own time.
std::string Progress::text(double seconds, bool bar) const {
  const double rate = seconds > 0.0 ? static_cast<double>(done_) / seconds : 0.0;
  const std::int64_t there = before_ + done_;
  // Infinite before the first answer, which is shown as "-".
  const double left = static_cast<double>(total_ - there) / rate;
  std::string out;
  if (bar) {
    const auto full = static_cast<int>(kBarWidth * there / std::max<std::int64_t>(1, total_));
    out = "[" + std::string(full, '#') + std::string(kBarWidth - full, '.') + "] ";
  }
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "%lld/%lld  %lld certified, %lld not  %.3g/s  ",
                static_cast<long long>(there), static_cast<long long>(total_),
                static_cast<long long>(certified_), static_cast<long long>(done_ - certified_),
                rate);
  return out + numbers + (there == total_ ? "in " + spanText(seconds) : spanText(left) + " left");
}

void Progress::show() {
  if (quiet_) return;
  const auto now = Clock::now();
  if (secondsBetween(shown_, now) < (in_place_ ? kBarInterval : kLineInterval)) return;
  shown_ = now;
  printed_ = true;
  std::fprintf(stderr, "%s%s%s", in_place_ ? "\r\033[K" : "",
               text(secondsBetween(start_, now), in_place_).c_str(), in_place_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace allclear::batch
