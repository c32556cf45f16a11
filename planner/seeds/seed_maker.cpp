#include "allclear/planner/seeds/seed_maker.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace allclear {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFewestSpans = 8;
constexpr int kMostSpans = 16;
constexpr int kClearanceSamples = 96;
constexpr std::array kDwells{0.0, 4.0, 12.0};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Time for the way at about half of the joints' speed on average.
double durationFor(const Problem& problem, const std::vector<VecX>& path) {
  const PlannedLimits limits = plannedLimits(problem);
  double seconds = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    double slowest = 0.0;
    for (int k = 0; k < path[i].size(); ++k) {
      const double speed = std::isfinite(limits.velocity[k])
                               ? limits.velocity[k]
                               : LimitSettings::kVelocityWhenUnlimited;
      slowest = std::max(slowest, std::abs(path[i][k] - path[i - 1][k]) / speed);
    }
    seconds += slowest;
  }
  return std::clamp(2.0 * seconds, problem.duration.min, problem.duration.max);
}

EndState endState(const VecX& position, const VecX& velocity, const VecX& acceleration) {
  EndState state = EndState::atRest(position);
  if (velocity.size() > 0) state.velocity = velocity;
  if (acceleration.size() > 0) state.acceleration = acceleration;
  return state;
}

/// Reach at both ends and half way: the larger of each.
VecX typicalReach(SegmentCertifier& certifier, const VecX& start, const VecX& goal) {
  VecX reach = certifier.reach(start).cwiseMax(certifier.reach(goal));
  reach = reach.cwiseMax(certifier.reach(0.5 * (start + goal)));
  return reach.cwiseMax(1e-3 * std::max(1e-3, reach.maxCoeff()));
}

/// Clearance beyond the margin to ask of the path: `wanted`, or what start and goal leave.
double extraFor(SegmentCertifier& certifier, const VecX& start, const VecX& goal, double wanted) {
  for (double extra = wanted; extra > 0.02 * wanted; extra *= 0.5) {
    if (certifier.isClear(start, 1.1 * extra) && certifier.isClear(goal, 1.1 * extra)) return extra;
  }
  return 0.0;
}

class SeedMaker {
 public:
  SeedMaker(const ClearanceEvaluator& evaluator, const VecX& goal, const SeedOptions& options)
      : problem_(evaluator.problem()),
        options_(options),
        certifier_(problem_, evaluator.model()),
        start_(problem_.plannedPart(problem_.start)),
        space_(problem_, goal, typicalReach(certifier_, start_, goal)),
        goal_(start_ + space_.difference(start_, goal)) {
    stops_.push_back(start_);
    for (const VecX& q : options.via) stops_.push_back(next(q));
    stops_.push_back(next(goal));
    goal_ = stops_.back();
  }

  Seed straight() {
    Seed seed{straightLineCurve(), true, stops_, 0.0, "straight line"};
    for (std::size_t i = 1; i < stops_.size(); ++i) {
      seed.certified_path =
          seed.certified_path && certifier_.isClear(stops_[i - 1], stops_[i], 0.0);
    }
    seed.unclear_share = unclearShare(certifier_, seed.curve, 0.0, kClearanceSamples);
    return seed;
  }

  std::optional<Seed> found(int attempt, SeedStatistics* statistics) {
    RandomStream random(options_.seed, static_cast<std::uint64_t>(attempt));
    SearchBudget budget{Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(options_.time_limit)),
                        options_.stop};
    RrtOptions rrt;
    rrt.step = options_.step;
    rrt.iterations = options_.iterations;
    std::vector<VecX> path{start_};
    double straight = 0.0;
    for (std::size_t i = 1; i < stops_.size(); ++i) {
      const auto begin = Clock::now();
      rrt.extra = extraFor(certifier_, stops_[i - 1], stops_[i], options_.extra);
      // A leg starts at the turn at which the one before ended.
      const VecX target = path.back() + space_.difference(path.back(), stops_[i]);
      auto leg = rrtConnect(space_, certifier_, path.back(), target, rrt, budget, random);
      const auto searched = Clock::now();
      statistics->search_seconds += secondsSince(begin);
      if (!leg) return std::nullopt;
      ShortcutOptions shortcut;
      shortcut.extra = rrt.extra;
      *leg = shortened(space_, certifier_, std::move(*leg), shortcut, budget, random);
      statistics->shortcut_seconds += secondsSince(searched);
      straight += space_.length(space_.difference(path.back(), stops_[i]));
      path.insert(path.end(), leg->begin() + 1, leg->end());
    }
    if (straight > 0.0) statistics->length_ratio = pathLength(space_, path) / straight;

