// Plans the motions of a sequence one after the other, with an eye on those that follow.
//
// A motion whose goal is a pose may end in several configurations, and not all of them let the next
// motion begin: an elbow that is folded the wrong way reaches the part, but cannot be lifted
// straight up from there. So before a motion is planned its ends are listed, and each is followed
// ahead, cheaply: is the next motion's start clear, does its goal have a configuration, and from
// there on (`lookAhead`), with the least time that the joints need as the cost. Ends are then tried
// in the order of that estimate; those from which no way was seen come last, as the look sees less
// than the planner does. When a later motion has no plan the search goes back to the next end
// (depth first).
//
// Counts bound all of it (`kMostPlansPerMotion`, `kLooks`, `kBreadth`, `kDepth`): the result does
// not depend on the machine, unless the time limit comes first. That limit and `stop` reach every
// loop: a search for a motion has what is left of the time, and what is between these searches
// (models, ends, looks ahead) is given up by a `StopScope`, soon after it was to end.
//
// Invariant: `found_` and `certificates_` hold the motions planned so far, each certified for the
// problem that the ones before it lead to. The verdict about the whole is made anew from them.
#include "allclear/planner/search/sequence_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/certificate/stoppable.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/run/proof_time.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/plan_cost.h"
#include "allclear/planner/search/plan_run.h"
#include "allclear/planner/search/verdict.h"
#include "allclear/planner/seeds/goal_configurations.h"
#include "allclear/planner/seeds/line_motion.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Ends of one motion that are tried at the most, and besides one as the planner likes it.
constexpr int kMostEnds = 6;
/// Random starts of the inverse kinematics of an end: a third of what a plan takes.
constexpr int kStartsOfEnds = 24;
/// Ends of a later motion that the look-ahead follows, and how many motions it looks ahead.
constexpr int kBreadth = 2;
constexpr int kDepth = 3;
/// Problems that one motion's look-ahead asks for their ends; later ones count as free.
constexpr int kLooks = 40;
/// Searches for motions, for each motion of the sequence: enough for all ends of one that no way
/// leads on from, not for all combinations of two.
constexpr int kMostPlansPerMotion = 4;
/// [s] Of a search that begins when the time is over: it ends at once, and says so.
constexpr double kLeastTime = 1e-3;
/// Rows differ from the start, and from rest, by the rounding of a spline's values; accelerations
/// by that times the square of 1 / step.
constexpr double kRounding = 1e-6;

/// The least time that the joints need from rest to rest, each alone [s].
double leastTime(const Problem& problem, const VecX& end) {
  const PlannedLimits limits = plannedLimits(problem);
  const VecX way = (end - problem.plannedPart(problem.start)).cwiseAbs();
  double time = problem.duration.min;
  for (Eigen::Index k = 0; k < way.size(); ++k) {
    time = std::max(
        time, doubleSTime(way[k], limits.velocity[k], limits.acceleration[k], limits.jerk[k]));
  }
  return time;
}

/// "segment 'lift' (4 of 7)".
std::string motionName(const Sequence& sequence, int step) {
  int number = 0, count = 0;
  for (int s = 0; s < static_cast<int>(sequence.steps.size()); ++s) {
    if (!std::holds_alternative<SequenceMotion>(sequence.steps[s].what)) continue;
    ++count;
    if (s <= step) ++number;
  }
  return "segment '" + std::get<SequenceMotion>(sequence.steps[step].what).name + "' (" +
         std::to_string(number) + " of " + std::to_string(count) + ")";
}

/// Null at an event.
const SequenceMotion* motionAt(const Sequence& sequence, int step) {
  return std::get_if<SequenceMotion>(&sequence.steps[step].what);
}

}  // namespace

