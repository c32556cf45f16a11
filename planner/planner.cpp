// One run of the planner: what stands in the way whatever is planned, then the search, then the
// words.
//
// What the search works on may be more than the user's problem: poses become postures where
// contacts bind the joints, alternatives of the goal that cannot be are left out, and the end may
// have to wait for obstacles. The certificate is always about the problem as it was given. Every
// step ends by itself when the time limit or the caller's `stop` come; work that is deep in
// something then is given up by a `StopScope` a little later, and what was found stays.
#include "allclear/planner/planner.h"

#include <memory>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/certificate/statements.h"
#include "allclear/planner/posture/posture.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/run/proof_time.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/planner/search/end_contacts.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/margin_hint.h"
#include "allclear/planner/search/plan_run.h"
#include "allclear/planner/search/plan_search.h"
#include "allclear/planner/search/rest_at_goal.h"
#include "allclear/planner/search/usable_goals.h"
#include "allclear/planner/search/verdict.h"

namespace allclear {
namespace {

/// Unknowns of a curve, at most: a dense matrix of them takes half a gigabyte. (MUMPS, which knows
/// no time limit, would take more where rows reach most of them.)
constexpr long kMostUnknowns = 8000;
/// Spans of a polished curve where none are asked for, and coefficients beyond one for each span.
constexpr int kSpansOfPolish = 24, kMoreThanSpans = 5;

void refuseTooLarge(const Problem& problem, const PlanOptions& options) {
  const int spans = options.spans > 0 ? options.spans : kSpansOfPolish;
  const long unknowns = static_cast<long>(problem.plannedCount()) * (spans + kMoreThanSpans);
  if (unknowns <= kMostUnknowns) return;
  throw InputError({problem.source_file, 0, "", ""},
                   std::to_string(problem.plannedCount()) + " planned joints, each a curve of " +
                       std::to_string(spans) + " spans, are more than can be planned at once (" +
                       std::to_string(unknowns) + " unknowns, at most " +
                       std::to_string(kMostUnknowns) +
                       "): plan fewer joints (joints, group_name), or on fewer spans (solver)");
}

/// Demands that the optimiser has no rows for: better refused than forgotten.
void refuseUnsupported(const Problem& problem) {
  // What leads a curve through waypoints, or over trees, knows nothing of contacts.
  if (!problem.waypoints.empty() && !contactTargets(problem).empty()) {
    throw InputError({problem.source_file, 0, "waypoints", ""},
                     "cannot be planned for together with contacts of links that planned joints "
                     "move; plan from waypoint to waypoint");
  }
}

/// A goal along a line is followed from rest to rest, and by itself.
void refuseLineWithOthers(const Problem& problem) {
  if (lineToGoal(problem) == nullptr) return;
  const auto refuse = [&](const char* key, const char* message) {
    throw InputError({problem.source_file, 0, key, ""}, message);
  };
  if (!problem.waypoints.empty()) {
    refuse("waypoints", "cannot be passed on a line; give the line's own points (goal: linear)");
  }
  // The first guesses start and end at rest, as the motion's direction there is the line's alone.
  if (!isRestToRest(problem)) {
    refuse("goal: linear",
           "a line is followed from rest to rest; leave out velocities and "
           "accelerations of start and goal");
  }
  if (!contactTargets(problem).empty()) {
    refuse("goal: linear",
           "cannot be planned for together with contacts of links that planned "
           "joints move");
  }
}

void requirePlannable(const Problem& problem, const PlanOptions& options) {
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) {
    throw InputError({problem.source_file, 0, findings.front().what, ""}, findings.front().message);
  }
  refuseUnsupported(problem);
  refuseLineWithOthers(problem);
  refuseTooLarge(problem, options);
}

/// Bodies that are in one another and that no plan can part, for ever or when an obstacle comes:
/// the sentence for the user, or nothing.
std::string fixedFault(const Problem& problem) {
  const CertifiedGeometry geometry = certifiedGeometry(problem);
  std::vector<std::string> faults = fixedPairSentences(problem, geometry).faults;
  for (std::string& meeting : unavoidableMeetings(problem, geometry)) {
    faults.push_back(std::move(meeting));
  }
  if (faults.empty()) return "";
  const std::size_t more = faults.size() - 1;
  return "No plan: " + faults.front() + "." +
         (more == 0 ? ""
                    : " So it is with " + std::to_string(more) +
                          (more == 1 ? " more pair." : " more pairs."));
}

/// Share of the time limit for the search. The rest is for the text of a failure, which looks for
/// its cause: so the deadline holds for both.
constexpr double kShareOfSearch = 0.98;

RunContext wholeContext(const PlanOptions& options, const PlanHooks& hooks) {
  RunContext context = contextOf(options, hooks, options.time_limit);
  context.progress = hooks.progress;
  return context;
}

/// Where contacts bind the joints to each other, no inverse kinematics of one link leads to a pose:
/// it becomes a posture, and so a fixed end of the curve.
Problem withPosture(Problem problem) {
  if (contactTargets(problem).empty()) return problem;
  const auto* pose = std::get_if<PoseTarget>(&problem.goal);
  if (pose != nullptr) problem.goal = postureTarget(problem, *pose);
  auto* any = std::get_if<AnyTarget>(&problem.goal);
  if (any == nullptr) return problem;
  for (GoalAlternative& alternative : any->alternatives) {
    const auto* one = std::get_if<PoseTarget>(&alternative.target);
    if (one != nullptr) alternative.target = postureTarget(problem, *one);
  }
  return problem;
}

bool hasNoAlternative(const Problem& problem) {
  const AnyTarget* any = alternativesOf(problem);
  return any != nullptr && any->alternatives.empty();
}

/// That none of a goal's alternatives can be, and why.
std::string noneText(const Problem& problem, const std::vector<LeftOutAlternative>& left_out) {
  return "No plan: none of the goal's " +
         std::to_string(alternativesOf(problem)->alternatives.size()) +
         " alternatives can be: " + leftOutText(left_out) + ".";
}

/// Whether the margins may be why there is no plan: nothing else is known to stand in the way.
bool mayDependOnMargins(const Plan& plan, const SearchFindings& findings) {
  return plan.status == PlanStatus::kNotFound && plan.message.empty() &&
         findings.worst_demand.empty() && findings.unreachable.empty();
}

/// One run of `plan`, step by step.
class PlanRun {
 public:
  /// `later` asks for all that `problem` asks for, and maybe more; the plan is certified for
  /// `problem`.
  PlanRun(const Problem& problem, Problem later, const PlanOptions& options, const PlanHooks& hooks)
      : problem_(problem),
        options_(options),
        whole_(wholeContext(options, hooks)),
        context_(searchContext(hooks)),
        later_(std::move(later)) {
    // Contact limits come in when a plan is accepted, which is then slowed down.
    if (problem.limits.slow_down) later_.limits.contact.clear();
  }