    const auto shortcut_done = Clock::now();
    Seed seed = smoothed(std::move(path));
    seed.origin = "tree " + std::to_string(attempt);
    statistics->fit_seconds = secondsSince(shortcut_done);
    return seed;
  }

  const SegmentCertifier::Statistics& statistics() const { return certifier_.statistics(); }

 private:
  BSpline straightLineCurve() const {
    const int most = kFewestSpans + 2 * static_cast<int>(stops_.size() - 2);
    const int spans = options_.spans > 0 ? options_.spans : std::min(kMostSpans, most);
    const double duration = durationFor(problem_, stops_);
    BSpline curve = stops_.size() == 2
                        ? straightSpline(start_, goal_, spans, duration)
                        : splineAlong(space_, stops_, spans, duration, 0.0,
                                      EndState::atRest(start_), EndState::atRest(goal_));
    const EndState from = startState(start_);
    const EndState to = goalState(goal_);
    MatX control = curve.control();
    control.leftCols(3) = startControl(curve.basis(), duration, from);
    control.rightCols(3) = endControl(curve.basis(), duration, to);
    return curve.withControl(std::move(control));
  }

  /// The curve along the path that is clear with the fewest spans and the least slowing down; if
  /// none is, the one that is clear for longest.
  Seed smoothed(std::vector<VecX> path) {
    const double duration = durationFor(problem_, path);
    const EndState from = startState(path.front());
    const EndState to = goalState(path.back());
    std::optional<Seed> best;
    const int corners = static_cast<int>(path.size()) - 2;
    int spans = std::clamp(kFewestSpans + 2 * (corners - 1), kFewestSpans, kMostSpans);
    if (options_.spans > 0) spans = options_.spans;
    for (;; spans = std::min(kMostSpans, spans + 4)) {
      for (double dwell : kDwells) {
        BSpline curve = splineAlong(space_, path, spans, duration, dwell, from, to);
        const double unclear = unclearShare(certifier_, curve, 0.0, kClearanceSamples);
        if (best && unclear >= best->unclear_share) continue;
        best = Seed{std::move(curve), true, path, unclear, ""};
        if (unclear == 0.0) return *best;
      }
      if (options_.spans > 0 || spans >= kMostSpans) return *best;
    }
  }

  EndState startState(const VecX& position) const {
    return endState(position, problem_.start_velocity, problem_.start_acceleration);
  }
  EndState goalState(const VecX& position) const {
    return endState(position, problem_.goal_velocity, problem_.goal_acceleration);
  }

  /// At the turns nearest to the stop before.
  VecX next(const VecX& q) const { return stops_.back() + space_.difference(stops_.back(), q); }

  const Problem& problem_;
  const SeedOptions& options_;
  SegmentCertifier certifier_;
  VecX start_;
  ConfigurationSpace space_;
  VecX goal_;
  std::vector<VecX> stops_;  ///< start, what is passed, goal
};

}  // namespace

std::optional<Seed> makeSeed(const ClearanceEvaluator& evaluator, const VecX& goal, int attempt,
                             const SeedOptions& options, SeedStatistics* statistics) {
  SeedStatistics ignored;
  SeedStatistics* out = statistics != nullptr ? statistics : &ignored;
  SeedMaker maker(evaluator, goal, options);
  std::optional<Seed> seed = attempt == 0 ? maker.straight() : maker.found(attempt, out);
  out->certifier = maker.statistics();
  return seed;
}

}  // namespace allclear
