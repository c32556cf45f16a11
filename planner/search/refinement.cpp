// Refines a first guess by a trust-region exchange method.
//
// Exchange (R. Hettich, K. O. Kortanek, "Semi-infinite programming", SIAM Review 1993): clearance
// must hold for every instant and every pair, which is infinitely many rows. A round solves the
// program with finitely many of them, measures the solution over all pairs and all time, adds a row
// for each pair and span that came near, and repeats.
//
// Trust region (A. R. Conn, N. I. M. Gould, P. L. Toint, "Trust-Region Methods", 2000, chapter 6):
// rows are linearised distances that are known only near the centre. Without a region the first
// steps cut straight through obstacles, where gradients lead anywhere. A round may move each
// control point only so far that no point of the robot moves by more than `region_` metres along
// one coordinate. The centre is the best curve so far.
//
// A solution is "better" when it is clear and cheaper, or less far from clear. Then it becomes the
// centre. If it is worse only because rows were missing, the solve is repeated from there with the
// rows added (a repair). Otherwise the region shrinks about the old centre.
//
// Limits of velocity, acceleration and jerk are exchanged as well: most of them never bind, and
// each row costs. A curve beyond a limit without a row is stretched, which is clear but slower than
// it has to be; so a round that shows one is not the last.
//
// Invariant: `best_`, the centre of the region, is the best curve so far: no clear guess is lost.
#include "allclear/planner/search/refinement.h"

#include <algorithm>
#include <set>

#include "allclear/core/formatted.h"
#include "allclear/core/parallel.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/program/nlp_wait.h"
#include "allclear/planner/program/static_wrenches.h"
#include "allclear/planner/program/trajectory_program.h"
#include "allclear/planner/search/row_budget.h"
#include "allclear/planner/search/soft_row_schedule.h"
#include "allclear/planner/search/usable_iterate.h"
#include "allclear/planner/seeds/segment_certifier.h"
#include "allclear/planner/timing.h"

namespace allclear {
namespace {

// The limits of the exchange.
constexpr int kMaxRounds = 16, kIterationsPerRound = 40;
constexpr int kRepairs = 2;  // solves with rows that the last one showed missing, per centre

// What gets a row.
constexpr double kInfluence = 0.02;       // [m] beyond the margin: pairs nearer than this
constexpr int kStateSamples = 32;         // per span, at which demands on the state are evaluated
constexpr double kStateInfluence = 0.25;  // demands (of order one) below this

// How candidates are judged.
constexpr double kMetresPerDemand = 0.05;  // weighs demands against clearances
constexpr double kGain = 0.02;             // share of the cost: less is not worth another round
constexpr double kRepairable = 0.015;      // [m]: a deeper violation shows a wrong turn, no repair
constexpr double kSlowGain = 0.9;          // a violation above this share of the old one: no growth
// A row is the upper end of a bracket one tolerance wide, and has to be two tolerances beyond the
// margin. An iterate that misses that by half a tolerance is usable: the lower end of its bracket
// is still half a tolerance beyond the margin, which is for the certificate's own bounds.
constexpr double kTarget = 2.0;             // [tolerances]
constexpr double kBeyondLimit = 1.01;       // of a limit without a row: worth another round
constexpr double kUsableShare = 0.5;        // [tolerances]
constexpr double kDurationRounding = 1e-9;  // relative: a needed duration is a root of a quotient

// The region's size [m]: how far one coordinate may move the robot in one round.
constexpr double kRegionOfClear = 0.1;    // about a clear curve, which must stay clear
constexpr double kRegionOfUnclear = 0.4;  // about a curve that has to find a way out
constexpr double kSmallestRegion = 1e-3;  // smaller steps change nothing that matters
constexpr double kGrow = 2.0, kShrink = 0.25;
/// Coordinates that move the robot little (the last wrist joint) may still turn ten times as far as
/// the one that moves it most, not without bound.
constexpr double kShareOfReach = 0.1;
/// The duration may change by this share per metre of the region's size, and never by more than
/// `kMostDuration`, which would let it vanish.
constexpr double kDurationPerMetre = 4.0;
constexpr double kMostDuration = 0.9;
constexpr double kWeightsPerMetre = 5.0;  // of the robot: forces at contacts may change by so many
/// A step below this share of the region met none of its bounds: a larger region cannot change it.
constexpr double kInsideShare = 0.9;

std::string described(const CollisionModel& model, const Clearance& c) {
  return model.bodies[model.pairs[c.pair].a].name + " and " +
         model.bodies[model.pairs[c.pair].b].name +
         formatted(": %.2f mm at t = %.3f s", 1e3 * c.upper, c.t_star);
}

bool isWellInside(const VecX& step, const VecX& radius) {
  return (step.array().abs() < kInsideShare * radius.array()).all();
}

/// Whether a change of duration changes only the pace of a curve, not its path or what it meets,
/// and the pace is free.
bool canBeStretched(const Problem& problem) {
  return isRestToRest(problem) && !problem.duration.isFixed() && !problem.limits.torque &&
         !usesWrenches(problem) &&
         std::none_of(problem.waypoints.begin(), problem.waypoints.end(),
                      [](const Waypoint& waypoint) { return waypoint.time.has_value(); }) &&
         std::none_of(problem.obstacles.begin(), problem.obstacles.end(),
                      [](const Obstacle& obstacle) { return obstacle.moves(); });
}

TrajectoryProgram::Settings programSettings(const Problem& problem) {
  const double tolerance = problem.collision.tolerance;
  TrajectoryProgram::Settings settings;
  settings.tolerance = tolerance;
  settings.clearance_target = kTarget * tolerance;
  settings.ceiling = 2.0 * kInfluence;  // a row keeps its gradient well beyond its entry
  return settings;
}

class TrustRegionExchange {
 public:
  TrustRegionExchange(const ClearanceEvaluator& evaluator, const BSpline& guess,
                      const RunContext& context, const RefinementOptions& options)
      : evaluator_(evaluator),
        problem_(evaluator.problem()),
        model_(evaluator.model()),
        context_(context),
        options_(options),
        tolerance_(problem_.collision.tolerance),
        can_be_stretched_(canBeStretched(problem_)),
        first_wrenches_(options.wrenches ? options.wrenches : guessWrenches(problem_, guess)),
        program_(evaluator, guess, programSettings(problem_), context.threads,
                 options.waypoint_times, first_wrenches_),
        soft_rows_(program_.soft(), model_, problem_.collision.distance),
        reach_(SegmentCertifier(problem_, model_).reach(guess.value(0.5 * guess.duration()))),
        best_{.clear = false, .curve = guess, .wrenches = {}, .worst = std::nullopt} {
    // One workspace per thread: evaluators are shared, scratch is not.
    for (int i = 0; i < std::max(1, context.threads); ++i) workspaces_.emplace_back(evaluator);
    startFrom(guess);
  }

