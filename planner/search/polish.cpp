// A certified plan was found with few spans, which follow a path around the obstacles but cannot
// follow a fast motion: limits switch every tenth of a second. The optimiser gets a curve with a
// span for each switch or so, warm from the plan and already clear, and pulls the path straight
// where the obstacles allow it. The fastest pace along the new path is found by retiming.
#include "allclear/planner/search/polish.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/retiming/retime.h"
#include "allclear/planner/search/waypoint_targets.h"
#include "allclear/planner/seeds/contact_fit.h"
#include "allclear/planner/timing.h"
#include "allclear/trajectories/spline_fit.h"

namespace allclear {
namespace {

/// The pace of the guess: smooth enough for the spline to follow, and not to be beyond its limits.
constexpr double kSmoothness = 1.0;
constexpr double kGentleness = 0.5;

constexpr double kSpanSeconds = 0.12;
constexpr int kFewestSpans = 12;
constexpr int kMostSpans = 24;
constexpr int kSamplesPerSpan = 8;  // of the plan, for the fit
/// Enough for a curve without kinks; the last of the haste is the retiming's.
constexpr double kJerkWeight = 0.02;
/// Where torques and friction bind, a program takes two to four times as many iterations.
constexpr int kIterationsOnContacts = 150;

EndState stateAt(const Trajectory& curve, double t) {
  return {curve.value(t), curve.value(t, 1), curve.value(t, 2)};
}

/// A spline of equal spans that follows the plan in time.
BSpline followed(const Trajectory& plan, int spans) {
  const double T = plan.duration();
  const int count = kSamplesPerSpan * spans;
  Samples samples;
  samples.values.resize(plan.dimension(), count + 1);
  for (int i = 0; i <= count; ++i) {
    samples.times.push_back(T * i / count);
    samples.values.col(i) = plan.value(samples.times.back());
  }
  return fitSpline(std::make_shared<const BSplineBasis>(BSplineBasis::uniform(spans)), T, samples,
                   stateAt(plan, 0.0), stateAt(plan, T));
}

/// The plan's path at a calm pace, or the plan itself where its pace is not free.
Trajectory calmed(const Problem& problem, const Trajectory& plan) {
  if (!mayRetime(problem)) return plan;
  const auto calm = retimed(problem, plan, {.smoothness = kSmoothness, .gentleness = kGentleness});
  return calm ? Trajectory(calm->curve) : plan;
}

}  // namespace

ObjectiveWeights polishingWeights(const ObjectiveWeights& weights) {
  ObjectiveWeights out = weights;
  out.jerk = std::min(out.jerk, kJerkWeight);
  if (out.jerk == 0.0) out.jerk = kJerkWeight;
  return out;
}

Refinement polished(const ClearanceEvaluator& evaluator, const Trajectory& plan,
                    const RunContext& context, const PolishOptions& options) {
  const Problem& problem = evaluator.problem();
  const Trajectory calm = calmed(problem, plan);
  const int spans = std::clamp(static_cast<int>(std::ceil(calm.duration() / kSpanSeconds)),
                               kFewestSpans, kMostSpans);
  BSpline guess = followed(calm, spans);
  if (isRestToRest(problem)) guess = guess.withDuration(feasibleDuration(problem, guess));
  RefinementOptions refinement;
  refinement.iterations = options.iterations;
  refinement.waypoint_times = passingTimes(problem, guess, options.via);
  return refine(evaluator, guess, context, refinement);
}

Refinement polishedOnContacts(const ClearanceEvaluator& evaluator, const Refinement& solved,
                              const RunContext& context) {
  BSpline guess = solved.curve;
  RefinementOptions refinement;
  refinement.iterations = kIterationsOnContacts;
  refinement.wrenches = solved.wrenches;
  // Knots between the knots change neither the curve nor the forces.
  if (2 * guess.spanCount() <= kMostSpans) {
    const std::vector<double> middles = middlesOfSpans(guess.basis());
    guess = guess.withInsertedKnots(middles);
    if (refinement.wrenches) refinement.wrenches = refinement.wrenches->withInsertedKnots(middles);
  }
  return refine(evaluator, guess, context, refinement);
}

}  // namespace allclear