std::optional<Trajectory> restingAtEnds(const Trajectory& trajectory, const VecX& start) {
  const HermiteCurve* rows = trajectory.hermite();
  if (rows == nullptr || rows->givenOrder() != 2) return std::nullopt;
  MatX positions = rows->positions(), velocities = rows->velocities(),
       accelerations = rows->accelerations();
  const Eigen::Index last = positions.cols() - 1;
  const double off = std::max(
      {(positions.col(0) - start).cwiseAbs().maxCoeff(), velocities.col(0).cwiseAbs().maxCoeff(),
       velocities.col(last).cwiseAbs().maxCoeff(), accelerations.col(0).cwiseAbs().maxCoeff(),
       accelerations.col(last).cwiseAbs().maxCoeff()});
  // Negated, so that NaN is refused.
  if (!(off <= kRounding)) return std::nullopt;
  positions.col(0) = start;
  for (MatX* m : {&velocities, &accelerations}) {
    m->col(0).setZero();
    m->col(last).setZero();
  }
  return HermiteCurve(rows->times(), std::move(positions), std::move(velocities),
                      std::move(accelerations));
}

/// The time limit of the whole is that of each motion, times their number.
SequenceSearch::SequenceSearch(const Sequence& sequence, const PlanOptions& options,
                               const PlanHooks& hooks)
    : sequence_(sequence), options_(options), hooks_(hooks) {
  const int motions = motionCount(sequence);
  context_ = contextOf(options, hooks, options.time_limit * motions);
  // From here on the time is counted by `context_`: each search for a motion gets its part.
  hooks_.start.reset();
  most_plans_ = kMostPlansPerMotion * std::max(motions, 2);
}

/// Plans all; the verdict about the whole comes from what was found alone.
SequencePlan SequenceSearch::run() {
  SequencePlan plan;
  plan.options = options_;
  if (solveInTime()) {
    tellCertified(&plan);
  } else {
    tellFailure(&plan);
  }
  statistics_.seconds = context_.secondsSinceStart();
  plan.statistics = statistics_;
  return plan;
}

void SequenceSearch::tellCertified(SequencePlan* plan) {
  plan->certificate = layOut(sequence_, found_);
  for (std::size_t i = 0; i < certificates_.size(); ++i) {
    plan->certificate.segments[i].certificate = std::move(certificates_[i]);
  }
  plan->certificate.clear = true;
  plan->certificate.message = plan->message = sequenceMessage(sequence_, plan->certificate);
  plan->trajectory = wholeTrajectory(sequence_.shared, plan->certificate.segments);
  plan->status = was_interrupted_ ? PlanStatus::kInterrupted : PlanStatus::kCertified;
}

/// The motion that came farthest tells what stands in the way; where the end came before any
/// failed, what was done then.
void SequenceSearch::tellFailure(SequencePlan* plan) {
  plan->failure = std::move(failure_);
  plan->status = context_.isStopped()     ? PlanStatus::kInterrupted
                 : context_.isOutOfTime() ? PlanStatus::kTimedOut
                                          : PlanStatus::kNotFound;
  // The failure told may be an earlier one than the end: then both are said.
  const bool is_ended = plan->status != PlanStatus::kNotFound;
  const std::string ended =
      (plan->status == PlanStatus::kInterrupted ? "interrupted after " : "out of time after ") +
      number(context_.secondsSinceStart(), 3) + " s";
  plan->message = "No plan of the sequence: ";
  if (plan->failure) {
    const Plan& failed = plan->failure->plan;
    plan->message += plan->failure->segment + ": " + withoutOpening(failed.message);
    if (is_ended && failed.status != plan->status) plan->message += " Then " + ended + ".";
    if (!is_ended) plan->status = failed.status;
    if (plan->status == PlanStatus::kCertified) plan->status = PlanStatus::kNotFound;
  } else {
    plan->message += ended + ", while the ends of " + motionName(sequence_, begun_) +
                     " were looked for, and where the motions after it lead.";
  }
  if (statistics_.returns > 0) {
    plan->message += " Tried: " + std::to_string(statistics_.plans) +
                     " searches for motions; went back to another end of an earlier motion " +
                     std::to_string(statistics_.returns) +
                     (statistics_.returns == 1 ? " time." : " times.");
  }
}

