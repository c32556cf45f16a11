#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "allclear/apps/batch/messages.h"
#include "allclear/apps/batch/process.h"

namespace allclear::batch {

/// [s] that `Pool::wait` waits for news unless told otherwise.
inline constexpr double kPoolPatience = 0.5;

struct PoolOptions {
  int workers = 1;
  std::filesystem::path scratch;  ///< of the workers
  std::filesystem::path log;      ///< what workers print goes there; empty: to our standard error
  std::size_t memory_limit = 0;   ///< [MB] of address space for a worker; 0: none
  double kill_after = 0.0;        ///< [s] that a query may take before its worker is killed; 0: any
  /// Another program to answer queries in place of the workers, with its arguments: it greets with
  /// the number of queries that it takes at a time. When it ends, the pool fails.
  std::vector<std::string> bridge;
};

/// Processes that answer queries, one or several at a time each. A process that ends or hangs costs
/// the query that it had, which gets an answer that says so, and is replaced. One that somebody
/// else killed (SIGKILL: a full machine, an impatient user) proves nothing about its query: that is
/// tried again, `kMostTries` times in all.
class Pool {
 public:
  static constexpr int kMostTries = 5;

  explicit Pool(PoolOptions options);

  /// Whether a further query would be sent to a process at once.
  bool hasRoom() const;
  bool isBusy() const;
  /// Takes a query; without room it waits in a line.
  void submit(const Query& query, const SolveSettings& settings);
  /// Waits for news, no longer than `seconds`, and returns the answers that have come. Returns
  /// early when a signal arrives. Throws `std::runtime_error` when processes cannot be started, and
  /// `InputError` when the bridge has ended.
  std::vector<Answer> wait(double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::int64_t number = 0;
    std::string line;
    int tries = 0;
    Clock::time_point sent = {};
  };
  struct Worker {
    std::unique_ptr<ChildProcess> process;
    int slots = 0;  ///< 0: it has not greeted yet
    int answered = 0;
    bool was_hung = false;
    std::list<Job> jobs;
  };

  std::unique_ptr<ChildProcess> start() const;
  void send(Worker& worker, Job job);
  void giveOut();
  void read(Worker& worker, std::vector<Answer>* answers);
  void greet(Worker& worker, const std::string& line);
  void bury(Worker& worker, std::vector<Answer>* answers);
  void killHung();

  PoolOptions options_;
  std::vector<Worker> workers_;
  std::deque<Job> waiting_;
  int failed_starts_ = 0;
};

}  // namespace allclear::batch
