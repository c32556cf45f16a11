// The loop of a plan: goals (plan_goals.cpp), then attempts of guess, refinement and certificate;
// and what follows the first certified plan (plan_improvement.cpp).
//
// Geometry goes from coarse to fine: hulls are cheap and block some ways, pieces block fewer, the
// exact meshes none (`FidelityPolicy`). Every few attempts, or at once when a search finds no way,
// the search goes over to the next finer geometry and never back.
//
// Invariant: "certified" is granted by the certificate alone. `plan_` holds the best trajectory so
// far: the certified one of the least cost, else one refused by its certificate, else the one that
// violates least.
#include "allclear/planner/search/plan_search.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/parallel.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/certificate/stoppable.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/run/proof_time.h"
#include "allclear/planner/search/goal_fault.h"
#include "allclear/planner/search/waypoint_targets.h"
#include "allclear/planner/seeds/contact_fit.h"
#include "allclear/planner/timing.h"

namespace allclear {
namespace {

/// Attempts with one geometry: the straight line and two trees. A problem that they do not solve
/// most often needs a passage that the geometry blocks.
constexpr int kAttemptsPerGeometry = 3;
// The straight line is tried first, and given up early: most problems need no search, but a line
// through the thick of the obstacles costs more than one.
constexpr double kMostUnclear = 0.05;  // share of its samples in contact, to be tried at all
/// An earlier plan ran along obstacles at their margins: bent a little it is too near for long, but
/// nowhere deep.
constexpr double kMostUnclearOfEarlier = 0.5;
/// Of `kImpactRoom`: with less left the certificate would hardly find its bounds.
constexpr double kImpactShareKept = 0.75;

}  // namespace

PlanSearch::PlanSearch(const Problem& problem, const Problem& claimed, const PlanOptions& options,
                       const RunContext& context)
    : problem_(problem),
      claimed_(claimed),
      options_(options),
      context_(context),
      fidelity_policy_(firstPolicy(problem)),
      has_meshes_(hasMeshes(problem)),
      has_contacts_(!contactTargets(problem).empty()),
      has_wrenches_(!wrenchNames(problem).empty()),
      evaluator_(std::make_unique<ClearanceEvaluator>(problem, fidelity_policy_, context.threads)) {
  plan_.options = options;
  if (const AnyTarget* any = alternativesOf(problem))
    alternatives_.resize(any->alternatives.size());
}

void PlanSearch::run() {
  const StopScope scope(GraceTime(context_, kGraceOfSearch));
  try {
    search();
  } catch (const Stopped&) {
    endAtOnce();
  }
}

/// Where the search was given up in the midst of something: what was found before stays.
void PlanSearch::endAtOnce() {
  plan_.statistics.cut_short = isCertified();
  plan_.status = context_.isStopped() ? PlanStatus::kInterrupted
                 : isCertified()      ? PlanStatus::kCertified
                                      : PlanStatus::kTimedOut;
}

void PlanSearch::search() {
  if (const KeepOnLine* line = lineToGoal(problem_)) return followLine(*line);
  goals_ = findGoals();
  if (!goals_.empty()) keepGoalsInTime();
  const std::vector<VecX> goals = goals_;
  if (goals.empty()) return;
  findings_.goal = goals.front();
  cost_.emplace(problem_, goals);
  if (findFirst(goals) && mayImprove()) improve(goals);
}

/// Attempts until one is certified; false when none was, with the status set.
bool PlanSearch::findFirst(const std::vector<VecX>& goals) {
  if (earlier_ != nullptr && tryEarlier(goals)) return isCertified();
  for (int attempt = 0; attempt < std::max(1, options_.attempts); ++attempt) {
    if (mustEnd()) return false;
    const bool is_time = attempt > 0 && attempt % kAttemptsPerGeometry == 0;
    // No way, or three attempts in vain: the geometry may be what blocks the way.
    if (is_time || !way_found_) useFinerGeometry();
    const VecX& goal = attempt == 0 ? straightestGoal(goals)
                                    : goals[static_cast<std::size_t>(attempt) % goals.size()];
    if (tryOnce(attempt, goal)) return isCertified();
  }
  mustEnd();
  return false;
}

/// Sets the status when the run must end.
bool PlanSearch::mustEnd() {
  if (context_.isStopped()) {
    plan_.status = PlanStatus::kInterrupted;
  } else if (context_.isOutOfTime()) {
    plan_.status = PlanStatus::kTimedOut;
  } else {
    return false;
  }
  return true;
}

bool PlanSearch::mayUseFinerGeometry() const {
  const GeometryMode mode = problem_.collision.geometry;
  if (mode != GeometryMode::kAuto && mode != GeometryMode::kMesh) return false;
  return fidelity_policy_ < FidelityPolicy::kSurfaces && has_meshes_;
}

/// From now on all pairs follow meshes more closely: by pieces, at last exactly. False when they do
/// already, and when the run has to end: to cut meshes into pieces takes long.
bool PlanSearch::useFinerGeometry() {
  if (!mayUseFinerGeometry() || context_.mustEnd()) return false;
  fidelity_policy_ = fidelity_policy_ < FidelityPolicy::kEverywhere ? FidelityPolicy::kEverywhere
                                                                    : FidelityPolicy::kSurfaces;
  evaluator_ = std::make_unique<ClearanceEvaluator>(problem_, fidelity_policy_, context_.threads);
  polisher_.reset();
  for (Alternative& alternative : alternatives_) {
    alternative.evaluator.reset();
    alternative.polisher.reset();
  }
  return true;
}

/// True when the plan is certified or the search is over.
bool PlanSearch::tryOnce(int attempt, const VecX& goal) {
  const std::optional<Seed> seed = seedOf(attempt, goal);
  if (!seed) return false;
  current_ = rootOf(*seed);
  // A line through the thick of the obstacles: leave it to the searches.
  if (isStraightTrial(attempt) && seed->unclear_share > kMostUnclear) return false;
  const Refinement result = refineSeed(attempt, *seed);
  if (!result.clear) {
    if (lacksTime(result)) offer(result.curve, current_.origin);
    if (isCertified()) return true;
    remember(result);
  } else if (acceptResult(result, seed->origin)) {
    return true;
  }
  return restAtCorners(*seed) || mustEnd();
}

/// The earlier plan, as a guess of its own before the first attempt. True when it led to a
/// certified plan or the search is over. With contacts, or waypoints, it would have to be put onto
/// them: the attempts do that.
bool PlanSearch::tryEarlier(const std::vector<VecX>& goals) {
  if (has_contacts_ || has_wrenches_ || !problem_.waypoints.empty() || mustEnd()) return false;
  const auto seed_start = RunContext::Clock::now();
  SeedOptions options;
  options.spans = options_.spans;
  const auto seed = seedFollowing(*evaluator_, *earlier_, goals, context_, options);
  plan_.statistics.seed_seconds += RunContext::secondsSince(seed_start);
  if (!seed || seed->unclear_share > kMostUnclearOfEarlier) return false;
  plan_.statistics.attempts = 1;
  current_ = rootOf(*seed);
  const Refinement result = refineSeed(0, *seed);
  if (result.clear && acceptResult(result, seed->origin)) return true;
  remember(result);
  return mustEnd();
}

/// Whether a curve is clear, but too fast for its limits in the longest duration.
/// (Another pace would keep contacts, but not the forces in them: with contacts there is none.)
bool PlanSearch::lacksTime(const Refinement& result) const {
  return result.violation == 0.0 && !has_contacts_ && !result.wrenches &&
         neededDuration(problem_, result.curve) > result.curve.duration();
}

/// Certifies the curve as the rows that a controller is sent; true when these are clear and the
/// best plan so far. Keeps refused ones only if there are no others with a certificate.
bool PlanSearch::accept(const Trajectory& curve, const std::string& origin,
                        const std::optional<BSpline>& wrenches) {
  // The same curve but for the rounding of times: what is proven is what the robot is sent.
  const Trajectory rows = controllerRows(curve);
  const Trajectory trajectory = wrenches ? rows : slowedForPeople(rows);
  if (ran_out_of_proof_ || !isBetter(trajectory)) return false;
  const auto start = RunContext::Clock::now();
  // The proof starts from problem and trajectory alone, whatever the search believed.
  std::optional<Trajectory> rows_of_wrenches;
  if (wrenches) rows_of_wrenches = controllerRows(*wrenches);
  std::optional<Certificate> proven =
      certifyInTime(trajectory, rows_of_wrenches ? &*rows_of_wrenches : nullptr);
  plan_.statistics.certify_seconds += RunContext::secondsSince(start);
  if (!proven) return false;
  Certificate& certificate = *proven;
  const bool clear = certificate.clear;
  if (clear || !plan_.certificate) {
    plan_.trajectory = trajectory;
    plan_.wrenches = std::move(rows_of_wrenches);
    plan_.certificate = std::move(certificate);
    plan_.statistics.history = history_;
  }
  if (clear) take(origin);
  return clear;
}

/// Nothing when the run has to end before the proof does; then no other is begun.
std::optional<Certificate> PlanSearch::certifyInTime(const Trajectory& trajectory,
                                                     const Trajectory* wrenches) {
  try {
    return certifyUnlessStopped(claimed_, trajectory, wrenches, {},
                                GraceTime(context_, kGraceOfProof));
  } catch (const Stopped&) {
    ran_out_of_proof_ = true;
    return std::nullopt;
  }
}

/// Where unplanned contacts would be too hard, the same motion by the certified factor slower. The
/// program and the pace keep these limits at samples, with `kImpactRoom`; a plan that is made
/// without regard to them (`slow_down`), and one that rests at corners, does not.
Trajectory PlanSearch::slowedForPeople(const Trajectory& trajectory) {
  if (claimed_.limits.contact.empty() || !maySlowDown(claimed_)) return trajectory;
  if (!impacts_) impacts_.emplace(claimed_);
  const double kept = 1.0 - kImpactShareKept * kImpactRoom;
  if (impacts_->along(trajectory, kImpactSamples, kept) <= kept) return trajectory;
  const double factor = provenContactStretch(claimed_, trajectory);
  return factor > 1.0 ? slowedDown(trajectory, factor) : trajectory;
}

bool PlanSearch::acceptResult(const Refinement& result, const std::string& origin) {
  const bool is_taken = has_contacts_ ? acceptOnContacts(result, origin)
                                      : accept(result.curve, origin, result.wrenches);
  if (is_taken) solved_ = result;
  return is_taken;
}

/// The solver's curve is on the contacts at some instants and drifts between them. On halved spans
/// it drifts far less: that one is certified, or else, where it is beyond a limit, the first.
bool PlanSearch::acceptOnContacts(const Refinement& result, const std::string& origin) {
  ContactFit fit(problem_, evaluator_->builder().kinematics());
  const std::optional<BSpline> fitted = fit.refitted(result.curve);
  // The same forces, with rows at the instants of the motion's.
  std::optional<BSpline> forces = result.wrenches;
  if (forces) forces = forces->withInsertedKnots(middlesOfSpans(forces->basis()));
  if (fitted && accept(*fitted, origin, forces)) return true;
  return !mustEnd() && accept(result.curve, origin, result.wrenches);
}

/// Notes that the trajectory in `plan_` is certified, and the best.
void PlanSearch::take(const std::string& origin) {
  PlanStatistics& statistics = plan_.statistics;
  plan_.status = context_.isStopped() ? PlanStatus::kInterrupted : PlanStatus::kCertified;
  statistics.seed = origin;
  statistics.cost = (*cost_)(*plan_.trajectory);
  statistics.steps.push_back({context_.secondsSinceStart(), statistics.attempts,
                              statistics.iterations, statistics.cost, plan_.trajectory->duration(),
                              origin});
  best_ = current_;
}

/// Keeps the trajectory that violates least, for the report of a failure.
void PlanSearch::remember(const Refinement& result) {
  if (plan_.certificate || result.violation >= least_violation_) return;
  least_violation_ = result.violation;
  findings_.worst = result.worst;
  findings_.worst_demand = result.worst_demand;
  plan_.trajectory = result.curve;
  plan_.wrenches = result.wrenches;
  plan_.statistics.history = history_;
}

}  // namespace allclear