  Plan run(const Trajectory* earlier) {
    const StopScope scope(GraceTime(whole_, kGraceOfSearch));
    Plan plan = prepare() ? searched(earlier) : notBegun();
    const LibraryCall longest = scope.longestCall();
    plan.statistics.longest_call = longest.library;
    plan.statistics.longest_call_seconds = longest.seconds;
    return plan;
  }

 private:
  RunContext searchContext(const PlanHooks& hooks) const {
    return whole_.endingAfter(kShareOfSearch * options_.time_limit,
                              hooks.start.value_or(whole_.start));
  }

  /// Makes the model, and finds what stands in the way whatever is planned; false when there was no
  /// time for it.
  bool prepare() {
    try {
      usable_ = keepUsableGoals(&later_, context_.threads);
      search_ = std::make_unique<PlanSearch>(later_, problem_, options_, context_);
      findFault();
      return true;
    } catch (const Stopped&) {
      return false;
    }
  }

  /// Bodies that no plan can part, and a start or goal in contact, are the user's to mend: say so
  /// and solve nothing.
  void findFault() {
    fault_ = fixedFault(problem_);
    if (fault_.empty()) fault_ = endFault(later_, search_->evaluator());
    if (fault_.empty() && hasNoAlternative(later_)) {
      fault_ = noneText(problem_, usable_.left_out);
    }
    if (!fault_.empty()) return;
    const RestAtGoal rest = restAtGoal(search_->evaluator(), context_);
    fault_ = rest.fault;
    if (fault_.empty() && rest.from > problem_.duration.min) {
      later_.duration.min = rest.from;
      search_ = std::make_unique<PlanSearch>(later_, problem_, options_, context_);
    }
  }