  Refinement run() {
    // One round: solve in the region, judge the solution over all time, move or shrink.
    while (mayGoOn()) {
      setRegion();
      const Candidate candidate = examine(solve());
      if (candidate.is_better) {
        moveTo(candidate);
      } else if (isRepairable(candidate)) {
        repairFrom(candidate);
      } else {
        shrinkAfter(candidate);
      }
    }
    best_.rounds = rounds_;
    best_.iterations = iterations_;
    best_.solve_seconds = solve_seconds_;
    return std::move(best_);
  }

 private:
  /// The end of one solve.
  struct Candidate {
    VecX point;     ///< variables of the program
    BSpline curve;  ///< led through the waypoints
    std::optional<BSpline> wrenches;
    Refinement verdict;  ///< `verdict.curve` may be stretched
    bool is_better;
    bool has_new_rows;  ///< pairs came near that had no row
    bool lacked_limit;  ///< it is beyond a limit that had no row
  };

  void startFrom(const BSpline& guess) {
    const std::vector<Clearance> near = nearClearances(guess);
    best_ = judge(guess, first_wrenches_, near);
    soft_rows_.start(near);
    addLimitRows(guess);
    addRows(near);
    center_ = program_.pointOf(guess, first_wrenches_);
    program_.setPoint(center_);
    best_.cost = program_.costOf(best_.curve);
    region_ = best_.clear ? kRegionOfClear : kRegionOfUnclear;
    solve_from_ = center_;
  }

  bool mayGoOn() const {
    return rounds_ < kMaxRounds && !ended_ && iterations_ < options_.iterations &&
           region_ > kSmallestRegion;
  }

  /// A bound in metres becomes one in radians by the coordinate's reach [m/rad].
  void setRegion() {
    program_.setPoint(center_);
    radius_ = program_.regionRadius(
        region_ * reach_.cwiseMax(kShareOfReach * reach_.maxCoeff()).cwiseInverse(),
        std::min(kMostDuration, kDurationPerMetre * region_), kWeightsPerMetre * region_);
    program_.setRegion(center_, radius_);
  }

