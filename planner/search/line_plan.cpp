// A plan whose goal is the end of a line.
//
// There is no way to search: the line is the way, and what is open is what the joints do that it
// leaves free. Inverse kinematics follows the line with several choices (line_motion.h). Each
// motion gets its fastest pace and is certified, the clear ones first. Where none is clear, or the
// certificate takes none, the optimiser bends the best of them: it has rows for the line and for
// the clearances.
#include <algorithm>
#include <cmath>
#include <memory>

#include "allclear/planner/retiming/retime.h"
#include "allclear/planner/search/plan_search.h"
#include "allclear/planner/seeds/line_motion.h"
#include "allclear/planner/timing.h"
#include "allclear/trajectories/spline_fit.h"

namespace allclear {
namespace {

/// Clear motions to give a pace and to certify: the first that is taken, and so many more that are
/// not longer by this factor, of which the cheapest wins.
constexpr int kMostPaced = 4;
constexpr double kWorthPacing = 1.3;
/// Motions to bend, those that are clear for longest; with `Improve::kAll` as many as attempts.
constexpr int kMostBent = 3;
/// Spans of the curve that is bent: by the second, and within bounds.
constexpr double kSpansPerSecond = 8.0;
constexpr int kFewestSpans = 12;
constexpr int kMostSpans = 32;
constexpr int kSamplesPerSpan = 8;
/// A little slower than the limits, for rounding.
constexpr double kRounding = 1.0 + 1e-9;

/// A spline of equal spans that follows the motion in time, from rest to rest.
BSpline followed(const HermiteCurve& curve) {
  const double T = curve.duration();
  const int spans =
      std::clamp(static_cast<int>(std::ceil(kSpansPerSecond * T)), kFewestSpans, kMostSpans);
  Samples samples;
  samples.values.resize(curve.dimension(), kSamplesPerSpan * spans + 1);
  for (int i = 0; i <= kSamplesPerSpan * spans; ++i) {
    samples.times.push_back(T * i / (kSamplesPerSpan * spans));
    samples.values.col(i) = curve.value(samples.times.back());
  }
  return fitSpline(std::make_shared<const BSplineBasis>(BSplineBasis::uniform(spans)), T, samples,
                   EndState::atRest(curve.value(0.0)), EndState::atRest(curve.value(T)));
}

/// The motion with its time scaled so that it keeps the limits, if the duration allows that.
HermiteCurve withinLimits(const Problem& problem, const HermiteCurve& curve) {
  const double factor = neededStretch(plannedLimits(problem), curve);
  const double T =
      std::clamp(curve.duration() * factor * kRounding, problem.duration.min, problem.duration.max);
  const double scale = T / curve.duration();
  std::vector<double> times = curve.times();
  for (double& t : times) t *= scale;
  times.back() = T;
  return {std::move(times), curve.positions(), curve.velocities() / scale,
          curve.accelerations() / (scale * scale)};
}

}  // namespace

void PlanSearch::followLine(const KeepOnLine& line) {
  const auto seed_start = RunContext::Clock::now();
  LineMotions found = motionsAlong(*evaluator_, line, context_);
  const auto isClear = [](const LineMotion& motion) { return motion.unclear == 0.0; };
  // Coarse geometry may close what is open: then all choices again, with a finer one.
  while (!found.motions.empty() && !isClear(found.motions.front()) && useFinerGeometry()) {
    found = motionsAlong(*evaluator_, line, context_);
  }
  plan_.statistics.seed_seconds += RunContext::secondsSince(seed_start);
  plan_.statistics.attempts = found.tried;
  const std::string link = "'" + problem_.robot->links()[line.link].name + "'";
  if (found.motions.empty()) {
    if (mustEnd()) return;
    plan_.status = PlanStatus::kNotFound;
    plan_.message = "No plan: " + link + " can follow the line for " + found.fault + "." +
                    " Tried " + std::to_string(found.tried) +
                    (found.tried == 1 ? " posture" : " postures") +
                    ". Shorten or move the line, start from another posture, or loosen its "
                    "tolerance.";
    return;
  }
  for (const LineMotion& motion : found.motions) {
    goals_.push_back(motion.curve.value(motion.curve.duration()));
  }
  findings_.goal = goals_.front();
  cost_.emplace(problem_, goals_);
  paceLines(found.motions);
  if (!isCertified()) bendLines(found.motions);
  if (!isCertified()) {
    const LineMotion& best = found.motions.front();
    if (!best.contact.empty()) {
      findings_.along_the_line = " Along the line, at " + best.contact + " (of " +
                                 std::to_string(found.motions.size()) +
                                 " postures tried, the one that is clear for longest).";
    }
    mustEnd();
  }
  if (context_.isStopped() && isCertified()) plan_.status = PlanStatus::kInterrupted;
}

/// Clear motions, each at its fastest pace, until one is certified and some more have been tried.
void PlanSearch::paceLines(const std::vector<LineMotion>& motions) {
  int paced = 0;
  for (const LineMotion& motion : motions) {
    if (motion.unclear > 0.0 || context_.mustEnd()) break;
    const bool may_stop = isCertified() && options_.improve != Improve::kAll;
    if (may_stop &&
        (!mayImprove() || paced >= kMostPaced || motion.seconds > kWorthPacing * best_.seconds)) {
      break;
    }
    // At its fastest pace; where that is not free, or the certificate refuses it, as it is.
    current_ = {motion.origin, motion.seconds, {}};
    const Trajectory curve(withinLimits(problem_, motion.curve));
    const bool was_certified = isCertified();
    offerFirst(curve);
    if (!isCertified() && !context_.mustEnd()) accept(curve, motion.origin);
    if (was_certified || isCertified()) ++paced;
  }
}

/// The optimiser on the motions that are clear for longest.
void PlanSearch::bendLines(const std::vector<LineMotion>& motions) {
  const int most = options_.improve == Improve::kAll ? options_.attempts : kMostBent;
  for (int i = 0; i < std::min(most, static_cast<int>(motions.size())); ++i) {
    if (context_.mustEnd() || isCertified()) return;
    if (motions[i].is_hopeless) continue;
    current_ = {motions[i].origin + ", bent", motions[i].seconds, {}};
    history_.clear();
    const BSpline guess = followed(withinLimits(problem_, motions[i].curve));
    const Refinement result =
        refineSeed(i + 1, {guess, false, {goals_[i]}, motions[i].unclear, current_.origin});
    // What the optimiser leaves has its own pace, which may be slower than its path allows.
    if (!result.clear) {
      remember(result);
    } else if (acceptResult(result, current_.origin) && mayImprove() && !context_.mustEnd()) {
      offerFirst(result.curve);
    }
  }
}

}  // namespace allclear
