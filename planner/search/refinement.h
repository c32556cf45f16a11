#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/planner.h"
#include "allclear/trajectories/bspline.h"
#include "allclear/trajectories/hermite.h"

namespace allclear {

/// What became of a first guess.
struct Refinement {
  bool clear =
      false;  ///< every pair keeps its margin and every limit holds, by the planner's own sums
  BSpline curve;
  std::optional<Clearance> worst;  ///< the pair nearest to (or deepest below) its margin
  std::string worst_demand;        ///< on the state that is not kept, and when; empty when all are
  double violation = 0.0;  ///< [m] by which the pair is below its margin (or as much as the demand
                           ///< counts); 0 when clear
  int rounds = 0;
  int iterations = 0;
  double cost = 0.0;
  double solve_seconds = 0.0;
};

/// The shortest duration for which the curve keeps all derivative limits (and at least the least
/// duration of the problem).
double feasibleDuration(const Problem& problem, const BSpline& curve);

struct RefinementOptions {
  int iterations = 300;  ///< of all rounds together
  int threads = 1;       ///< that share the work; the result does not depend on them
  /// Ends when after `patience` iterations some pair is deeper below its margin than `hopeless`
  /// [m].
  int patience = 20;
  double hopeless = HUGE_VAL;
  /// Normalised times at which the waypoints without a time of their own are passed.
  std::vector<double> waypoint_times;
};

/// Optimises a first guess until it is clear, by exchange: solve with the rows known, look at all
/// pairs over all spans, add what came near, solve again. A guess that is clear itself is the
/// result when nothing better is found.
Refinement refine(const ClearanceEvaluator& evaluator, const BSpline& guess,
                  const RefinementOptions& options,
                  const std::function<bool(const PlanProgress&)>& observe);

/// Rests at every vertex of a path and moves in straight lines between them, each by the smooth
/// step of least jerk, as fast as the limits allow: slow, but as clear as the path.
QuinticHermite restingAtCorners(const Problem& problem, const std::vector<VecX>& path);

}  // namespace allclear
