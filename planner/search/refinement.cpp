#include "allclear/planner/search/refinement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "allclear/core/parallel.h"
#include "allclear/planner/program/trajectory_program.h"
#include "allclear/planner/seeds/segment_certifier.h"

namespace allclear {
namespace {

constexpr int kMaxRounds = 16;
constexpr int kStateSamples = 32;          // of a span, at which demands on the state are looked at
constexpr double kStateInfluence = 0.25;   // of a demand of order one, from where it gets a row
constexpr double kMetresPerDemand = 0.05;  // to weigh demands and clearances against each other
constexpr int kIterationsPerRound = 40;
constexpr int kRepairs = 2;             // solves with the rows that the last one showed missing
constexpr double kRegionOfClear = 0.1;  // [m] that one coordinate may move the robot in one round
constexpr double kRegionOfUnclear = 0.4;
constexpr double kLeastRegion = 1e-3;
constexpr double kRepairable = 0.015;  // [m]: from deeper there is no way back
constexpr double kGain = 0.02;         // of the cost: what is not worth another round
constexpr double kInfluence = 0.02;    // [m] beyond the margin, from where a pair gets a row

/// Remembers the cheapest iterate of a solve that can be used, and ends the solve when no better
/// one has come for a while: the last tenths of a per cent of the cost are not worth their
/// iterations, nor is the way back from a step that went astray.
class Settled {
 public:
  /// An iterate can be used as `cost` is asked: at that cost. `number` counts from 0, the start.
  bool operator()(int number, const VecX& point, double cost) {
    if (number > 0 && cost < best_) {
      if (cost < best_ - 2e-3 * std::fabs(best_)) last_gain_ = number;
      best_ = cost;
      point_ = point;
    }
    return point_.size() > 0 && number >= last_gain_ + kIdle;
  }
  /// Empty when there was none.
  const VecX& point() const { return point_; }

 private:
  static constexpr int kIdle = 4;
  double best_ = std::numeric_limits<double>::max();
  int last_gain_ = 0;
  VecX point_;
};

/// Which clearance rows are softened, how much, and what is added to them (`ClearanceRow`): those
/// of pairs so deep in contact that the Euclidean direction may point any way. The softness is
/// large at first, to see past what would have to be gone around, and less after every solve. What
/// a solve then lacks of the margin, as the Euclidean distance has it, is asked of the next one.
class SoftRows {
 public:
  SoftRows(const SoftClearance& soft, const CollisionModel& model, DistanceMode mode)
      : soft_(soft), model_(model), mode_(mode) {}

  /// What is near the first guess.
  void start(const std::vector<Clearance>& near) { at_center_ = depths(near); }

  /// After a solve: what is near the curve that it ended with, which became the centre or not.
  void learn(const std::vector<Clearance>& near, const std::vector<ClearanceRow>& rows,
             bool is_center) {
    latest_ = depths(near);
    if (is_center) at_center_ = latest_;
    for (const ClearanceRow& row : rows) {
      if (row.softness == 0.0) continue;
      const double depth = depthIn(latest_, row.pair, row.span);
      lacking_[{row.pair, row.span}] += std::max(0.0, depth + model_.pairs[row.pair].margin);
    }
    ++solves_;
  }

  ClearanceRow row(int pair, int span) const {
    ClearanceRow out{pair, span};
    if (mode_ == DistanceMode::kEuclidean) return out;
    const double size = soft_.pairSize(pair);
    const double depth = std::max(depthIn(at_center_, pair, span), depthIn(latest_, pair, span));
    if (depth <= (mode_ == DistanceMode::kSoft ? 0.0 : kDeep * size)) return out;
    out.softness = size * kSoftness[std::min(solves_, 2)];
    const auto lacking = lacking_.find({pair, span});
    out.raise =
        std::max(0.0, kRaise * out.softness - (lacking == lacking_.end() ? 0.0 : lacking->second));
    return out;
  }

