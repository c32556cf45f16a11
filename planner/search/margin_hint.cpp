// When there is no plan, the margins may be the reason: plans the same problem with a share of
// every margin, first none at all, then by bisection between a share that works and one that does
// not.
#include "allclear/planner/search/margin_hint.h"

#include <algorithm>

#include "allclear/planner/search/plan_search.h"

namespace allclear {
namespace {

constexpr int kTrials = 6;              // bisections: the margin to 3 %
constexpr int kAttemptsPerTrial = 3;    // as many as a geometry gets
constexpr double kShortestTrial = 0.5;  // [s] for the trials after a search that ended at once

double largestMargin(const Problem& problem) {
  double most = problem.collision.margin;
  for (const PairMargin& pair : problem.collision.pair_margins) most = std::max(most, pair.margin);
  return most;
}

Problem withMargins(const Problem& problem, double share) {
  Problem relaxed = problem;
  relaxed.collision.margin *= share;
  for (PairMargin& pair : relaxed.collision.pair_margins) pair.margin *= share;
  return relaxed;
}

std::string hintAt(const Problem& problem, double share, const Certificate& certificate) {
  if (problem.collision.pair_margins.empty()) {
    return "It would do for a margin of " + number(1e3 * certificate.minimum_clearance.lower) +
           " mm.";
  }
  return "It would do with every margin at " + number(100.0 * share, 3) + " % of what it is.";
}

}  // namespace

/// Halves the interval between a share of the margins that leads to a plan and one that does not.
std::string marginHint(const Problem& problem, const PlanOptions& options,
                       const RunContext& context) {
  if (largestMargin(problem) == 0.0) return "";
  const double until =
      std::min(options.time_limit, 2.0 * context.secondsSinceStart() + kShortestTrial);
  RunContext trial = context.endingAfter(until, context.start);
  trial.deadline = std::min(trial.deadline, context.deadline);
  trial.progress = nullptr;
  PlanOptions trial_options = options;
  trial_options.improve = Improve::kNone;
  trial_options.attempts = std::min(options.attempts, kAttemptsPerTrial);
  std::string hint;
  double feasible = 0.0, infeasible = 1.0;
  for (int i = 0; i < kTrials && !trial.isOutOfTime() && !trial.isStopped(); ++i) {
    // Without margins first: if that fails, no share of them helps.
    const double share = i == 0 ? 0.0 : 0.5 * (feasible + infeasible);
    const Problem relaxed = withMargins(problem, share);
    PlanSearch search(relaxed, trial_options, trial);
    search.run();
    const Plan& found = search.plan();
    if (found.status == PlanStatus::kCertified) {
      feasible = share;
      hint = hintAt(problem, share, *found.certificate);
    } else if (i > 0) {
      infeasible = share;
    } else {  // margins do not stand in the way
      return found.status == PlanStatus::kNotFound ? "Nor was one without margins." : "";
    }
  }
  return hint;
}

}  // namespace allclear
