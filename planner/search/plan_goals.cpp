// Where a search may end: the configurations that meet the goal, and, where the goal has
// alternatives, which of them it is worth to pursue.
//
// Alternatives are ordered by what is cheap to know: whether a configuration is found that is
// clear, and the least time that any motion to it takes (`leastTimeTo`). All their configurations
// together are the goals of one search: every second tree grows from all of them at once, and ends
// at whichever it reaches first. Only a curve on its way to one goal is a program about that goal
// (`Alternative::evaluator`). After the first plan the other alternatives are tried in the order of
// their least times, and each that could not cost less than the plan there is, is passed over.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "allclear/planner/posture/posture.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/goal_fault.h"
#include "allclear/planner/search/plan_search.h"
#include "allclear/planner/search/rest_at_goal.h"
#include "allclear/planner/search/verdict.h"
#include "allclear/planner/search/waypoint_targets.h"

namespace allclear {
namespace {

/// Starts of a goal's posture while finer geometry is left.
constexpr int kPosturesWithCoarse = 3;
/// Of the time that is left, for the search for the posture of a goal.
constexpr double kShareOfTimeForPostures = 0.6;

// Starts of the inverse kinematics: of a single goal all, of many alternatives a share, so that
// fifty grasps cost a few times as much as one. Alternatives that have none by then get all their
// starts only while fewer than so many have one.
constexpr int kStartsOfAll = 64;
constexpr int kFewestStarts = 8;
/// The same of postures, whose starts take far longer.
constexpr int kPosturesOfAll = 24;
constexpr int kFewestPostures = 4;
constexpr int kEnoughAlternatives = 8;
/// Configurations of one alternative at most, and of all.
constexpr int kMostOfOne = 4;
constexpr std::size_t kMostGoals = 32;

/// Straight lines that are looked at before the first attempt takes the clearest.
constexpr std::size_t kStraightLines = 8;
/// A line with less than this share of its samples in contact is worth a program.
constexpr double kNearlyClear = 0.05;
/// A way to another alternative is pursued up to this many times the length of the best plan's: it
/// ends elsewhere, so its length says less than that of a way to the same goal.
constexpr double kLongestGuess = 1.2;

}  // namespace

std::vector<VecX> PlanSearch::findGoals() {
  return alternatives_.empty() ? findSingleGoal() : findAnyGoal();
}

/// Configurations of the one goal, over finer geometry when coarse geometry leaves none; a message
/// when there are none at all.
std::vector<VecX> PlanSearch::findSingleGoal() {
  const auto* posture = std::get_if<PostureTarget>(&problem_.goal);
  // Where there is no posture, its cause is what the user wants to know: that takes time, too.
  const RunContext context =
      posture == nullptr ? context_
                         : context_.endingAfter(kShareOfTimeForPostures * context_.secondsLeft());
  // Coarse geometry may close the place that a posture is to reach: give it up early.
  GoalOptions coarse, fine;
  coarse.postures = kPosturesWithCoarse;
  std::vector<VecX> goals;
  std::optional<VecX> in_contact;
  do {
    in_contact.reset();
    goals = goalConfigurations(*evaluator_, context, mayUseFinerGeometry() ? coarse : fine,
                               &in_contact);
  } while (goals.empty() && !context.mustEnd() && mayNeedFinerGeometry(posture, context) &&
           useFinerGeometry());
  if (!goals.empty()) return goals;
  // Out of time counts as such; else the goal itself is at fault, and the message says how.
  if (!mustEnd()) {
    plan_.status = context.mustEnd() ? PlanStatus::kTimedOut : PlanStatus::kNotFound;
  }
  // What the time did not suffice to find may be there all the same.
  if (context_.isOutOfTime()) {
    plan_.message = "Out of time after " + number(context_.secondsSinceStart(), 3) +
                    " s: by then no configuration that meets the goal was found. Give it more time "
                    "(solver: time_limit).";
    return {};
  }
  plan_.message = "No plan: " + (posture != nullptr ? postureFault(*evaluator_, *posture, context_)
                                                    : poseGoalFault(*evaluator_, in_contact));
  return {};
}

/// Leaves out the configurations that no motion gets to in the longest duration; with none left,
/// the message names the joint that is too slow for the nearest one.
void PlanSearch::keepGoalsInTime() {
  std::vector<VecX> kept;
  std::vector<int> alternatives;
  std::string fault;
  std::map<int, std::string> late_by;  // by alternative, of the nearest configuration
  for (std::size_t i = 0; i < goals_.size(); ++i) {
    const std::string late = durationFault(problem_, goals_[i]);
    if (!late.empty()) {
      if (fault.empty()) fault = late;
      if (!alternatives_.empty()) late_by.emplace(alternative_of_[i], late);
      continue;
    }
    kept.push_back(goals_[i]);
    if (!alternatives_.empty()) alternatives.push_back(alternative_of_[i]);
  }
  for (const auto& [i, late] : late_by) {
    if (std::find(alternatives.begin(), alternatives.end(), i) != alternatives.end()) continue;
    plan_.left_out.push_back({i, alternativeName(*alternativesOf(problem_), i), reasonIn(late)});
  }
  if (kept.empty()) {
    plan_.status = PlanStatus::kNotFound;
    plan_.message = "No plan: of " + std::to_string(goals_.size()) +
                    (goals_.size() == 1 ? " configuration" : " configurations") +
                    " found that meet the goal none is reached in time; to the nearest, " + fault;
  }
  goals_ = std::move(kept);
  alternative_of_ = std::move(alternatives);
}

/// Whether it may be geometry that leaves no posture, and not the poses themselves.
bool PlanSearch::mayNeedFinerGeometry(const PostureTarget* posture,
                                      const RunContext& context) const {
  return mayUseFinerGeometry() &&
         (posture == nullptr || hasPostureWithoutBodies(*evaluator_, *posture, context));
}

// Alternatives.

/// Adds configurations of an alternative, the nearest first; why there is none, else empty.
std::string PlanSearch::addGoalsOf(int alternative, const GoalOptions& options,
                                   std::vector<std::pair<int, VecX>>* found) {
  const GoalAlternative& goal = alternativesOf(problem_)->alternatives[alternative];
  const VecX start = problem_.plannedPart(problem_.start);
  std::optional<VecX> in_contact;
  std::string late;
  bool has_any = false;
  for (VecX& q : targetConfigurations(*evaluator_, toTarget(goal.target), start, start, context_,
                                      options, &in_contact)) {
    // An obstacle that moves may come by: the least time that suits one of the configurations.
    const RestAtGoal rest = restAt(*evaluator_, q);
    if (!rest.fault.empty()) {
      late = rest.fault;
      continue;
    }
    double& from = alternatives_[alternative].rest_from;
    from = has_any ? std::min(from, rest.from) : rest.from;
    has_any = true;
    found->emplace_back(alternative, std::move(q));
  }
  if (has_any) return "";
  if (!late.empty()) return reasonIn(late);
  if (std::holds_alternative<PostureTarget>(goal.target)) {
    return "no posture that keeps limits and margins was found for it";
  }
  ClearanceEvaluator::Workspace workspace(*evaluator_);
  if (!in_contact) return "no configuration within the limits that reaches it was found";
  const Clearance worst = evaluator_->atRest(*in_contact, std::nullopt, workspace);
  const std::string cable = cableFault(problem_, *in_contact, std::nullopt);
  if (worst.pair < 0 || !(worst.upper < worst.demand)) {
    return cable.empty() ? "no configuration that is clear was found"
                         : "where it is reached, " + cable;
  }
  return "where it is reached, " + contactText(evaluator_->model(), worst) +
         (mayUseFinerGeometry() ? " (as far as the hulls of meshes tell)" : "");
}

/// All goals in the order of the least time to them.
std::vector<VecX> PlanSearch::orderedByTime(std::vector<std::pair<int, VecX>> found) {
  const PlannedLimits limits = plannedLimits(problem_);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < found.size(); ++i) {
    order.emplace_back(leastTimeTo(problem_, limits, found[i].second), i);
  }
  // Of equal times the one that was found first: the order depends on nothing else.
  std::sort(order.begin(), order.end());
  if (order.size() > kMostGoals) order.resize(kMostGoals);
  std::vector<VecX> goals;
  alternative_of_.clear();
  for (const auto& [time, i] : order) {
    alternative_of_.push_back(found[i].first);
    goals.push_back(std::move(found[i].second));
  }
  return goals;
}