 private:
  using Depths = std::map<std::pair<int, int>, double>;
  static Depths depths(const std::vector<Clearance>& near) {
    Depths out;
    for (const Clearance& c : near) out[{c.pair, c.span}] = -c.upper;
    return out;
  }
  /// Far pairs have no depth.
  static double depthIn(const Depths& depths, int pair, int span) {
    const auto it = depths.find({pair, span});
    return it == depths.end() ? -HUGE_VAL : it->second;
  }

  static constexpr double kDeep = 0.3;  // of the smaller body's radius, like the softness
  static constexpr double kSoftness[] = {0.1, 0.03, 0.01};
  /// Times the softness: most of what the softened distance is below the distance (about 7).
  static constexpr double kRaise = 5.0;

  const SoftClearance& soft_;
  const CollisionModel& model_;
  DistanceMode mode_;
  Depths at_center_, latest_;
  Depths lacking_;
  int solves_ = 0;
};

std::string described(const CollisionModel& model, const Clearance& c) {
  char text[64];
  std::snprintf(text, sizeof text, ": %.4f m at t = %.3f s", c.upper, c.t_star);
  return model.bodies[model.pairs[c.pair].a].name + " and " +
         model.bodies[model.pairs[c.pair].b].name + text;
}

/// Whether a step met no end of its region: then a larger one would not change it.
bool isWellInside(const VecX& step, const VecX& radius) {
  return (step.array().abs() < 0.9 * radius.array()).all();
}

/// Whether a curve stays the same but for its pace when its duration changes, and pace is free.
bool canBeStretched(const Problem& problem) {
  return isRestToRest(problem) && !problem.duration.isFixed() && !problem.limits.torque &&
         std::none_of(problem.waypoints.begin(), problem.waypoints.end(),
                      [](const Waypoint& waypoint) { return waypoint.time.has_value(); }) &&
         std::none_of(problem.obstacles.begin(), problem.obstacles.end(),
                      [](const Obstacle& obstacle) { return obstacle.moves(); });
}

/// As `feasibleDuration`, even if longer than the problem allows.
double neededDuration(const Problem& problem, const BSpline& curve) {
  const PlannedLimits limits = plannedLimits(problem);
  const BSpline unit = curve.withDuration(1.0);
  double duration = std::max(problem.duration.min, 1e-2);
  BSpline derivative = unit;
  const VecX* by_order[] = {&limits.velocity, &limits.acceleration, &limits.jerk};
  for (int order = 1; order <= 3; ++order) {
    derivative = derivative.derivative();
    const VecX greatest = derivative.control().cwiseAbs().rowwise().maxCoeff();
    for (int j = 0; j < curve.dimension(); ++j) {
      const double limit = (*by_order[order - 1])[j];
      if (std::isfinite(limit)) {
        duration = std::max(duration, std::pow(greatest[j] / limit, 1.0 / order));
      }
    }
  }
  return duration;
}

}  // namespace

double feasibleDuration(const Problem& problem, const BSpline& curve) {
  return std::min(neededDuration(problem, curve), problem.duration.max);
}

QuinticHermite restingAtCorners(const Problem& problem, const std::vector<VecX>& path) {
  const PlannedLimits limits = plannedLimits(problem);
  std::vector<double> times{0.0};
  for (std::size_t i = 1; i < path.size(); ++i) {
    double seconds = 0.0;
    for (int k = 0; k < path[i].size(); ++k) {
      const double way = std::abs(path[i][k] - path[i - 1][k]);
      // The greatest derivatives of 10 s^3 - 15 s^4 + 6 s^5.
      if (std::isfinite(limits.velocity[k])) {
        seconds = std::max(seconds, 1.875 * way / limits.velocity[k]);
      }
      seconds = std::max(seconds, std::sqrt(10.0 / std::sqrt(3.0) * way / limits.acceleration[k]));
      seconds = std::max(seconds, std::cbrt(60.0 * way / limits.jerk[k]));
    }
    times.push_back(times.back() + std::max(1e-3, seconds * (1.0 + 1e-9)));
  }
  if (times.back() < problem.duration.min) {
    for (double& t : times) t *= problem.duration.min / times.back();
  }
  MatX positions(path.front().size(), static_cast<Eigen::Index>(path.size()));
  for (std::size_t i = 0; i < path.size(); ++i) {
    positions.col(static_cast<Eigen::Index>(i)) = path[i];
  }
  const MatX rest = MatX::Zero(positions.rows(), positions.cols());
  return {std::move(times), std::move(positions), rest, rest};
}

Refinement refine(const ClearanceEvaluator& evaluator, const BSpline& guess,
                  const RefinementOptions& refinement,
                  const std::function<bool(const PlanProgress&)>& observe) {
  const Problem& problem = evaluator.problem();
  const CollisionModel& model = evaluator.model();
  const double tolerance = problem.collision.tolerance;
  TrajectoryProgram::Settings settings;
  settings.tolerance = tolerance;
  settings.clearance_target = 2.0 * tolerance;
  settings.ceiling = 2.0 * kInfluence;
  settings.threads = refinement.threads;
  TrajectoryProgram program(evaluator, guess, settings, refinement.waypoint_times);
  std::vector<ClearanceEvaluator::Workspace> workspaces;
  for (int i = 0; i < std::max(1, refinement.threads); ++i) workspaces.emplace_back(evaluator);

  std::set<std::pair<int, int>> rows;
  std::size_t row_count = 0;
  SoftRows soft(program.soft(), model, problem.collision.distance);
  const auto look = [&](const BSpline& curve) {
    std::vector<std::vector<Clearance>> by_span(curve.spanCount());
    parallelFor(refinement.threads, curve.spanCount(), [&](int s, int worker) {
      evaluator.nearPairs(curve.span(s), s, kInfluence, tolerance, workspaces[worker], &by_span[s]);
    });
    std::vector<Clearance> near;
    for (const auto& span : by_span) near.insert(near.end(), span.begin(), span.end());
    return near;
  };
  const auto addRows = [&](const std::vector<Clearance>& near) {
    const std::size_t before = row_count;
    for (const Clearance& c : near) rows.insert({c.span, c.pair});
    std::vector<ClearanceRow> list;
    for (const auto& [span, pair] : rows) list.push_back(soft.row(pair, span));
    program.setRows(std::move(list));
    row_count = rows.size() + program.stateRows().demandRows().size();
    return row_count > before;
  };

  const bool can_be_stretched = canBeStretched(problem);
  const auto stretched = [&](const BSpline& curve) {
    return curve.withDuration(std::max(curve.duration(), feasibleDuration(problem, curve)));
  };
  // What keeps a curve from being clear.
  const auto judge = [&](const BSpline& curve, const std::vector<Clearance>& near) {
    Refinement verdict{.clear = false, .curve = curve, .worst = std::nullopt};
    double least = HUGE_VAL;
    for (const Clearance& c : near) {
      const double excess = c.lower - model.pairs[c.pair].margin;
      if (excess >= least) continue;
      least = excess;
      verdict.worst = c;
      verdict.violation = std::max(0.0, -excess);
    }
    const StateRows::Worst state = program.stateRows().watch(curve, kStateSamples, kStateInfluence);
    if (state.value < 0.0) {
      verdict.violation = std::max(verdict.violation, -state.value * kMetresPerDemand);
      char at[48];
      std::snprintf(at, sizeof at, " at t = %.4g s", state.row.s * curve.duration());
      verdict.worst_demand = program.stateRows().demands().name(state.row.demand) + at;
    }
    const double off = program.stateRows().targetViolation(curve);
    verdict.violation = std::max(verdict.violation, off);
    if (off > 0.0) verdict.worst_demand = "a waypoint or the goal's pose is missed";
    const double needed = neededDuration(problem, curve);
    const double longest = can_be_stretched ? problem.duration.max : curve.duration();
    verdict.clear = verdict.violation == 0.0 && needed <= longest * (1.0 + 1e-9);
    if (verdict.clear && needed > curve.duration()) verdict.curve = stretched(curve);
    return verdict;
  };

  const std::vector<Clearance> at_guess = look(guess);
  Refinement best = judge(guess, at_guess);
  soft.start(at_guess);
  addRows(at_guess);
  VecX center = program.pointOf(guess);
  program.setPoint(center);
  best.cost = program.costOf(best.curve);
  const VecX reach = SegmentCertifier(problem, model).reach(guess.value(0.5 * guess.duration()));
  double region = best.clear ? kRegionOfClear : kRegionOfUnclear;
  VecX x = center;
  bool going = true;
  bool warm = false;
  int rounds = 0, iterations = 0, repairs = 0;
  double seconds = 0.0;
  while (rounds < kMaxRounds && going && iterations < refinement.iterations &&
         region > kLeastRegion) {
    program.setPoint(center);
    const VecX radius =
        program.regionRadius(region * reach.cwiseMax(0.1 * reach.maxCoeff()).cwiseInverse(),
                             std::min(0.9, 4.0 * region));
    program.setRegion(center, radius);
    NlpOptions options;
    options.warm = warm;
    options.max_iterations = std::min(kIterationsPerRound, refinement.iterations - iterations);
    Settled settled;
    const auto start = std::chrono::steady_clock::now();
    const NlpResult result = solveNlp(program, x, options, [&](const NlpIteration& iteration) {
      int row = -1;
      const double worst = program.worstRow(&row);
      PlanProgress progress{
          0, rounds, iterations + iteration.number, iteration.cost, iteration.infeasibility, ""};
      if (row >= 0) progress.worst = described(model, program.rowClearances()[row]);
      going = observe(progress) &&
              (progress.iteration < refinement.patience || worst > -refinement.hopeless);
      double cost = HUGE_VAL;
      if (can_be_stretched && program.stateRows().count() == 0) {
        // Limits that are not kept yet only ask for more time.
        if (worst >= -0.5 * tolerance) cost = program.costOf(stretched(program.currentCurve()));
      } else if (iteration.infeasibility <= 0.5 * tolerance) {
        cost = iteration.cost;
      }
      return going && !settled(iteration.number, program.point(), cost);
    });
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++rounds;
    iterations += result.iterations;
    const bool has_feasible = settled.point().size() > 0;
    const VecX& reached = has_feasible ? settled.point() : result.x;
    const BSpline curve = program.stateRows().throughWaypoints(program.curveAt(reached));
    const std::vector<Clearance> near = look(curve);
    Refinement found = judge(curve, near);
    found.cost = program.costOf(found.curve);
    const bool better = found.clear ? !best.clear || found.cost < best.cost
                                    : !best.clear && found.violation < best.violation;
    soft.learn(near, program.rows(), better);
    const bool more_rows = addRows(near);
    warm = true;
    if (better) {
      const bool settled_there =
          found.clear && best.clear && found.cost > (1.0 - kGain) * best.cost;
      const bool is_inside = isWellInside(program.pointOf(curve) - center, radius);
      const bool slow = !found.clear && found.violation > 0.9 * best.violation;
      best = std::move(found);
      center = x = program.pointOf(best.curve);
      repairs = 0;
      if (settled_there || (best.clear && is_inside)) break;
      if (!slow) region *= 2.0;
    } else if (more_rows && repairs < kRepairs && found.violation < kRepairable) {
      ++repairs;
      x = reached;  // what was not known to be in the way now is
    } else {
      if (best.clear && found.clear) break;
      region *= 0.25;
      repairs = 0;
      x = center;
    }
  }
  Refinement out = std::move(best);
  out.rounds = rounds;
  out.iterations = iterations;
  out.solve_seconds = seconds;
  return out;
}

}  // namespace allclear
