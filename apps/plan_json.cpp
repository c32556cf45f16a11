// What `allclear plan --json` prints.
#include "allclear/apps/plan_json.h"

#include "allclear/apps/assumptions_json.h"
#include "allclear/apps/verdict_text.h"

namespace allclear {
namespace {

/// The first certified plan and each better one.
nlohmann::ordered_json stepsJson(const std::vector<PlanStep>& steps) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const PlanStep& step : steps) {
    out.push_back({{"seconds", step.seconds},
                   {"attempts", step.attempts},
                   {"iterations", step.iterations},
                   {"cost", step.cost},
                   {"duration", step.duration},
                   {"origin", step.origin}});
  }
  return out;
}

/// Of a goal with alternatives: which one the plan ends at, and which are left out. Counted from 1.
nlohmann::ordered_json goalJson(const Plan& plan) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (plan.certificate && plan.certificate->goal) out = reachedJson(*plan.certificate->goal);
  out["left_out"] = nlohmann::ordered_json::array();
  for (const LeftOutAlternative& one : plan.left_out) {
    out["left_out"].push_back({{"alternative", one.alternative + 1}, {"why", one.why}});
  }
  return out;
}

}  // namespace

nlohmann::ordered_json longestCallJson(const std::string& library, double seconds) {
  if (library.empty()) return nullptr;
  return {{"library", library}, {"seconds", seconds}};
}

nlohmann::ordered_json planJson(const Plan& plan) {
  const PlanStatistics& s = plan.statistics;
  const nlohmann::ordered_json longest = longestCallJson(s.longest_call, s.longest_call_seconds);
  nlohmann::ordered_json out = {{"status", planStatusName(plan.status)},
                                {"message", plan.message},
                                {"seconds", s.seconds},
                                {"seed_seconds", s.seed_seconds},
                                {"solve_seconds", s.solve_seconds},
                                {"certify_seconds", s.certify_seconds},
                                {"attempts", s.attempts},
                                {"rounds", s.rounds},
                                {"iterations", s.iterations},
                                {"first_guess", s.seed},
                                {"cost", s.cost},
                                {"cut_short", s.cut_short},
                                {"longest_call", longest},
                                {"steps", stepsJson(s.steps)}};
  if (!plan.left_out.empty() || (plan.certificate && plan.certificate->goal)) {
    out["goal"] = goalJson(plan);
  }
  // What there is of a plan that was not found, too.
  if (plan.trajectory) out["duration"] = plan.trajectory->duration();
  if (plan.certificate) {
    const Interval& least = plan.certificate->minimum_clearance;
    out["minimum_clearance"] = {least.lower, least.upper};
    out["closest_pairs"] = closestPairsJson(*plan.certificate);
    out["valid_until"] = plan.certificate->valid_until;
    out["assumptions"] = assumptionsJson(*plan.certificate);
  }
  return out;
}

}  // namespace allclear
