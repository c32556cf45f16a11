// Makes a first guess in three steps: a path of certified segments through all stops (RRT-Connect,
// restarted), shortcuts, and a spline along the path. Under path constraints the segments keep
// these, at samples.
//
// Between consecutive stops every wrapping coordinate takes the shorter arc: each stop is placed at
// the turn nearest to the stop before. So a curve is a plain function of time, and wrapping
// coordinates may end whole turns from the goal's values.
#include "allclear/planner/seeds/seed_maker.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/planner/seeds/contact_fit.h"

namespace allclear {
namespace {

// Spans of the curve: eight follow a path with one corner, two more are given to each further
// corner; beyond sixteen the program grows without better plans.
constexpr int kFewestSpans = 8;
constexpr int kSpansPerCorner = 2;
constexpr int kMostSpans = 16;
constexpr int kSpansAdded = 4;  // when the curve is not clear
/// Control points that position, velocity and acceleration fix at each end.
constexpr int kFixedControls = 3;

/// Of an earlier plan, or of a curve with held poses, for the spline that follows it.
constexpr int kSamplesPerSpan = 8;

/// Instants at which a curve is checked: about six per span and more, at 10 ms to 30 ms of motion.
constexpr int kClearanceSamples = 96;
/// How much the curve slows at corners: the first that leads to a clear curve is used.
constexpr std::array kDwells{0.0, 4.0, 12.0};

/// A joint that moves by a smooth step is on average about half as fast as at its fastest.
constexpr double kMeanSlowness = 2.0;

// A coordinate that moves nothing still counts this much, relative to the one that moves most and
// absolutely [m], so that every length is a norm.
constexpr double kLeastReachShare = 1e-3;
constexpr double kLeastReach = 1e-3;

// Clearance beyond the margin is halved until start and goal keep it, by a tenth more than asked of
// the edges, down to this share of the wanted one; then it is 0.
constexpr double kSmallestExtraShare = 0.02;
constexpr double kExtraAtEnds = 1.1;

/// Legs of one attempt are numbered in bits of the stream above those of attempts, and below those
/// of restarts.
constexpr int kLegShift = 24;

/// Goals nearer than this [rad or m] are one.
constexpr double kSameGoal = 1e-9;

using Clock = RunContext::Clock;

/// Time for the path at about half of the joints' speed limits on average [s].
double durationFor(const Problem& problem, const std::vector<VecX>& path) {
  const PlannedLimits limits = plannedLimits(problem);
  double seconds = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    // The coordinate that needs the longest at its speed limit.
    double slowest = 0.0;
    for (int k = 0; k < path[i].size(); ++k) {
      const double speed = std::isfinite(limits.velocity[k])
                               ? limits.velocity[k]
                               : LimitSettings::kVelocityWhenUnlimited;
      slowest = std::max(slowest, std::abs(path[i][k] - path[i - 1][k]) / speed);
    }
    seconds += slowest;
  }
  return std::clamp(kMeanSlowness * seconds, problem.duration.min, problem.duration.max);
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
  return reach.cwiseMax(kLeastReachShare * std::max(kLeastReach, reach.maxCoeff()));
}

/// Clearance beyond the margin to ask of the path: `wanted`, or as much as start and goal keep.
double extraFor(SegmentCertifier& certifier, const VecX& start, const VecX& goal, double wanted) {
  for (double extra = wanted; extra > kSmallestExtraShare * wanted; extra *= 0.5) {
    if (certifier.isClear(start, kExtraAtEnds * extra) &&
        certifier.isClear(goal, kExtraAtEnds * extra)) {
      return extra;
    }
  }
  return 0.0;
}

/// Start, the configurations to pass and the goal, each at the turns nearest to the one before.
std::vector<VecX> stopsAlong(const ConfigurationSpace& space, const VecX& start,
                             const std::vector<VecX>& via, const VecX& goal) {
  std::vector<VecX> stops{start};
  const auto add = [&](const VecX& q) {
    stops.push_back(stops.back() + space.difference(stops.back(), q));
  };
  for (const VecX& q : via) add(q);
  add(goal);
  return stops;
}

/// With contacts, which no search keeps: the straight line on the contacts, with more spans from
/// attempt to attempt, then lines that are bent at random.
constexpr std::array<int, kStraightLinesOnContacts> kSpansOnContacts{8, 12, 16};
/// [rad or m] Half way, at the most.
constexpr double kMostBend = 0.4;
/// "bend" in ASCII: a stream of random numbers apart from those of searches.
constexpr std::uint64_t kBendStream = 0x62656e64u;

class SeedMaker {
 public:
  SeedMaker(const ClearanceEvaluator& evaluator, const VecX& goal, const RunContext& context,
            const SeedOptions& options)
      : problem_(evaluator.problem()),
        context_(context),
        options_(options),
        kinematics_(evaluator.builder().kinematics()),
        certifier_(problem_, evaluator.model()),
        projection_(problem_, kinematics_),
        fit_(problem_, kinematics_),
        start_(problem_.plannedPart(problem_.start)),
        space_(problem_, goal, typicalReach(certifier_, start_, goal)),
        stops_(stopsAlong(space_, start_, options.via, goal)) {}

