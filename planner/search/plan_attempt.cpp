// One attempt of a search: its first guess, the refinement of that, and what is left when the curve
// along a path cannot be made clear.
#include <algorithm>
#include <cmath>

#include "allclear/planner/search/plan_search.h"
#include "allclear/planner/search/waypoint_targets.h"
#include "allclear/planner/seeds/goal_configurations.h"
#include "allclear/planner/seeds/segment_certifier.h"
#include "allclear/planner/timing.h"

namespace allclear {
namespace {

/// Work (`RrtOptions::work`) of one search, and share of the remaining time at the most, while
/// finer geometry is left: a way that hulls or pieces block may be free for the exact meshes, and
/// needs time too.
constexpr long kWorkForCoarse = 400000;
constexpr double kShareOfTimeForCoarse = 0.4;

// The straight line is given up early.
constexpr int kStraightIterations = 60;
constexpr double kStraightHopeless = 0.01;  // [m] below the margin after `patience` iterations

/// Where the exact meshes are needed the way is narrow: seeds seek only this clearance [m] beyond
/// the margin, the least that certified segments can tell apart from none.
constexpr double kExtraBetweenSurfaces = 2.0 * SegmentCertifier::kResolution;

}  // namespace

/// The attempt's first guess, and what an attempt starts with.
std::optional<Seed> PlanSearch::seedOf(int attempt, const VecX& goal) {
  plan_.statistics.attempts = attempt + 1;
  history_.clear();
  PlanProgress seeking{.attempt = attempt, .worst = "seeking a way"};
  if (isCertified()) seeking.best = plan_.trajectory->duration();
  context_.report(seeking);
  int missed = 0;
  const auto seed_start = RunContext::Clock::now();
  const auto via = waypointConfigurations(*evaluator_, goal, attempt, context_, &missed);
  // A waypoint that has no configuration in this geometry may have one in a finer one.
  if (!via) {
    findings_.unreachable = "waypoint " + std::to_string(missed);
    return std::nullopt;
  }
  via_ = *via;
  std::optional<Seed> seed = findSeed(attempt, goal, *via);
  plan_.statistics.seed_seconds += RunContext::secondsSince(seed_start);
  way_found_ = seed.has_value();
  findings_.off_contacts = has_contacts_ && !seed.has_value();
  return seed;
}

std::optional<Seed> PlanSearch::findSeed(int attempt, const VecX& goal,
                                         const std::vector<VecX>& via) {
  SeedOptions options;
  options.spans = options_.spans;
  options.via = via;
  // Every second search ends at whichever goal configuration it reaches first.
  if (attempt % 2 == 1) options.goals = goals_;
  if (fidelity_policy_ == FidelityPolicy::kSurfaces) options.extra = kExtraBetweenSurfaces;
  if (!mayUseFinerGeometry()) return makeSeed(*evaluator_, goal, attempt, context_, options);
  options.work = kWorkForCoarse;
  const RunContext coarse = context_.endingAfter(kShareOfTimeForCoarse * context_.secondsLeft());
  return makeSeed(*evaluator_, goal, attempt, coarse, options);
}

/// Whether this is a straight line that may be given up for a search. With contacts there is none.
bool PlanSearch::isStraightTrial(int attempt) const {
  return attempt == 0 && options_.attempts > 1 && !has_contacts_;
}

Refinement PlanSearch::refineSeed(int attempt, const Seed& seed) {
  double duration = feasibleDuration(ownProblem(), seed.curve);
  if (!problem_.limits.contact.empty() && maySlowDown(problem_) && !isKeptByPace(problem_)) {
    // Slow enough for people from the outset.
    if (!impacts_) impacts_.emplace(claimed_);
    const double share = impacts_->along(seed.curve.withDuration(duration), kImpactSamples);
    duration = std::clamp(duration * std::sqrt(share), duration, problem_.duration.max);
  }
  const BSpline guess = seed.curve.withDuration(duration);
  RefinementOptions options;
  options.waypoint_times = passingTimes(problem_, guess, via_);
  if (isStraightTrial(attempt)) {
    options.iterations = kStraightIterations;
    options.hopeless = kStraightHopeless;
  }
  Refinement result = refine(ownEvaluator(), guess, recording(attempt), options);
  count(result);
  return result;
}

/// Keeps the history of the attempt, for the report, on its way to the caller.
RunContext PlanSearch::recording(int attempt) {
  RunContext recording = context_;
  recording.progress = [this, attempt](const PlanProgress& progress) {
    history_.push_back(progress);
    history_.back().attempt = attempt;
    if (isCertified()) history_.back().best = plan_.trajectory->duration();
    context_.report(history_.back());
  };
  return recording;
}

void PlanSearch::count(const Refinement& result) {
  plan_.statistics.solve_seconds += result.solve_seconds;
  plan_.statistics.iterations += result.iterations;
  plan_.statistics.rounds += result.rounds;
}

/// The last resort, when the curve along a path of certified segments could not be made clear: rest
/// at each corner of the path. Slow, but each segment is proved (and keeps the path constraints at
/// samples; the certificate looks between them). Its cost is not the program's.
bool PlanSearch::restAtCorners(const Seed& seed) {
  // A path has no forces at contacts.
  if (!seed.certified_path || !isRestToRest(problem_) || has_wrenches_) {
    return false;
  }
  // Before it is made: with a limit next to nothing its times would not be numbers.
  if (!(durationAtCorners(problem_, seed.path) <= problem_.duration.max)) return false;
  return accept(restingAtCorners(problem_, seed.path), seed.origin + ", resting at its corners");
}

}  // namespace allclear
