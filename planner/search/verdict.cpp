// The message of a plan. Of all that is known, the most specific cause is told: a refused
// certificate, then a waypoint without a configuration, a demand on the state, the worst pair, and
// at last that no way was found.
#include "allclear/planner/search/verdict.h"

#include <algorithm>
#include <string_view>

#include "allclear/core/formatted.h"
#include "allclear/planner/search/end_faults.h"

namespace allclear {
namespace {

/// What the time after the first certified plan gained.
std::string improvementText(const Plan& plan) {
  const PlanStatistics& s = plan.statistics;
  std::string text;
  if (s.steps.size() > 1) {
    text = " The first plan, of " + number(s.steps.front().duration) + " s, took " +
           number(s.steps.front().seconds, 3) + " s.";
  }
  if (s.cut_short && plan.status == PlanStatus::kCertified && s.steps.size() > 0) {
    text +=
        plan.options.improve == Improve::kAll
            ? " The time limit ended the search for a better one."
            : " The time limit ended the search for a better one: with more time, or on a faster "
              "machine, the plan may be another one.";
  }
  return text;
}

std::string certifiedText(const Plan& plan) {
  const PlanStatistics& s = plan.statistics;
  const bool is_whole = plan.status == PlanStatus::kCertified;
  // The certificate's verdict, "Clear at ..", goes on in this sentence.
  std::string verdict = plan.certificate->message;
  if (verdict.starts_with('C')) verdict[0] = 'c';
  return std::string(is_whole ? "" : "Interrupted while making the plan better. ") +
         "Certified: " + verdict + " Found from the " + s.seed + " in " + number(s.seconds, 3) +
         " s (" + std::to_string(s.iterations) + " iterations)." + improvementText(plan) +
         (plan.left_out.empty() ? ""
                                : " Alternatives left out: " + leftOutText(plan.left_out) + ".");
}

/// The best attempt's worst pair, and what would let it pass.
std::string pairText(const SearchFindings& findings, const ClearanceEvaluator& evaluator) {
  const Clearance& worst = *findings.worst;
  const std::string text = " In the best attempt, " + contactText(evaluator.model(), worst) +
                           " at t = " + number(worst.t_star) + " s. ";
  if (!findings.margin_hint.empty()) return text + findings.margin_hint;
  // The optimiser aims two tolerances beyond the margin: for this margin the curve is good enough.
  const double feasible = worst.lower - 2.0 * evaluator.problem().collision.tolerance;
  if (feasible > 0.0)
    return text + "It would do for a margin of " + number(1e3 * feasible) + " mm.";
  return text + "Try more attempts or time (solver), or give the way more room.";
}

std::string noWayText(const SearchFindings& findings, const ClearanceEvaluator& evaluator,
                      const RunContext& context) {
  std::string text = " No way around the obstacles was found. ";
  if (!findings.margin_hint.empty()) text += findings.margin_hint + " ";
  const std::string on_the_way =
      findings.goal ? straightWayText(evaluator, *findings.goal, context) : "";
  if (!on_the_way.empty()) text += on_the_way + " ";
  return text + "Try more attempts or time (solver).";
}

/// Of a trajectory that takes all the time there may be: that a longer one might do. Where limits
/// of velocity and the like are not kept, that is why.
std::string longestText(const Problem& problem, const Trajectory& trajectory) {
  constexpr double kRounding = 1e-6;  // relative: rows are at whole nanoseconds
  if (!(trajectory.duration() >= problem.duration.max * (1.0 - kRounding))) return "";
  return " It takes all of the duration, which is " +
         std::string(problem.duration.isFixed() ? "fixed at " : "at most ") +
         number(problem.duration.max) + " s: with more (duration) it could be slower.";
}

}  // namespace

std::string withoutOpening(const std::string& fault) {
  constexpr std::string_view kOpening = "No plan: ";
  return fault.starts_with(kOpening) ? fault.substr(kOpening.size()) : fault;
}

std::string reasonIn(const std::string& fault) {
  const std::string text = withoutOpening(fault);
  // The first sentence; a point within a number has no blank after it.
  return text.substr(0, std::min(text.find(". "), text.find_last_not_of('.') + 1));
}

std::string leftOutText(const std::vector<LeftOutAlternative>& left_out) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, left_out.size()); ++i) {
    text += (text.empty() ? "" : "; ") + left_out[i].name + ": " + left_out[i].why;
  }
  if (left_out.size() > kNamed) {
    text += "; and " + std::to_string(left_out.size() - kNamed) + " more";
  }
  return text;
}

std::string number(double value, int digits) { return formatted("%.*g", digits, value); }

std::string endText(const Plan& plan) {
  const PlanStatistics& s = plan.statistics;
  const std::string how = plan.status == PlanStatus::kTimedOut      ? "Out of time"
                          : plan.status == PlanStatus::kInterrupted ? "Interrupted"
                                                                    : "No certified plan";
  return how + " after " + number(s.seconds, 3) + " s and " + std::to_string(s.attempts) +
         (s.attempts == 1 ? " attempt." : " attempts.");
}

std::string verdictText(const Plan& plan, const SearchFindings& findings,
                        const ClearanceEvaluator& evaluator, const RunContext& context) {
  if (plan.certificate && plan.certificate->clear) return certifiedText(plan);
  // Causes in order, the most specific first.
  std::string text = endText(plan);
  if (!plan.left_out.empty()) text += " Alternatives left out: " + leftOutText(plan.left_out) + ".";
  if (plan.certificate) {
    return text + " The best trajectory found is refused by its certificate: " +
           plan.certificate->message + longestText(evaluator.problem(), *plan.trajectory);
  }
  if (!findings.along_the_line.empty()) {
    return text + findings.along_the_line +
           " Move the line or what is in its way, or start from another posture.";
  }
  if (!findings.unreachable.empty()) {
    return text + " No configuration within the limits and clear of everything meets " +
           findings.unreachable + ". Loosen its tolerance, or move it.";
  }
  if (findings.off_contacts && !findings.worst) {
    return text +
           " Between start and goal there are configurations that cannot be put onto the contacts: "
           "the legs do not reach. Move the goal, or plan by way of a posture between them.";
  }
  if (!findings.worst_demand.empty()) {
    return text + " In the best attempt this is not kept: " + findings.worst_demand +
           ". Loosen it, or give the plan more time or attempts.";
  }
  return text +
         (findings.worst ? pairText(findings, evaluator) : noWayText(findings, evaluator, context));
}

}  // namespace allclear
