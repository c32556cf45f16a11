// Plans the same tasks again and again in one process, by loaded planners on several threads at
// once.
//
//   soak_plans COUNT THREADS TASK.yaml...
//
// Every plan must be the bytes of the first of its task, which are printed as "TASK FILE SHA256"
// for a comparison with other processes; and memory must stay what it was after a tenth of the
// plans.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "allclear/config/task_file.h"
#include "allclear/core/sha256.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/loaded_planner.h"

namespace allclear {
namespace {

/// Growth [MB] after the first tenth that still counts as none: allocators keep what they had.
constexpr double kGrowth = 8.0;

/// Sanitizers keep what was freed for a while: memory says nothing there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryTells = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kMemoryTells = false;
#else
constexpr bool kMemoryTells = true;
#endif
#else
constexpr bool kMemoryTells = true;
#endif

/// [MB]
double residentMemory() {
  std::ifstream file("/proc/self/statm");
  long total = 0, resident = 0;
  file >> total >> resident;
  return 1e-6 * static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Name and hash of every file of a plan.
using Digests = std::map<std::string, std::string>;

class Soak {
 public:
  Soak(int count, std::vector<std::string> names) : count_(count), names_(std::move(names)) {
    for (const std::string& name : names_) {
      tasks_.push_back(loadTask(name));
      tasks_.back().output = {};
      tasks_.back().output.csv = "trajectory.csv";
      tasks_.back().output.trajectory = "trajectory.json";
      tasks_.back().output.certificate = "certificate.json";
      tasks_.back().output.proof = "plan.proof";
    }
    first_.resize(tasks_.size());
  }

  int run(int threads) {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
    work();
    others.clear();  // joins
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      for (const auto& [file, digest] : first_[i]) {
        std::printf("%s %s %s\n", names_[i].c_str(), file.c_str(), digest.c_str());
      }
    }
    const double growth = residentMemory() - after_tenth_;
    std::printf(
        "soak: %d plans, %d with other bytes, %d without a certificate, memory %.1f MB, "
        "grown by %.1f MB\n",
        count_, different_.load(), uncertified_.load(), residentMemory(), growth);
    const bool has_grown = kMemoryTells && growth > kGrowth;
    return different_ + uncertified_ > 0 || has_grown ? 1 : 0;
  }

 private:
  /// Takes plan after plan until all are made. Robots and meshes are shared with other threads.
  void work() {
    std::vector<Planner> planners;
    for (const Task& task : tasks_) planners.emplace_back(task.problem, task.options);
    for (int i = next_++; i < count_; i = next_++) {
      const std::size_t k = static_cast<std::size_t>(i) % tasks_.size();
      check(k, planOf(planners[k], tasks_[k]));
      if (i == count_ / 10) after_tenth_ = residentMemory();
    }
  }

  Digests planOf(Planner& planner, const Task& task) {
    PlanQuery query;
    query.start = task.problem.plannedPart(task.problem.start);
    query.goal = task.problem.goal;
    const Plan plan = planner.plan(query);
    Digests digests;
    if (!plan.certificate || !plan.certificate->clear) return digests;
    std::vector<std::string> warnings;
    for (const auto& [file, text] :
         formatOutputFiles(task.output, ".", planner.problemOf(query), *plan.trajectory,
                           &*plan.certificate, &warnings)) {
      digests[file.filename().string()] = sha256(text);
    }
    return digests;
  }

  void check(std::size_t task, const Digests& digests) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (digests.empty()) {
      ++uncertified_;
    } else if (first_[task].empty()) {
      first_[task] = digests;
    } else if (first_[task] != digests) {
      ++different_;
    }
  }

  const int count_;
  const std::vector<std::string> names_;
  std::vector<Task> tasks_;
  std::atomic<int> next_{0}, different_{0}, uncertified_{0};
  std::atomic<double> after_tenth_{0.0};
  std::mutex mutex_;  ///< guards `first_`
  std::vector<Digests> first_;
};

}  // namespace
}  // namespace allclear

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: soak_plans COUNT THREADS TASK.yaml...\n");
    return 2;
  }
  return allclear::Soak(std::atoi(argv[1]), {argv + 3, argv + argc}).run(std::atoi(argv[2]));
}
