#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allclear/planner/seeds/rrt_connect.h"

namespace allclear {

struct PathSearchOptions {
  double step = 0.3;    ///< `RrtOptions::step` of the first run
  double extra = 0.0;   ///< clearance beyond the margin [m]
  long work = 2000000;  ///< of all runs together (`RrtOptions::work`)
  /// Of the first run: enough for most searches (bench_seeds prints the work).
  long unit = 10000;
};

struct FoundPath {
  std::vector<VecX> path;
  RandomStream random;  ///< of the run that found it, as it was left
};

struct PathSearchStatistics {
  int runs = 0;   ///< up to the one that found the path
  long work = 0;  ///< of these
  SegmentCertifier::Statistics certifier;
};

/// A path of free segments from the start to one of the goals, by runs of RRT-Connect that start
/// anew, each with a random stream of its own.
///
/// How long a run takes varies by orders of magnitude from stream to stream: a tree that has grown
/// into the wrong rooms seldom leaves them. So runs are given up after an amount of *work*, which
/// doubles from run to run (T. Walsh, "Search in a small world", IJCAI 1999, has the argument for
/// geometric restarts): some passages only large trees find, and a run with twice the work of all
/// before costs at most as much again. Luby's sequence comes to large trees too late for these.
///
/// Up to `context.threads` runs go on at the same time. The path is that of the first run of the
/// sequence that finds one, so it does not depend on threads or clocks. (When `context` ends the
/// search, that of the first run that has found one.)
class PathSearch {
 public:
  /// Borrows all but the options. `certifier` is copied for every run, so that none depends on the
  /// runs before.
  PathSearch(const Problem& problem, const ConfigurationSpace& space,
             const SegmentCertifier& certifier, const Kinematics& kinematics,
             const PathSearchOptions& options);

  /// `stream` numbers the search: its run r draws from the stream r * 2^32 + `stream`.
  std::optional<FoundPath> find(const VecX& start, const std::vector<VecX>& goals,
                                const RunContext& context, std::uint64_t stream,
                                PathSearchStatistics* statistics) const;

 private:
  struct Run;

  RrtOptions optionsOf(int run, long work) const;
  std::vector<Run> wave(int first, int size, std::uint64_t seed, std::uint64_t stream,
                        long* left) const;
  /// Does the runs, at the same time as far as there are threads.
  void run(const VecX& start, const std::vector<VecX>& goals, const RunContext& context,
           std::vector<Run>* wave) const;

  const Problem& problem_;
  const ConfigurationSpace& space_;
  const SegmentCertifier& certifier_;
  const Kinematics& kinematics_;
  PathSearchOptions options_;
  std::vector<std::vector<int>> blocks_;
};

/// The work of a run (from 0) in units: 1, 2, 4, 8, ...
long runShare(int run);

}  // namespace allclear