/// Configurations of all alternatives; over finer geometry when coarse geometry leaves none. Those
/// without one are left out, with the reason.
std::vector<VecX> PlanSearch::findAnyGoal() {
  const AnyTarget& any = *alternativesOf(problem_);
  const int count = static_cast<int>(any.alternatives.size());
  std::vector<std::pair<int, VecX>> found;
  std::vector<std::string> why(alternatives_.size());
  do {
    GoalOptions options;
    options.most = kMostOfOne;
    options.starts = std::max(kFewestStarts, kStartsOfAll / count);
    options.postures = mayUseFinerGeometry() ? kPosturesWithCoarse
                                             : std::max(kFewestPostures, kPosturesOfAll / count);
    int with_one = 0;
    for (int i = 0; i < count && !context_.mustEnd(); ++i) {
      why[i] = addGoalsOf(i, options, &found);
      with_one += why[i].empty();
    }
    // Those that are hard to reach.
    const bool has_more = options.starts < kStartsOfAll;
    options.starts = kStartsOfAll;
    for (int i = 0; i < count && has_more && !context_.mustEnd(); ++i) {
      if (why[i].empty() || with_one >= kEnoughAlternatives) continue;
      why[i] = addGoalsOf(i, options, &found);
      with_one += why[i].empty();
    }
  } while (found.empty() && useFinerGeometry());
  for (int i = 0; i < count; ++i) {
    if (!why[i].empty()) plan_.left_out.push_back({i, alternativeName(any, i), why[i]});
  }
  if (found.empty() && !mustEnd()) {
    plan_.status = PlanStatus::kNotFound;
    findings_.no_alternative = true;
  }
  return orderedByTime(std::move(found));
}