/// False too when the time is over in the midst of something.
bool SequenceSearch::solveInTime() {
  const StopScope scope(GraceTime(context_, kGraceOfSearch));
  bool is_found = false;
  try {
    is_found = solve();
  } catch (const Stopped&) {
  }
  const LibraryCall longest = scope.longestCall();
  statistics_.longest_call = longest.library;
  statistics_.longest_call_seconds = longest.seconds;
  return is_found;
}

/// Depth first, by a stack of its own: a sequence may be longer than a thread's stack is deep. On
/// failure nothing is left in `found_`.
bool SequenceSearch::solve() {
  std::vector<Level> levels;
  if (!descend(0, sequenceStart(sequence_), &levels)) return true;
  while (!levels.empty()) {
    Level& level = levels.back();
    if (level.next == level.ways.size() || mustEnd()) {
      levels.pop_back();
      // Back to the motion that led there.
      if (levels.empty()) break;
      found_.pop_back();
      certificates_.pop_back();
      continue;
    }
    const std::size_t way = level.next++;
    if (way > 0) ++statistics_.returns;
    bool is_planned = false;
    try {
      if (!tryWay(level, level.ways[way])) continue;
      is_planned = true;
      const SequenceState after = afterMotion(*level.problem, found_.back(), level.state);
      if (!descend(level.step + 1, after, &levels)) return true;
    } catch (const InputError& error) {
      if (is_planned) {
        found_.pop_back();
        certificates_.pop_back();
      }
      giveUp(&level, error);
    }
  }
  return false;
}

/// Goes over events to the next motion, and lists its ways; false when there is none.
bool SequenceSearch::descend(int step, SequenceState state, std::vector<Level>* levels) {
  const int count = static_cast<int>(sequence_.steps.size());
  while (step < count && motionAt(sequence_, step) == nullptr) {
    throwIfStopped();
    state = afterEvent(sequence_, sequence_.steps[step++], state);
  }
  if (step == count) return false;
  Level level;
  level.step = begun_ = step;
  level.state = std::move(state);
  level.problem = std::make_unique<Problem>(sequence_.shared);
  // What this start makes of the segment may be no problem at all: then another end of an earlier
  // motion may be better.
  try {
    *level.problem = segmentProblem(sequence_, step, level.state);
    level.ways = waysOf(step, level.state, *level.problem);
  } catch (const InputError& error) {
    giveUp(&level, error);
  }
  levels->push_back(std::move(level));
  return true;
}

void SequenceSearch::giveUp(Level* level, const InputError& error) {
  Plan none;
  none.message = std::string("No plan: ") + error.what() + ".";
  fail(level->step, *level->problem, std::move(none));
  level->next = level->ways.size();
}

/// Plans one motion to one of its ends; whether it is found.
bool SequenceSearch::tryWay(const Level& level, const Way& way) {
  const int step = level.step;
  const Problem& problem = *level.problem;
  Plan plan = planMotion(problem, way, motionAt(sequence_, step)->name);
  const bool is_clear = plan.certificate && plan.certificate->clear;
  std::optional<Trajectory> rows;
  if (is_clear) rows = restingAtEnds(*plan.trajectory, problem.plannedPart(problem.start));
  if (!rows) {
    fail(step, problem, std::move(plan));
    return false;
  }
  // What was proven is what is kept: where a rounding was put right, the proof is made again.
  const std::vector<std::string> names = plannedNames(problem);
  if (!isSameTrajectory({*rows, names, {}}, {*plan.trajectory, names, {}})) {
    plan.certificate = proveAgain(problem, *rows);
    if (!plan.certificate->clear) {
      plan.message = plan.certificate->message;
      fail(step, problem, std::move(plan));
      return false;
    }
  }
  if (plan.status == PlanStatus::kInterrupted) was_interrupted_ = true;
  found_.push_back(*rows);
  certificates_.push_back(std::move(*plan.certificate));
  return true;
}

/// A proof as of a plan that was found late: it may take a little longer than the search.
Certificate SequenceSearch::proveAgain(const Problem& problem, const Trajectory& rows) {
  return certifyUnlessStopped(problem, rows, nullptr, {}, GraceTime(context_, kGraceOfProof));
}

