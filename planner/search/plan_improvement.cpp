// What a search does with the time after its first certified plan.
//
// The plan's path gets its fastest pace. Then the path is polished on more spans, and gets its
// fastest pace again, while that gains. Then other first guesses follow, to other goals of a pose
// in turn: of a few guesses the one along the shortest path is refined, and polished when it became
// the best. All plans are compared by one cost (`PlanCost`), and each is certified.
//
// With contacts a pace is no matter of the path alone: every instant of another pace needs other
// forces. So nothing is retimed there; a polish, which has the forces and the duration among its
// variables, and other first guesses are all.
//
// `Improve::kSome` ends when guesses in a row gained little, or when little can be gained: counts
// decide, so that the result depends on no clock. `Improve::kAll` goes on until the time limit.
#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/planner/retiming/retime.h"
#include "allclear/planner/search/plan_search.h"
#include "allclear/planner/search/polish.h"
#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/planner/timing.h"

namespace allclear {
namespace {

// When improving ends (`Improve::kSome`).
constexpr double kGain = 0.02;         // share of the cost: less is no gain
constexpr double kLittleToGain = 0.1;  // duration above the least time, relative: nothing is left
constexpr int kGuessesPerRound = 4;    // of which the shortest is refined
constexpr int kRoundsInVain = 2;       // in a row
constexpr int kPolishes = 6;           // of one curve, while they gain
constexpr double kPromising = 1.05;    // times the best plan's cost before its polish
constexpr double kHope = 2.0;          // further gains like the last one
/// A guess whose path is longer than that of the best plan's guess is left; with `Improve::kAll`,
/// by so much longer in rounds that take turns.
constexpr double kPatience = 0.1;
constexpr int kPatiences = 4;
/// Retimings to try, one after the other, while the certificate refuses: with rows nearer to each
/// other, and with room below the torque limits, which a pace keeps at samples only.
constexpr std::array<RetimingOptions, 3> kRetimings{{{.torque_share = 0.97},
                                                     {.torque_share = 0.9, .row_step = 0.025},
                                                     {.torque_share = 0.75, .row_step = 0.0125}}};

}  // namespace

/// Whether haste counts, and a better plan is wanted.
bool PlanSearch::mayImprove() const {
  return options_.improve != Improve::kNone && problem_.objective.duration > 0.0 &&
         !problem_.duration.isFixed();
}

void PlanSearch::improve(const std::vector<VecX>& goals) {
  const bool stands = has_contacts_ || has_wrenches_;
  current_ = best_;
  if (stands) {
    pursueOnContacts();
  } else {
    pursue(offerFirst(*plan_.trajectory));
  }
  tryAlternatives();
  // Other guesses, until a few in a row have gained next to nothing.
  for (int in_vain = 0; mayTryOthers(in_vain);) {
    const double before = plan_.statistics.cost;
    if (stands) {
      tryOtherOnContacts(goals);
    } else {
      tryOthers(goals);
    }
    in_vain = plan_.statistics.cost < (1.0 - kGain) * before ? 0 : in_vain + 1;
  }
  plan_.statistics.cut_short = context_.mustEnd();
  if (context_.isStopped()) plan_.status = PlanStatus::kInterrupted;
}

bool PlanSearch::mayTryOthers(int in_vain) {
  if (context_.mustEnd()) return false;
  if (options_.improve == Improve::kAll) return true;
  const bool is_near_least = plan_.trajectory->duration() < (1.0 + kLittleToGain) * leastTime();
  return !is_near_least && in_vain < kRoundsInVain && attemptsLeft();
}

/// Attempts on other alternatives of the goal have a count of their own.
bool PlanSearch::attemptsLeft() const {
  return plan_.statistics.attempts - alternatives_tried_ < options_.attempts;
}

/// What the duration is compared with, to tell whether another guess may gain [s]: the least time
/// of each joint alone. Where contact limits have the pace, joints alone say little, since those
/// limits are on the whole robot's energy: there it is the straight line to a goal, through
/// whatever is in its way, at its fastest pace within all limits. A path may still be quicker than
/// the line, with the arm drawn in; that is given up.
double PlanSearch::leastTime() {
  if (problem_.limits.contact.empty() || !isKeptByPace(problem_)) return cost_->leastTime();
  if (least_time_ > 0.0) return least_time_;
  const VecX start = problem_.plannedPart(problem_.start);
  const ConfigurationSpace space(problem_, start, VecX::Ones(start.size()));
  least_time_ = HUGE_VAL;
  for (const VecX& goal : goals_) {
    const VecX end = start + space.difference(start, goal);
    if (!(durationAtCorners(problem_, {start, end}) <= problem_.duration.max)) continue;
    const Trajectory line(restingAtCorners(problem_, {start, end}));
    const auto fast = retimed(problem_, line, asObjective(kRetimings.front()), paceImpacts());
    if (fast) least_time_ = std::min(least_time_, fast->curve.duration());
  }
  if (std::isinf(least_time_)) least_time_ = 0.0;  // start and goal are one
  return least_time_ = std::max(least_time_, cost_->leastTime());
}

/// The pace that the problem's objective asks for.
RetimingOptions PlanSearch::asObjective(RetimingOptions options) const {
  const ObjectiveWeights& weights = problem_.objective;
  if (weights.duration > 0.0) {
    options.smoothness = weights.jerk / weights.duration;
    options.gentleness = weights.acceleration / weights.duration;
  }
  return options;
}

/// One model of the robot's surface for all retimings.
const ImpactFunction& PlanSearch::paceImpacts() {
  if (!pace_impacts_) pace_impacts_ = impactsOf(problem_);
  return pace_impacts_;
}

/// Some first guesses beside the plan that there is. Guesses cost little beside their refinement:
/// only the one along the shortest path goes on, if that is no longer than the best plan's was.
void PlanSearch::tryOthers(const std::vector<VecX>& goals) {
  Candidate shortest;
  for (int i = 0; i < kGuessesPerRound && !context_.mustEnd(); ++i) {
    const int attempt = plan_.statistics.attempts;
    if (options_.improve != Improve::kAll && !attemptsLeft()) break;
    Candidate candidate = guessOf(attempt, goals[static_cast<std::size_t>(attempt) % goals.size()]);
    if (candidate.seed && candidate.seconds < shortest.seconds) shortest = std::move(candidate);
  }
  if (!shortest.seed || context_.mustEnd()) return;
  // With all the time in the world longer paths get their turn, too: obstacles may let them become
  // shorter than those that began shorter.
  ++rounds_of_guesses_;
  const int patience = options_.improve == Improve::kAll ? rounds_of_guesses_ % kPatiences : 0;
  if (shortest.seconds > (1.0 + kPatience * patience) * best_.seconds) return;
  via_ = shortest.via;
  pursueGuess(shortest.attempt, *shortest.seed);
}

/// Refines a guess, and polishes what comes of it when that may become the best plan.
void PlanSearch::pursueGuess(int attempt, const Seed& seed) {
  current_ = rootOf(seed);
  const Refinement result = refineSeed(attempt, seed);
  if (!result.clear || context_.mustEnd()) return;
  // Polishing gains much: a curve is compared with what the best plan was before its polish.
  const double rival = best_.unpolished;
  const Trajectory curve = offerFirst(result.curve);
  if (current_.unpolished < kPromising * rival) pursue(curve);
}

/// One more line between the ends, bent at random: with contacts all have the same length.
void PlanSearch::tryOtherOnContacts(const std::vector<VecX>& goals) {
  const int attempt = std::max(plan_.statistics.attempts, kStraightLinesOnContacts);
  const Candidate guess = guessOf(attempt, goals[static_cast<std::size_t>(attempt) % goals.size()]);
  if (!guess.seed || context_.mustEnd()) return;
  current_ = rootOf(*guess.seed);
  const Refinement result = refineSeed(attempt, *guess.seed);
  if (!result.clear || context_.mustEnd()) return;
  if (acceptResult(result, current_.origin)) pursueOnContacts();
}

PlanSearch::Candidate PlanSearch::guessOf(int attempt, const VecX& goal) {
  Candidate out;
  out.attempt = attempt;
  out.seed = seedOf(attempt, goal);
  if (out.seed) out.seconds = secondsAtSpeed(*out.seed);
  out.via = via_;
  return out;
}

/// [s] for the guess's path at full speed alone: what its length says about the plan's duration.
double PlanSearch::secondsAtSpeed(const Seed& seed) const {
  const PlannedLimits limits = plannedLimits(problem_);
  double seconds = 0.0;
  for (std::size_t i = 1; i < seed.path.size(); ++i) {
    const VecX step = seed.path[i] - seed.path[i - 1];
    seconds += step.cwiseQuotient(limits.velocity).cwiseAbs().maxCoeff();
  }
  return seconds;
}

/// The curve at its fastest pace where that is free, else as it is; certified and taken when it is
/// better than the best plan.
Trajectory PlanSearch::offer(const Trajectory& curve, const std::string& origin) {
  Trajectory out = curve;
  for (const RetimingOptions& options : kRetimings) {
    if (!mayRetime(problem_)) break;
    const auto fast = retimed(ownProblem(), curve, asObjective(options), paceImpacts());
    if (!fast || fast->curve.duration() > problem_.duration.max || context_.mustEnd()) break;
    out = fast->curve;
    if (!isBetter(out) || accept(out, origin + ", retimed")) return out;
  }
  // No other pace, or none that the certificate takes.
  if (isCertified() && isBetter(curve) && !context_.mustEnd()) accept(curve, origin);
  return curve;
}

/// The same, for a curve that has not been polished.
Trajectory PlanSearch::offerFirst(const Trajectory& curve) {
  Trajectory out = offer(curve, current_.origin);
  current_.unpolished = (*cost_)(out);
  if (best_.origin == current_.origin) best_.unpolished = current_.unpolished;
  return out;
}

/// Whether a curve costs less than the best certified plan so far.
bool PlanSearch::isBetter(const Trajectory& curve) const {
  return !isCertified() || (*cost_)(curve) < plan_.statistics.cost;
}

/// Of the goal that is being worked on.
const ClearanceEvaluator& PlanSearch::polisher() {
  const bool has_one = current_.alternative < 0;
  auto& made = has_one ? polisher_ : prepared(current_.alternative).polisher;
  if (made) return *made;
  Problem hasty = ownProblem();
  hasty.objective = polishingWeights(problem_.objective);
  // The pace keeps these limits, and a polish is of the path.
  if (isKeptByPace(problem_)) hasty.limits.contact.clear();
  made = std::make_unique<ClearanceEvaluator>(hasty, fidelity_policy_, context_.threads);
  return *made;
}

/// Polishes what the best plan was made from, with its forces, while that gains: first on spans of
/// half the length, then on the same ones.
void PlanSearch::pursueOnContacts() {
  const ClearanceEvaluator& polish_by = polisher();
  for (int i = 0; i < kPolishes && !context_.mustEnd(); ++i) {
    const double before = plan_.statistics.cost;
    history_.clear();
    const Refinement result =
        polishedOnContacts(polish_by, *solved_, recording(plan_.statistics.attempts - 1));
    count(result);
    if (!result.clear || context_.mustEnd()) return;
    if (!acceptResult(result, current_.origin + ", polished")) return;
    if (before - plan_.statistics.cost < kGain * before) return;
  }
}

/// Polishes a curve while that gains, and while it is the best plan or may become it.
void PlanSearch::pursue(Trajectory curve) {
  const ClearanceEvaluator& polish_by = polisher();
  for (int i = 0; i < kPolishes && !context_.mustEnd(); ++i) {
    const double before = (*cost_)(curve);
    history_.clear();
    const Refinement result =
        polished(polish_by, curve, recording(plan_.statistics.attempts - 1), {.via = current_.via});
    count(result);
    if (!result.clear || context_.mustEnd()) return;
    curve = offer(result.curve, current_.origin + ", polished");
    const double gain = before - (*cost_)(curve);
    // Gains become smaller: what twice the last one would not make the best plan is given up.
    const double hoped = before - (1.0 + kHope) * gain;
    if (gain < kGain * before || hoped > plan_.statistics.cost) return;
  }
}

}  // namespace allclear
