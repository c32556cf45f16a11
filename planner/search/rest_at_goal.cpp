// When the robot may come to rest at its goal: after the last obstacle that would hit it there has
// passed. A plan that ends earlier would be refused for what happens after its end.
#include "allclear/planner/search/rest_at_goal.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/problem/after_end.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/verdict.h"

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

RestAtGoal restAtGoal(const Problem& problem, const ClearanceEvaluator& evaluator) {
  RestAtGoal out;
  const auto* goal = std::get_if<JointTarget>(&problem.goal);
  const double last = lastMotion(problem);
  if (goal == nullptr || !restsAfterEnd(problem) || last <= problem.duration.min) return out;
  ClearanceEvaluator::Workspace workspace(evaluator);
  const int samples = std::min(kSamples, static_cast<int>(std::ceil(last / kLongestStep)));
  const double step = last / samples;
  // Backwards from the stop of the last obstacle: the first sample that is not free tells.
  for (int i = samples; i >= 0 && i * step > problem.duration.min; --i) {
    const double t = i * step;
    const Clearance c = evaluator.atRest(goal->values, t, workspace);
    if (c.pair < 0) return out;
    const double margin = evaluator.model().pairs[c.pair].margin;
    if (c.upper >= margin + kToSpare * problem.collision.tolerance) continue;
    // Where an obstacle stops, the margin itself will do, as at any goal.
    if (i == samples && c.upper >= margin) continue;
    out.from = t + step;
    if (i == samples || out.from > problem.duration.max) {
      out.fault = "No plan: while the robot rests at the goal, " +
                  contactText(evaluator.model(), c) + " at t = " + number(t) +
                  " s. Move the goal, ";
      out.fault += i == samples ? "or the obstacle" : "or let the plan take longer (duration: max)";
      out.fault += "; or say that the robot does not rest there (after: unknown).";
    }
    return out;
  }
  return out;
}

}  // namespace allclear