  Seed straightSeed() {
    Seed seed{held(straightCurve()), true, stops_, 0.0, "straight line"};
    FreeMotion motion(space_, certifier_, 0.0, &projection_);
    for (std::size_t i = 1; i < stops_.size(); ++i) {
      seed.certified_path = seed.certified_path && motion.allows(stops_[i - 1], stops_[i]);
    }
    seed.unclear_share = unclearShare(certifier_, seed.curve, 0.0, kClearanceSamples);
    return seed;
  }

  /// Empty when a configuration on the way cannot be put onto the contacts.
  std::optional<Seed> seedOnContacts(int attempt) {
    // More spans first: they mend what a short curve cannot follow. Then other ways.
    const int level = attempt % static_cast<int>(kSpansOnContacts.size());
    const int spans = std::max(options_.spans, kSpansOnContacts[level]);
    const bool is_bent = attempt >= static_cast<int>(kSpansOnContacts.size());
    VecX bend = VecX::Zero(start_.size());
    if (is_bent) {
      RandomStream random(context_.seed, kBendStream + static_cast<std::uint64_t>(attempt));
      for (double& value : bend) value = kMostBend * (2.0 * random.uniform() - 1.0);
    }
    const auto curve =
        fit_.along(start_, stops_.back(), bend, spans, durationFor(problem_, stops_));
    if (!curve) return std::nullopt;
    Seed seed{withEnds(*curve), false, stops_, 0.0,
              std::string(is_bent ? "bent" : "straight") + " line on the contacts, " +
                  std::to_string(spans) + " spans"};
    seed.unclear_share = unclearShare(certifier_, seed.curve, 0.0, kClearanceSamples);
    return seed;
  }
  bool hasContacts() { return fit_.projection().isNeeded(); }

  std::optional<Seed> searchedSeed(int attempt, SeedStatistics* statistics) {
    std::vector<VecX> path{start_};
    double straight = 0.0;
    for (std::size_t i = 1; i < stops_.size(); ++i) {
      // A leg starts at the turn at which the one before ended, and the last may end at any goal.
      std::vector<VecX> targets{path.back() + space_.difference(path.back(), stops_[i])};
      if (i + 1 == stops_.size()) addOtherGoals(path.back(), &targets);
      const double extra = extraFor(certifier_, stops_[i - 1], stops_[i], options_.extra);
      // Every leg of every attempt has streams of its own.
      const std::uint64_t stream = static_cast<std::uint64_t>(attempt) + ((i - 1) << kLegShift);
      const auto leg = findLeg(path.back(), targets, extra, stream, statistics);
      if (!leg) return std::nullopt;
      straight += space_.length(leg->back() - path.back());
      path.insert(path.end(), leg->begin() + 1, leg->end());
    }
    if (straight > 0.0) statistics->length_ratio = pathLength(space_, path) / straight;

    const auto fit_start = Clock::now();
    Seed seed = smoothed(path);
    seed.origin = "tree " + std::to_string(attempt);
    statistics->fit_seconds = RunContext::secondsSince(fit_start);
    return seed;
  }