  /// Solves the program inside the region: its cheapest usable iterate, else where it ended.
  VecX solve() {
    NlpOptions options;
    options.warm = rounds_ > 0;
    options.max_iterations = std::min(kIterationsPerRound, options_.iterations - iterations_);
    options.linear_solver = options_.tuning.linear_solver;
    options.ipopt_options = options_.tuning.ipopt_options;
    // A usable iterate of a solve that went astray later is worth more than its end.
    UsableIterate usable(options_.tuning.idle_iterations);
    const auto start = RunContext::Clock::now();
    const NlpResult result = solveNlpUnlessStopped(
        program_, solve_from_, options,
        [&](const NlpIteration& iteration) { return observe(iteration, &usable); },
        [this] { return ended_ = context_.mustEnd(); });
    solve_seconds_ += RunContext::secondsSince(start);
    ++rounds_;
    iterations_ += result.iterations;
    return usable.exists() ? usable.point() : result.x;
  }

  /// Called by the solver at every iterate; false ends the solve.
  bool observe(const NlpIteration& iteration, UsableIterate* usable) {
    int row = -1;
    const double worst = program_.worstRow(&row);
    PlanProgress progress{
        0, rounds_, iterations_ + iteration.number, iteration.cost, iteration.infeasibility, ""};
    if (row >= 0) progress.worst = described(model_, program_.rowClearances()[row]);
    // Rows that stay deep below the margin after some iterations show a seed without a way out.
    context_.report(progress);
    const bool is_hopeless = progress.iteration >= options_.patience && worst <= -options_.hopeless;
    if (context_.mustEnd() || is_hopeless) {
      ended_ = true;
      return false;
    }
    usable->offer(iteration.number, program_.point(), usableCost(iteration, worst));
    return !usable->isFinal(iteration.number);
  }

  /// The cost at which the program's current point could be used; infinite when it cannot.
  double usableCost(const NlpIteration& iteration, double worst_row) {
    if (can_be_stretched_ && program_.stateRows().count() == 0) {
      // Violated limits of velocity, acceleration and jerk only cost time.
      return worst_row >= -kUsableShare * tolerance_
                 ? program_.costOf(stretched(program_.currentCurve()))
                 : HUGE_VAL;
    }
    return iteration.infeasibility <= kUsableShare * tolerance_ ? iteration.cost : HUGE_VAL;
  }

  /// Judges the solution over all pairs and all time, and adds the rows that it lacked.
  Candidate examine(const VecX& point) {
    BSpline curve = program_.stateRows().throughWaypoints(program_.curveAt(point));
    const std::vector<Clearance> near = nearClearances(curve);
    std::optional<BSpline> wrenches = program_.wrenchesAt(point);
    Refinement verdict = judge(curve, wrenches, near);
    verdict.cost = program_.costOf(verdict.curve);
    const bool is_better = verdict.clear ? !best_.clear || verdict.cost < best_.cost
                                         : !best_.clear && verdict.violation < best_.violation;
    soft_rows_.learn(near, program_.rows(), is_better);
    const bool has_new_rows = addRows(near);
    const bool lacked_limit = addLimitRows(curve);
    return {point,     std::move(curve), std::move(wrenches), std::move(verdict),
            is_better, has_new_rows,     lacked_limit};
  }

  /// The candidate becomes the centre. Converged when it gains little on a clear curve, or when it
  /// is clear and did not need the whole region.
  void moveTo(const Candidate& candidate) {
    const Refinement& verdict = candidate.verdict;
    const bool gains_little =
        verdict.clear && best_.clear && verdict.cost > (1.0 - kGain) * best_.cost;
    const VecX there = program_.pointOf(candidate.curve, candidate.wrenches);
    const bool is_inside = isWellInside(there - center_, radius_);
    const bool is_slow = !verdict.clear && verdict.violation > kSlowGain * best_.violation;
    best_ = verdict;
    center_ = solve_from_ = program_.pointOf(best_.curve, best_.wrenches);
    repairs_ = 0;
    if ((gains_little || (best_.clear && is_inside)) && !candidate.lacked_limit) ended_ = true;
    if (!is_slow) region_ *= kGrow;
  }

  bool isRepairable(const Candidate& candidate) const {
    return candidate.has_new_rows && repairs_ < kRepairs &&
           candidate.verdict.violation < kRepairable;
  }

  /// Solves again from the candidate, in the same region: its obstacles have rows now.
  void repairFrom(const Candidate& candidate) {
    ++repairs_;
    solve_from_ = candidate.point;
  }

  /// Two clear curves in a row of which the second is not cheaper: converged.
  void shrinkAfter(const Candidate& candidate) {
    if (best_.clear && candidate.verdict.clear) ended_ = true;
    region_ *= kShrink;
    repairs_ = 0;
    solve_from_ = center_;
  }

  /// Every pair that comes nearer than `kInfluence` beyond its margin, span by span in order.
  std::vector<Clearance> nearClearances(const BSpline& curve) {
    std::vector<std::vector<Clearance>> by_span(curve.spanCount());
    parallelFor(context_.threads, curve.spanCount(), [&](int s, int worker) {
      evaluator_.nearPairs(curve.span(s), s, kInfluence, tolerance_, workspaces_[worker],
                           &by_span[s], curve.duration());
    });
    std::vector<Clearance> near;
    for (const auto& span : by_span) near.insert(near.end(), span.begin(), span.end());
    return near;
  }