/// One search, within the time that is left; its progress is told under the motion's name.
Plan SequenceSearch::planMotion(const Problem& problem, const Way& way, const std::string& name) {
  ++statistics_.plans;
  PlanOptions options = options_;
  options.time_limit = std::clamp(context_.secondsLeft(), kLeastTime, options.time_limit);
  PlanHooks hooks = hooks_;
  if (hooks_.progress) {
    hooks.progress = [&](const PlanProgress& step) {
      PlanProgress named = step;
      named.worst = name + ": " + step.worst;
      hooks_.progress(named);
    };
  }
  return way.end ? planTo(problem, *way.end, options, hooks) : plan(problem, options, hooks);
}

/// Keeps the failure that came farthest; of one motion the first, which was tried in the best way.
void SequenceSearch::fail(int step, const Problem& problem, Plan plan) {
  if (step <= deepest_) return;
  deepest_ = step;
  failure_ = SequencePlan::Failure{motionName(sequence_, step), problem, std::move(plan)};
}

/// The ends of a motion, the most promising first; the planner's own choice last.
std::vector<SequenceSearch::Way> SequenceSearch::waysOf(int step, const SequenceState& state,
                                                        const Problem& problem) {
  // Where a line ends is not chosen apart from how it is followed.
  if (std::holds_alternative<JointTarget>(problem.goal) || lineToGoal(problem) != nullptr) {
    return {Way{}};
  }
  std::vector<Way> ways;
  looks_left_ = kLooks;
  for (VecX& end : endsOf(problem)) {
    SequenceState after = state;
    after.q = problem.configuration(end);
    after.time += leastTime(problem, end);
    const double cost = leastTime(problem, end) + lookAhead(step + 1, std::move(after), kDepth);
    ways.push_back({std::move(end), cost});
  }
  std::stable_sort(ways.begin(), ways.end(),
                   [](const Way& a, const Way& b) { return a.cost < b.cost; });
  ways.push_back(Way{});
  return ways;
}

/// The least time [s] of what follows, as far as is looked; infinite when no way leads on.
double SequenceSearch::lookAhead(int step, SequenceState state, int depth) {
  const int count = static_cast<int>(sequence_.steps.size());
  try {
    while (step < count && motionAt(sequence_, step) == nullptr) {
      throwIfStopped();
      state = afterEvent(sequence_, sequence_.steps[step++], state);
    }
    if (step == count || depth == 0 || looks_left_ <= 0 || context_.mustEnd()) return 0.0;
    --looks_left_;
    const Problem problem = segmentProblem(sequence_, step, state);
    double least = kInfinity;
    std::vector<VecX> ends = endsOf(problem);
    if (static_cast<int>(ends.size()) > kBreadth) ends.resize(kBreadth);
    for (const VecX& end : ends) {
      SequenceState after = state;
      after.q = problem.configuration(end);
      after.time += leastTime(problem, end);
      least = std::min(least, leastTime(problem, end) + lookAhead(step + 1, after, depth - 1));
    }
    return least;
  } catch (const InputError&) {
    return kInfinity;  // a goal that this start cannot have
  }
}

/// Configurations in which a motion may end, the nearest first; none when it cannot begin.
std::vector<VecX> SequenceSearch::endsOf(const Problem& problem) {
  ++statistics_.looks;
  if (!validate(problem).empty()) return {};
  const ClearanceEvaluator evaluator(problem, firstPolicy(problem), context_.threads);
  if (!endFault(problem, evaluator).empty()) return {};
  // A line ends wherever the joints come out that follow it.
  if (const KeepOnLine* line = lineToGoal(problem)) {
    std::vector<VecX> ends;
    for (const LineMotion& motion : motionsAlong(evaluator, *line, context_).motions) {
      if (motion.unclear == 0.0) ends.push_back(motion.curve.value(motion.curve.duration()));
    }
    return ends;
  }
  GoalOptions options;
  options.most = kMostEnds;
  options.starts = kStartsOfEnds;
  return goalConfigurations(evaluator, context_, options);
}

}  // namespace allclear