  /// `goals`: those that would do; `goal`, of the constructor, is one of them.
  Seed following(const Trajectory& earlier, const std::vector<VecX>& goals) {
    const double T = std::clamp(earlier.duration(), problem_.duration.min, problem_.duration.max);
    const VecX from = earlier.value(0.0), to = earlier.value(earlier.duration());
    // A wrapping coordinate may start whole turns from where it started then.
    const VecX first = space_.difference(from, start_);
    const VecX turns = start_ - from - first;
    VecX last;
    for (const VecX& goal : goals) {
      const VecX step = space_.difference(to + turns, goal);
      if (last.size() == 0 || space_.length(step) < space_.length(last)) last = step;
    }
    const int spans = options_.spans > 0 ? options_.spans : kMostSpans;
    const int count = kSamplesPerSpan * spans;
    Samples samples;
    samples.values.resize(start_.size(), count + 1);
    std::vector<VecX> path;
    for (int i = 0; i <= count; ++i) {
      const double s = static_cast<double>(i) / count;
      const double w = s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
      samples.times.push_back(T * s);
      samples.values.col(i) =
          earlier.value(earlier.duration() * s) + turns + (1.0 - w) * first + w * last;
      if (i % kSamplesPerSpan == 0) path.push_back(samples.values.col(i));
    }
    BSpline curve = fitSpline(std::make_shared<const BSplineBasis>(BSplineBasis::uniform(spans)), T,
                              samples, startState(start_), goalState(samples.values.col(count)));
    const double unclear = unclearShare(certifier_, curve, 0.0, kClearanceSamples);
    return Seed{std::move(curve), false, std::move(path), unclear, "the last plan"};
  }

  SegmentCertifier::Statistics statistics() const {
    SegmentCertifier::Statistics all = certifier_.statistics();
    all.add(searched_);
    return all;
  }

 private:
  void addOtherGoals(const VecX& from, std::vector<VecX>* targets) const {
    for (const VecX& other : options_.goals) {
      VecX goal = from + space_.difference(from, other);
      if ((goal - targets->front()).norm() > kSameGoal) targets->push_back(std::move(goal));
    }
  }

  /// A shortened path of free segments from a stop to one of the targets.
  std::optional<std::vector<VecX>> findLeg(const VecX& from, const std::vector<VecX>& targets,
                                           double extra, std::uint64_t stream,
                                           SeedStatistics* statistics) {
    PathSearchOptions options;
    options.step = options_.step;
    options.work = options_.work;
    options.extra = extra;
    const auto search_start = Clock::now();
    // Search and shortcuts keep the same clearance: what one proved the other may use.
    PathSearchStatistics done;
    auto leg = PathSearch(problem_, space_, certifier_, kinematics_, options)
                   .find(from, targets, context_, stream, &done);
    statistics->search_seconds += RunContext::secondsSince(search_start);
    statistics->runs += done.runs;
    statistics->work += done.work;
    searched_.add(done.certifier);
    if (!leg) return std::nullopt;
    const auto shortcut_start = Clock::now();
    FreeMotion motion(space_, certifier_, extra, &projection_);
    auto path = shortened(motion, std::move(leg->path), {}, context_, leg->random);
    statistics->shortcut_seconds += RunContext::secondsSince(shortcut_start);
    return path;
  }

  /// From rest to rest along the stops; then the ends get the problem's velocities.
  BSpline straightCurve() const {
    const VecX& goal = stops_.back();
    const int most = kFewestSpans + kSpansPerCorner * static_cast<int>(stops_.size() - 2);
    const int spans = options_.spans > 0 ? options_.spans : std::min(kMostSpans, most);
    const double duration = durationFor(problem_, stops_);
    BSpline curve = stops_.size() == 2
                        ? straightSpline(start_, goal, spans, duration)
                        : splineAlong(space_, stops_, spans, duration, 0.0,
                                      EndState::atRest(start_), EndState::atRest(goal));
    return withEnds(curve);
  }

  /// Only the outer control points know the boundary's velocities and accelerations.
  BSpline withEnds(const BSpline& curve) const {
    const EndState from = startState(start_);
    const EndState to = goalState(stops_.back());
    MatX control = curve.control();
    control.leftCols(kFixedControls) = startControl(curve.basis(), curve.duration(), from);
    control.rightCols(kFixedControls) = endControl(curve.basis(), curve.duration(), to);
    return curve.withControl(std::move(control));
  }