  /// Gives the program a row for every pair and span that ever came near; true when there are more
  /// rows than before. (`judge` has added the rows of demands.)
  bool addRows(const std::vector<Clearance>& near) {
    const std::size_t before = row_count_;
    const auto taken = affordableRows(near, near_ever_, problem_.plannedCount());
    for (const Clearance& c : taken) near_ever_.insert({c.span, c.pair});
    std::vector<ClearanceRow> rows;
    for (const auto& [span, pair] : near_ever_) rows.push_back(soft_rows_.row(pair, span));
    program_.setRows(std::move(rows));
    row_count_ = near_ever_.size() + program_.stateRows().demandRows().size();
    return row_count_ > before;
  }

  /// Gives the program rows for the limits that the curve is near; true when it is beyond one that
  /// had none. Where the duration cannot mend that, limits have rows from the outset.
  bool addLimitRows(const BSpline& curve) {
    if (options_.tuning.limit_share <= 0.0 || !can_be_stretched_) return false;
    return program_.chooseLimitRows(curve, options_.tuning.limit_share) > kBeyondLimit;
  }

  /// By how much, and by what, a curve is not clear. A clear curve that is too fast is stretched.
  Refinement judge(const BSpline& curve, const std::optional<BSpline>& wrenches,
                   const std::vector<Clearance>& near) {
    Refinement verdict{.clear = false, .curve = curve, .wrenches = wrenches, .worst = std::nullopt};
    judgeClearances(near, &verdict);
    judgeDemands(&verdict);
    const double needed = neededDuration(problem_, curve);
    const double longest = can_be_stretched_ ? problem_.duration.max : curve.duration();
    verdict.clear = verdict.violation == 0.0 && needed <= longest * (1.0 + kDurationRounding);
    if (verdict.clear && needed > curve.duration()) verdict.curve = stretched(curve);
    return verdict;
  }

  void judgeClearances(const std::vector<Clearance>& near, Refinement* verdict) const {
    double least = HUGE_VAL;
    for (const Clearance& c : near) {
      const double excess = c.lower - c.demand;
      if (excess >= least) continue;
      least = excess;
      verdict->worst = c;
      verdict->violation = std::max(0.0, -excess);
    }
  }

  /// Also adds rows for demands that come near their limit.
  void judgeDemands(Refinement* verdict) {
    const BSpline& curve = verdict->curve;
    StateRows& rows = program_.stateRows();
    const StateRows::Worst state =
        rows.watch(curve, verdict->wrenches, kStateSamples, kStateInfluence);
    if (state.value < 0.0) {
      verdict->violation = std::max(verdict->violation, -state.value * kMetresPerDemand);
      verdict->worst_demand = rows.demands().name(state.row.demand) +
                              formatted(" at t = %.4g s", state.row.s * curve.duration());
    }
    verdict->violation =
        std::max(verdict->violation, rows.targetViolation(curve, &verdict->worst_demand));
  }

  BSpline stretched(const BSpline& curve) const {
    return curve.withDuration(std::max(curve.duration(), feasibleDuration(problem_, curve)));
  }

  const ClearanceEvaluator& evaluator_;
  const Problem& problem_;
  const CollisionModel& model_;
  const RunContext& context_;
  const RefinementOptions& options_;
  double tolerance_;  ///< [m] of a distance
  bool can_be_stretched_;
  std::optional<BSpline> first_wrenches_;  ///< of the guess
  TrajectoryProgram program_;
  SoftRowSchedule soft_rows_;
  VecX reach_;  ///< [m per unit of each coordinate] at the middle of the guess
  std::vector<ClearanceEvaluator::Workspace> workspaces_;  ///< one per thread
  std::set<std::pair<int, int>> near_ever_;                ///< span and pair of every row
  std::size_t row_count_ = 0;                              ///< of clearances and demands

  Refinement best_;
  VecX center_;      ///< the program's point of `best_`
  VecX solve_from_;  ///< where the next solve starts
  double region_ = 0.0;
  VecX radius_;  ///< of the region, by variable
  bool ended_ = false;
  int rounds_ = 0;
  int iterations_ = 0;
  int repairs_ = 0;  ///< since the centre was last set
  double solve_seconds_ = 0.0;
};

}  // namespace

Refinement refine(const ClearanceEvaluator& evaluator, const BSpline& guess,
                  const RunContext& context, const RefinementOptions& options) {
  return TrustRegionExchange(evaluator, guess, context, options).run();
}

}  // namespace allclear
