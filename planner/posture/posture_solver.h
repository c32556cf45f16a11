#pragma once

#include <optional>
#include <vector>

#include "allclear/planner/posture/posture.h"
#include "allclear/planner/posture/posture_program.h"
#include "allclear/planner/posture/posture_rows.h"
#include "allclear/planner/problem/contact_projection.h"

namespace allclear {

/// Solves the program of a posture from one start after the other. Holds scratch: one per thread.
class PostureSolver {
 public:
  /// All are to outlive the solver.
  PostureSolver(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                const RunContext& context, const PostureOptions& options);

  PostureRows& rows() { return rows_; }

  /// The variables of start number `i`: the reference, then places around it.
  VecX start(int i) const;

  /// What a solve meets first: the poses, then more and more of the clearances; or the clearances,
  /// with the poses as near as these let them come, then the poses. The first leads to the nearest
  /// posture; the second comes from outside, where bodies would have to pass through each other.
  enum class Order { kPosesFirst, kClearancesFirst };

  /// From a start. Soft parts are missed by as little as it can find. Empty when a part that is not
  /// soft is missed at the end.
  std::optional<VecX> solve(const VecX& start, const std::vector<int>& soft,
                            Order order = Order::kPosesFirst);

  /// Whether all but the clearances is met from a start: where not, no geometry is in the way.
  bool solvesWithoutBodies(const VecX& start);

  Posture postureOf(const VecX& x) const;
  bool mustEnd() const { return context_.mustEnd(); }

 private:
  VecX solveStage(const VecX& start, bool is_warm);
  VecX solvePosesFirst(VecX x);
  VecX solveClearancesFirst(VecX x, const std::vector<int>& soft);
  std::optional<VecX> finished(VecX x, const std::vector<int>& soft);
  double leastBeyond();
  bool isMet(const std::vector<int>& soft);

  const PostureTarget& target_;
  const RunContext& context_;
  const PostureOptions& options_;
  PostureRows rows_;
  PostureProgram program_;
  ContactProjection projection_;
};

}  // namespace allclear
