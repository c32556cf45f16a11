#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/problem/sequence_state.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

/// The search for the motions of a sequence: depth first over the configurations in which motions
/// may end.
class SequenceSearch {
 public:
  /// `sequence` and `options` are to outlive the search.
  SequenceSearch(const Sequence& sequence, const PlanOptions& options, const PlanHooks& hooks);

  SequencePlan run();

 private:
  /// A way to end a motion: in a configuration of the planned coordinates, or as the planner likes.
  struct Way {
    std::optional<VecX> end;
    double cost = 0.0;  ///< [s] estimate to the end of the sequence, or as far as was looked
  };

  /// A motion of the sequence, and where the search for it stands.
  struct Level {
    int step = 0;
    SequenceState state;               ///< where it begins
    std::unique_ptr<Problem> problem;  ///< large, and levels are moved
    std::vector<Way> ways;
    std::size_t next = 0;  ///< the way that is tried next
  };

  bool solveInTime();
  bool solve();
  bool descend(int step, SequenceState state, std::vector<Level>* levels);
  void giveUp(Level* level, const InputError& error);
  bool tryWay(const Level& level, const Way& way);
  std::vector<Way> waysOf(int step, const SequenceState& state, const Problem& problem);
  double lookAhead(int step, SequenceState state, int depth);
  std::vector<VecX> endsOf(const Problem& problem);
  Plan planMotion(const Problem& problem, const Way& way, const std::string& name);
  Certificate proveAgain(const Problem& problem, const Trajectory& rows);
  void fail(int step, const Problem& problem, Plan plan);
  void tellCertified(SequencePlan* plan);
  void tellFailure(SequencePlan* plan);
  bool mustEnd() const { return context_.mustEnd() || statistics_.plans >= most_plans_; }

  const Sequence& sequence_;
  const PlanOptions& options_;
  PlanHooks hooks_;
  RunContext context_;
  int most_plans_;
  int looks_left_ = 0;  ///< of the present motion's look-ahead
  std::vector<Trajectory> found_;
  std::vector<Certificate> certificates_;
  int deepest_ = -1;  ///< step of the failure that is told
  int begun_ = 0;     ///< step of the motion whose ends were looked for last
  bool was_interrupted_ = false;
  std::optional<SequencePlan::Failure> failure_;
  SequenceStatistics statistics_;
};

/// The same rows with positions of the first one `start` to the bit, and no velocity or
/// acceleration in the first and last. None when they are farther from that than a rounding.
std::optional<Trajectory> restingAtEnds(const Trajectory& rows, const VecX& start);

}  // namespace allclear