  /// The curve along the path that is clear with the fewest spans and the least slowing down; if
  /// none is, the one that is clear for longest.
  Seed smoothed(const std::vector<VecX>& path) {
    const double duration = durationFor(problem_, path);
    const EndState from = startState(path.front());
    const EndState to = goalState(path.back());
    // Few spans and no slowing down make the smallest program and the fastest curve: try them
    // first.
    std::optional<Seed> best;
    for (int spans = firstSpans(path);; spans = std::min(kMostSpans, spans + kSpansAdded)) {
      for (double dwell : kDwells) {
        BSpline curve = held(splineAlong(space_, path, spans, duration, dwell, from, to));
        const double unclear = unclearShare(certifier_, curve, 0.0, kClearanceSamples);
        if (best && unclear >= best->unclear_share) continue;
        best = Seed{std::move(curve), true, path, unclear, ""};
        if (unclear == 0.0) return *best;
      }
      if (options_.spans > 0 || spans >= kMostSpans) return *best;
    }
  }

  /// The curve led through where held poses are held: between such points it is off them by the
  /// sixth power of a span. As it is where that fails, and where nothing is held.
  BSpline held(const BSpline& curve) {
    if (!projection_.holdsPoses()) return curve;
    const int spans = std::max(curve.spanCount(), kMostSpans), count = kSamplesPerSpan * spans;
    const double T = curve.duration();
    Samples samples;
    samples.values.resize(curve.dimension(), count + 1);
    for (int i = 0; i <= count; ++i) {
      VecX q = curve.value(T * i / count);
      if (i > 0 && i < count && !projection_.center(q)) return curve;
      samples.times.push_back(T * i / count);
      samples.values.col(i) = q;
    }
    return fitSpline(std::make_shared<const BSplineBasis>(BSplineBasis::uniform(spans)), T, samples,
                     startState(curve.value(0.0)), goalState(curve.value(T)));
  }

  int firstSpans(const std::vector<VecX>& path) const {
    if (options_.spans > 0) return options_.spans;
    const int corners = static_cast<int>(path.size()) - 2;
    return std::clamp(kFewestSpans + kSpansPerCorner * (corners - 1), kFewestSpans, kMostSpans);
  }

  EndState startState(const VecX& position) const {
    return endState(position, problem_.start_velocity, problem_.start_acceleration);
  }
  EndState goalState(const VecX& position) const {
    return endState(position, problem_.goal_velocity, problem_.goal_acceleration);
  }

  const Problem& problem_;
  const RunContext& context_;
  const SeedOptions& options_;
  const Kinematics& kinematics_;
  SegmentCertifier certifier_;
  PathProjection projection_;
  ContactFit fit_;
  VecX start_;
  ConfigurationSpace space_;
  std::vector<VecX> stops_;  ///< start, configurations to pass, goal
  SegmentCertifier::Statistics searched_;
};

}  // namespace

std::optional<Seed> makeSeed(const ClearanceEvaluator& evaluator, const VecX& goal, int attempt,
                             const RunContext& context, const SeedOptions& options,
                             SeedStatistics* statistics) {
  SeedStatistics ignored;
  SeedStatistics* out = statistics != nullptr ? statistics : &ignored;
  SeedMaker maker(evaluator, goal, context, options);
  std::optional<Seed> seed;
  if (maker.hasContacts()) {
    seed = maker.seedOnContacts(attempt);
  } else {
    seed = attempt == 0 ? maker.straightSeed() : maker.searchedSeed(attempt, out);
  }
  out->certifier = maker.statistics();
  return seed;
}

std::optional<Seed> seedFollowing(const ClearanceEvaluator& evaluator, const Trajectory& earlier,
                                  const std::vector<VecX>& goals, const RunContext& context,
                                  const SeedOptions& options) {
  if (goals.empty() || earlier.dimension() != evaluator.problem().plannedCount()) {
    return std::nullopt;
  }
  return SeedMaker(evaluator, goals.front(), context, options).following(earlier, goals);
}

}  // namespace allclear
