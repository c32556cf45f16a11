// When the robot may come to rest at its goal: after the last obstacle that would hit it there has
// passed. A plan that ends earlier would be refused for what happens after its end.
#include "allclear/planner/search/rest_at_goal.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/problem/after_end.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/verdict.h"
#include "allclear/planner/seeds/goal_configurations.h"

namespace allclear {
namespace {

/// Of the obstacles' motion, at most: 20 s of it every 10 ms, in which a fast cart goes a few
/// centimetres. What happens between two samples the certificate sees.
constexpr int kSamples = 2000;
constexpr double kLongestStep = 0.01;  // [s]

/// The optimiser aims two tolerances beyond the margin (`refine`): with more than that to spare at
/// its end, a curve of this duration can succeed.
constexpr double kToSpare = 4.0;

}  // namespace

/// The fault names the contact.
RestAtGoal restAt(const ClearanceEvaluator& evaluator, const VecX& goal) {
  const Problem& problem = evaluator.problem();
  const double last = lastMotion(problem);
  if (!restsAfterEnd(problem) || last <= problem.duration.min) return {};
  ClearanceEvaluator::Workspace workspace(evaluator);
  const int samples = std::min(kSamples, static_cast<int>(std::ceil(last / kLongestStep)));
  const double step = last / samples;
  // Backwards from the stop of the last obstacle: the first sample that is not free tells.
  for (int i = samples; i >= 0 && i * step > problem.duration.min; --i) {
    const double t = i * step;
    const Clearance c = evaluator.atRest(goal, t, workspace);
    if (c.pair < 0) return {};
    // The demand is less where the pair is relaxed at the goal, and more where something strays.
    const double margin = std::min(evaluator.model().pairs[c.pair].margin, c.demand);
    if (c.upper >= margin + kToSpare * problem.collision.tolerance) continue;
    // Where an obstacle stops, the margin itself will do, as at any goal.
    if (i == samples && c.upper >= margin) continue;
    RestAtGoal out{t + step, ""};
    if (i == samples || out.from > problem.duration.max) {
      out.fault = "No plan: while the robot rests at the goal, " +
                  contactText(evaluator.model(), c) + " at t = " + number(t) +
                  " s. Move the goal, ";
      out.fault += i == samples ? "or the obstacle" : "or let the plan take longer (duration: max)";
      out.fault += "; or say that the robot does not rest there (after: unknown).";
    }
    return out;
  }
  return {};
}

RestAtGoal restAtGoal(const ClearanceEvaluator& evaluator, const RunContext& context) {
  const Problem& problem = evaluator.problem();
  if (!restsAfterEnd(problem) || lastMotion(problem) <= problem.duration.min) return {};
  if (std::holds_alternative<AnyTarget>(problem.goal)) return {};
  if (const auto* goal = std::get_if<JointTarget>(&problem.goal)) {
    return restAt(evaluator, goal->values);
  }
  // A pose has several configurations, and attempts take turns: the latest time suits all of them.
  RestAtGoal out;
  bool may_rest = false;
  for (const VecX& goal : goalConfigurations(evaluator, context)) {
    const RestAtGoal rest = restAt(evaluator, goal);
    may_rest = may_rest || rest.fault.empty();
    if (rest.fault.empty()) {
      out.from = std::max(out.from, rest.from);
    } else {
      out.fault = rest.fault;
    }
  }
  if (may_rest) out.fault.clear();
  return out;
}

}  // namespace allclear