  Plan notBegun() const {
    Plan plan;
    plan.options = options_;
    const bool is_stopped = context_.isStopped();
    plan.status = is_stopped ? PlanStatus::kInterrupted : PlanStatus::kTimedOut;
    plan.statistics.seconds = context_.secondsSinceStart();
    plan.message = std::string(is_stopped ? "Interrupted" : "Out of time") + " after " +
                   number(plan.statistics.seconds, 3) +
                   " s, while the model of robot and scene was made: nothing was tried.";
    return plan;
  }

  Plan searched(const Trajectory* earlier) {
    if (earlier != nullptr) search_->startFrom(*earlier);
    Plan& plan = search_->plan();
    plan.message = fault_;
    plan.left_out = usable_.left_out;
    if (plan.message.empty()) {
      plan.left_out.clear();
      search_->run();
      plan.left_out = allLeftOut(problem_, usable_, plan.left_out);
      if (search_->findings().no_alternative) plan.message = noneText(problem_, plan.left_out);
      if (mayDependOnMargins(plan, search_->findings())) findMarginHint();
    }
    plan.statistics.seconds = context_.secondsSinceStart();
    if (plan.message.empty()) plan.message = verdict();
    return std::move(plan);
  }

  void findMarginHint() {
    try {
      Problem hinted = withPosture(problem_);
      hinted.goal = later_.goal;
      search_->findings().margin_hint = marginHint(hinted, options_, context_);
    } catch (const Stopped&) {  // a hint is not worth more time
    }
  }

  std::string verdict() const {
    try {
      return verdictText(search_->plan(), search_->findings(), search_->evaluator(), whole_);
    } catch (const Stopped&) {
      return endText(search_->plan()) + " There was no time left to look for what is in the way.";
    }
  }

  const Problem& problem_;
  const PlanOptions& options_;
  const RunContext whole_;
  const RunContext context_;  ///< of the search
  Problem later_;             ///< what is searched for
  UsableGoals usable_;        ///< of its alternatives
  std::unique_ptr<PlanSearch> search_;
  std::string fault_;
};

}  // namespace

const char* planStatusName(PlanStatus status) {
  static constexpr const char* kNames[] = {"certified", "not found", "timed out", "interrupted"};
  return kNames[static_cast<int>(status)];
}

Plan plan(const Problem& problem, const PlanOptions& options, const PlanHooks& hooks) {
  return planFrom(problem, options, hooks, nullptr);
}

Plan planFrom(const Problem& problem, const PlanOptions& options, const PlanHooks& hooks,
              const Trajectory* earlier) {
  requirePlannable(problem, options);
  return PlanRun(problem, withPosture(problem), options, hooks).run(earlier);
}

Plan planTo(const Problem& problem, const VecX& end, const PlanOptions& options,
            const PlanHooks& hooks) {
  Problem chosen = problem;
  chosen.goal = JointTarget{problem.planned, end};
  requirePlannable(problem, options);
  return PlanRun(problem, std::move(chosen), options, hooks).run(nullptr);
}

}  // namespace allclear