/// The alternative whose configuration is nearest to the end of a curve; -1 without alternatives.
int PlanSearch::alternativeAt(const VecX& end) const {
  if (alternatives_.empty()) return -1;
  const ConfigurationSpace space(problem_, end, VecX::Ones(end.size()));
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < goals_.size(); ++i) {
    const double away = space.length(space.difference(end, goals_[i]));
    if (!(away < least)) continue;
    least = away;
    nearest = i;
  }
  return alternative_of_[nearest];
}

PlanSearch::Alternative& PlanSearch::prepared(int alternative) {
  Alternative& own = alternatives_[static_cast<std::size_t>(alternative)];
  if (own.evaluator) return own;
  Problem single = withAlternative(problem_, alternative);
  single.duration.min = std::max(single.duration.min, own.rest_from);
  own.evaluator = std::make_unique<ClearanceEvaluator>(single, fidelity_policy_, context_.threads);
  return own;
}

/// The problem with the one goal that is being worked on.
const Problem& PlanSearch::ownProblem() {
  return current_.alternative < 0 ? problem_ : ownEvaluator().problem();
}

const ClearanceEvaluator& PlanSearch::ownEvaluator() {
  return current_.alternative < 0 ? *evaluator_ : *prepared(current_.alternative).evaluator;
}

