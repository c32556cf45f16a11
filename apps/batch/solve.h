#pragma once

#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "allclear/apps/batch/messages.h"
#include "allclear/apps/batch/rested_on.h"
#include "allclear/config/problem_sets/planning_problems.h"
#include "allclear/config/task_file.h"
#include "allclear/config/values/input_cache.h"
#include "allclear/planner/planner.h"

namespace allclear::batch {

/// Reads the tasks of queries, and keeps what they share: robots, meshes and sets of problems.
class QueryLoader {
 public:
  /// Throws `InputError`. `rests_on`, where given, becomes the files that were read up to then, or
  /// up to the error.
  Task load(const Query& query, bool load_visuals = false, RestedOn* rests_on = nullptr);

  /// Every file that reading this query takes, up to its first error. Reads all anew.
  static std::vector<std::filesystem::path> filesOf(const Query& query);

  int robotsLoaded() const { return cache_.robotsLoaded(); }

 private:
  struct KnownSet {
    std::filesystem::path path;
    std::filesystem::file_time_type changed;
    ProblemSet set;
    RestedOn rests_on;
  };

  const KnownSet& problemSet(const std::filesystem::path& path);
  Task read(const Query& query, bool load_visuals, std::vector<std::filesystem::path>* files_read,
            RestedOn* rests_on);

  InputCache cache_;
  FileDigests digests_;
  std::list<KnownSet> sets_;  ///< used last in front
};

/// Answers queries one after the other; what they share stays loaded.
class Solver {
 public:
  /// The files of plans are made in `scratch`, a folder of its own, and read back.
  explicit Solver(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}

  /// Throws nothing that a query may cause: that is a status.
  Answer solve(const Query& query, const SolveSettings& settings);

 private:
  void solve(const Query& query, const SolveSettings& settings, Answer* answer);
  void solveSequence(const Task& task, const PlanOptions& options, const SolveSettings& settings,
                     Answer* answer);
  void addFiles(const Task& task, const Plan& plan, const SolveSettings& settings, Answer* answer);

  QueryLoader loader_;
  std::filesystem::path scratch_;
};

}  // namespace allclear::batch
