// A plan from a problem: what no plan can mend is said first, then one search follows, and its
// message.
//
// What the search works on may be more than the user's problem: poses become postures where
// contacts bind the joints, alternatives of the goal that cannot be are left out, and the end may
// have to wait for obstacles. The certificate is always about the problem as it was given.
#include "allclear/planner/planner.h"

#include <memory>

#include "allclear/core/input_error.h"
#include "allclear/core/parallel.h"
#include "allclear/planner/certificate/statements.h"
#include "allclear/planner/posture/posture.h"
#include "allclear/planner/problem/alternatives.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/planner/search/end_contacts.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/margin_hint.h"
#include "allclear/planner/search/plan_run.h"
#include "allclear/planner/search/plan_search.h"
#include "allclear/planner/search/rest_at_goal.h"
#include "allclear/planner/search/usable_goals.h"

namespace allclear {
namespace {

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

void requirePlannable(const Problem& problem) {
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) {
    throw InputError({problem.source_file, 0, findings.front().what, ""}, findings.front().message);
  }
  refuseUnsupported(problem);
  refuseLineWithOthers(problem);
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

RunContext contextOf(const PlanOptions& options, const PlanHooks& hooks) {
  RunContext context;
  context.stop = hooks.stop;
  context.progress = hooks.progress;
  context.threads = threadCount(options.threads);
  context.seed = options.seed;
  return context.endingAfter(options.time_limit, context.start);
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

/// Searches for a plan of `later`, which asks for all that `problem` asks for, and maybe more, and
/// certifies it for `problem`.
Plan planWith(const Problem& problem, Problem later, const PlanOptions& options,
              const PlanHooks& hooks, const Trajectory* earlier) {
  requirePlannable(problem);
  const RunContext whole = contextOf(options, hooks);
  const RunContext context = whole.endingAfter(kShareOfSearch * options.time_limit, whole.start);
  const UsableGoals usable = keepUsableGoals(&later, context.threads);
  // Contact limits come in when a plan is accepted, which is then slowed down.
  if (problem.limits.slow_down) later.limits.contact.clear();
  auto search = std::make_unique<PlanSearch>(later, problem, options, context);
  // Bodies that no plan can part, and a start or goal in contact, are the user's to mend: say so
  // and solve nothing.
  std::string fault = fixedFault(problem);
  if (fault.empty()) fault = endFault(later, search->evaluator());
  if (fault.empty() && hasNoAlternative(later)) fault = noneText(problem, usable.left_out);
  if (fault.empty()) {
    const RestAtGoal rest = restAtGoal(search->evaluator(), context);
    fault = rest.fault;
    if (fault.empty() && rest.from > problem.duration.min) {
      later.duration.min = rest.from;
      search = std::make_unique<PlanSearch>(later, problem, options, context);
    }
  }
  if (earlier != nullptr) search->startFrom(*earlier);
  Plan& plan = search->plan();
  plan.message = fault;
  plan.left_out = usable.left_out;
  if (plan.message.empty()) {
    plan.left_out.clear();
    search->run();
    plan.left_out = allLeftOut(problem, usable, plan.left_out);
    if (search->findings().no_alternative) plan.message = noneText(problem, plan.left_out);
    if (mayDependOnMargins(plan, search->findings())) {
      Problem hinted = withPosture(problem);
      hinted.goal = later.goal;
      search->findings().margin_hint = marginHint(hinted, options, context);
    }
  }
  plan.statistics.seconds = context.secondsSinceStart();
  if (plan.message.empty()) {
    plan.message = verdictText(plan, search->findings(), search->evaluator(), whole);
  }
  return std::move(plan);
}

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
  return planWith(problem, withPosture(problem), options, hooks, earlier);
}

Plan planTo(const Problem& problem, const VecX& end, const PlanOptions& options,
            const PlanHooks& hooks) {
  Problem chosen = problem;
  chosen.goal = JointTarget{problem.planned, end};
  return planWith(problem, std::move(chosen), options, hooks, nullptr);
}

}  // namespace allclear
