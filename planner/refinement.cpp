#include "allclear/planner/refinement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "allclear/planner/trajectory_program.h"

namespace allclear {
namespace {

constexpr int kMaxRounds = 12;
constexpr double kInfluence = 0.02;  // [m] beyond the margin, from where a pair gets a row

/// Ends a solve that is feasible and gains next to nothing: the last tenths of a per cent of the
/// cost are not worth their iterations.
class Settled {
 public:
  explicit Settled(double feasible) : feasible_(feasible) {}
  bool operator()(const NlpIteration& iteration) {
    if (iteration.infeasibility > feasible_) return false;
    const bool gains = iteration.cost < best_ - 2e-3 * std::fabs(best_);
    idle_ = gains ? 0 : idle_ + 1;
    best_ = std::min(best_, iteration.cost);
    return idle_ >= 3;
  }

 private:
  double feasible_;
  double best_ = std::numeric_limits<double>::max();
  int idle_ = 0;
};

std::string described(const CollisionModel& model, const Clearance& c) {
  char text[64];
  std::snprintf(text, sizeof text, ": %.4f m at t = %.3f s", c.upper, c.t_star);
  return model.bodies[model.pairs[c.pair].a].name + " and " +
         model.bodies[model.pairs[c.pair].b].name + text;
}

}  // namespace

double feasibleDuration(const Problem& problem, const BSpline& curve) {
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
  return std::min(duration, problem.duration.max);
}

Refinement refine(const ClearanceEvaluator& evaluator, const BSpline& guess,
                  const std::function<bool(const PlanProgress&)>& observe) {
  const Problem& problem = evaluator.problem();
  const CollisionModel& model = evaluator.model();
  const double tolerance = problem.collision.tolerance;
  TrajectoryProgram::Settings settings;
  settings.tolerance = tolerance;
  settings.clearance_target = 2.0 * tolerance;
  settings.ceiling = 2.0 * kInfluence;
  TrajectoryProgram program(evaluator, guess, settings);
  ClearanceEvaluator::Workspace workspace(evaluator);

  Refinement out{.clear = false, .curve = guess, .worst = std::nullopt};
  std::set<std::pair<int, int>> rows;
  const auto look = [&](const BSpline& curve) {
    std::vector<Clearance> near;
    for (int s = 0; s < curve.spanCount(); ++s) {
      evaluator.nearPairs(curve.span(s), s, kInfluence, tolerance, workspace, &near);
    }
    return near;
  };
  const auto addRows = [&](const std::vector<Clearance>& near) {
    const std::size_t before = rows.size();
    for (const Clearance& c : near) rows.insert({c.span, c.pair});
    std::vector<ClearanceRow> list;
    for (const auto& [span, pair] : rows) list.push_back({pair, span});
    program.setRows(std::move(list));
    return rows.size() > before;
  };

  addRows(look(guess));
  VecX x = program.pointOf(guess);
  bool going = true;
  for (int round = 0; round < kMaxRounds && going; ++round) {
    NlpOptions options;
    options.warm = round > 0;
    Settled settled(0.5 * tolerance);
    const auto start = std::chrono::steady_clock::now();
    const NlpResult result = solveNlp(program, x, options, [&](const NlpIteration& iteration) {
      int row = -1;
      program.worstRow(&row);
      PlanProgress progress{0, round, iteration.number, iteration.cost, iteration.infeasibility,
                            ""};
      if (row >= 0) progress.worst = described(model, program.rowClearances()[row]);
      going = observe(progress);
      return going && !settled(iteration);
    });
    out.solve_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    out.iterations += result.iterations;
    out.rounds = round + 1;
    out.cost = result.cost;
    x = result.x;
    out.curve = program.curveAt(x);
    const std::vector<Clearance> near = look(out.curve);
    out.worst.reset();
    out.violation = 0.0;
    double least = HUGE_VAL;
    for (const Clearance& c : near) {
      const double excess = c.lower - model.pairs[c.pair].margin;
      if (excess >= least) continue;
      least = excess;
      out.worst = c;
      out.violation = std::max(0.0, -excess);
    }
    const double needed = feasibleDuration(problem, out.curve);
    const bool limits_hold = needed <= out.curve.duration() * (1.0 + 1e-6);
    out.clear = out.violation == 0.0 && limits_hold && result.status != NlpResult::Status::kFailed;
    if (out.clear) {
      if (needed > out.curve.duration()) out.curve = out.curve.withDuration(needed);
      break;
    }
    if (!addRows(near) && result.status != NlpResult::Status::kIterationLimit) break;
  }
  return out;
}

}  // namespace allclear