PlanSearch::Root PlanSearch::rootOf(const Seed& seed) const {
  return {seed.origin, secondsAtSpeed(seed), via_, HUGE_VAL,
          alternativeAt(seed.curve.value(seed.curve.duration()))};
}

/// The goal of the first attempt, which is a straight line: of the nearest few alternatives the
/// first whose line is nearly clear.
const VecX& PlanSearch::straightestGoal(const std::vector<VecX>& goals) {
  if (alternatives_.empty() || has_contacts_ || !problem_.waypoints.empty()) return goals.front();
  for (std::size_t i = 0; i < std::min(kStraightLines, goals.size()) && !context_.mustEnd(); ++i) {
    const auto seed = makeSeed(*evaluator_, goals[i], 0, context_);
    if (seed && seed->unclear_share <= kNearlyClear) return goals[i];
  }
  return goals.front();
}

/// Whether a plan to this goal can cost less than the best one: its duration
/// alone costs at least its least time.
bool PlanSearch::mayBeBetter(const VecX& goal) const {
  const double least = leastTimeTo(problem_, plannedLimits(problem_), goal);
  const double bound = problem_.objective.duration * least / cost_->leastTime();
  return bound < plan_.statistics.cost;
}

/// A first guess to one goal: the straight line where that is nearly clear, else over trees, which
/// may end at any configuration of the same alternative.
std::optional<Seed> PlanSearch::guessTo(int alternative, const VecX& goal) {
  const int attempt = plan_.statistics.attempts++;
  history_.clear();
  const auto start = RunContext::Clock::now();
  int missed = 0;
  const auto via = waypointConfigurations(*evaluator_, goal, attempt, context_, &missed);
  std::optional<Seed> seed;
  if (via) {
    via_ = *via;
    SeedOptions options;
    options.spans = options_.spans;
    options.via = *via;
    // Attempt 0 is the straight line, and costs nothing beside a search.
    seed = makeSeed(*evaluator_, goal, 0, context_, options);
    if (!has_contacts_ && !(seed && seed->unclear_share <= kNearlyClear)) {
      for (std::size_t i = 0; i < goals_.size(); ++i) {
        if (alternative_of_[i] == alternative) options.goals.push_back(goals_[i]);
      }
      seed = makeSeed(*evaluator_, goal, std::max(1, attempt), context_, options);
    }
  }
  plan_.statistics.seed_seconds += RunContext::secondsSince(start);
  return seed;
}

/// After the first plan: the other alternatives, the nearest in time first, each by its nearest
/// configuration.
void PlanSearch::tryAlternatives() {
  if (alternatives_.empty()) return;
  std::vector<bool> is_done(alternatives_.size());
  is_done[static_cast<std::size_t>(best_.alternative)] = true;
  for (std::size_t i = 0; i < goals_.size() && !context_.mustEnd(); ++i) {
    const int alternative = alternative_of_[i];
    if (is_done[static_cast<std::size_t>(alternative)]) continue;
    is_done[static_cast<std::size_t>(alternative)] = true;
    // What cannot be better, and what is much longer, is passed over before it costs a program.
    if (!mayBeBetter(goals_[i])) continue;
    if (options_.improve != Improve::kAll && alternatives_tried_ >= options_.attempts) return;
    ++alternatives_tried_;
    const int attempt = plan_.statistics.attempts;
    const std::optional<Seed> seed = guessTo(alternative, goals_[i]);
    if (!seed || context_.mustEnd()) continue;
    if (secondsAtSpeed(*seed) > kLongestGuess * best_.seconds) continue;
    if (!has_contacts_ && !has_wrenches_) {
      pursueGuess(attempt, *seed);
      continue;
    }
    current_ = rootOf(*seed);
    const Refinement result = refineSeed(attempt, *seed);
    if (result.clear && !context_.mustEnd() && acceptResult(result, current_.origin)) {
      pursueOnContacts();
    }
  }
}

}  // namespace allclear
