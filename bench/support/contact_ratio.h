#pragma once

// What limits of unplanned contacts cost: plans with them beside plans without, of one process, by
// processor time.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "bench/support/bench_report.h"

namespace allclear::bench {

inline double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// One problem: processor time and duration [s] of both plans; 0: not certified.
struct ContactRatio {
  double cpu = 0, free_cpu = 0;
  double duration = 0, free_duration = 0;
};

/// Sums of the times, and quotients by problem.
inline void printContactRatios(const std::vector<ContactRatio>& all, Report* report) {
  double cpu = 0, free_cpu = 0;
  std::vector<double> times, durations;
  for (const ContactRatio& r : all) {
    if (!(r.cpu > 0.0 && r.free_cpu > 0.0)) continue;
    cpu += r.cpu, free_cpu += r.free_cpu;
    times.push_back(r.cpu / r.free_cpu);
    durations.push_back(r.duration / r.free_duration);
  }
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  std::sort(durations.begin(), durations.end());
  double mean = 0.0;
  for (double d : durations) mean += d / static_cast<double>(durations.size());
  std::printf(
      "\ncontact limits, %zu plans with and without: processor time %.2f and %.2f s, ratio %.3f "
      "(median %.3f, most %.3f); duration median %.3f, mean %.3f, most %.3f\n",
      times.size(), cpu, free_cpu, cpu / free_cpu, times[times.size() / 2], times.back(),
      durations[durations.size() / 2], mean, durations.back());
  report->figure("contact.time_ratio", cpu / free_cpu);
  report->figure("contact.time_ratio_median", times[times.size() / 2]);
  report->figure("contact.duration_ratio_median", durations[durations.size() / 2]);
  report->figure("contact.duration_ratio_mean", mean);
  report->figure("contact.duration_ratio_most", durations.back());
}

}  // namespace allclear::bench
