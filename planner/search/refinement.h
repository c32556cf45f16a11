#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/program/nlp.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/trajectories/bspline.h"

namespace allclear {

/// The best curve that came of a first guess.
struct Refinement {
  bool clear = false;  ///< by the planner's own sums every pair keeps its margin and every limit
                       ///< holds; only the certificate proves it
  BSpline curve;
  std::optional<BSpline> wrenches;  ///< at contacts, where the problem has such forces
  std::optional<Clearance> worst;   ///< the pair nearest to (or deepest below) its margin
  std::string worst_demand;         ///< the demand on the state that is violated most, and when
  double violation = 0.0;  ///< [m] by which the pair is below its margin, or the demand's violation
                           ///< converted to metres; 0 when clear
  int rounds = 0;
  int iterations = 0;
  double cost = 0.0;
  double solve_seconds = 0.0;
};

/// How the programs of a refinement are made and solved. The defaults are the fastest that lose no
/// quality; `bench_refinement` changes one at a time (docs/performance.md).
struct RefinementTuning {
  LinearSolver linear_solver = LinearSolver::kAuto;
  /// A limit gets a row where the curve would reach it if it were made this many times as long, or
  /// has come that near in a round before. In (0, 1); 0: limits have rows everywhere.
  double limit_share = 0.4;
  /// A solve ends after so many iterations without a gain, once an iterate is usable.
  int idle_iterations = 4;
  std::string ipopt_options;  ///< "name value name value ...": over the defaults
};

struct RefinementOptions {
  int iterations = 300;  ///< of all rounds together
  /// Ends when after `patience` iterations some pair is still deeper than `hopeless` [m] below its
  /// margin.
  int patience = 20;
  double hopeless = HUGE_VAL;
  /// Normalised times at which the waypoints without a time of their own are passed.
  std::vector<double> waypoint_times;
  /// The guess of the curve of wrenches at contacts, with the basis and duration of the guess; a
  /// straight line between those of its ends without.
  std::optional<BSpline> wrenches;
  RefinementTuning tuning;
};

/// Optimises a first guess until it is clear, by exchange: solves with the known rows, measures all
/// pairs over all spans, adds rows for the pairs that came near, solves again. Returns a clear
/// guess unchanged when no better curve is found. Asks `context` before every iteration whether to
/// go on, and reports the iteration to it.
Refinement refine(const ClearanceEvaluator& evaluator, const BSpline& guess,
                  const RunContext& context = {}, const RefinementOptions& options = {});

}  // namespace allclear
