#pragma once

#include <memory>
#include <string>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

/// A configuration at rest that meets all of a `PostureTarget`.
struct Posture {
  VecX q;             ///< planned coordinates
  VecX wrenches;      ///< of the contacts besides the base (`ContactSet`) [N, N m]; often empty
  double cost = 0.0;  ///< 1/2 sum w (q - q_ref)^2
};

struct PostureOptions {
  int tries = 24;       ///< starts at most: the reference, then places around it
  int enough = 3;       ///< postures after which no other start is tried
  int iterations = 80;  ///< of each stage: one that works needs far fewer
  /// Poses of small tolerances are to be met to a tenth of these; else half of them may be used.
  bool exact = true;
};

/// Postures that meet the target, the cheapest first; empty when none was found. Each keeps the
/// joint limits, the contacts (to rounding), torques, balance and path constraints with a reserve
/// for the motion, every pose within its tolerance and every pair of bodies at its demand.
///
/// The first start is the reference itself. A posture from there is returned alone; one that was
/// found only from other starts may be contorted, so then the cheapest of several is wanted. Where
/// there is none that meets the poses exactly, one that uses their tolerances will do.
std::vector<Posture> findPostures(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                                  const RunContext& context = {},
                                  const PostureOptions& options = {});

/// The same over geometry that becomes finer while there is no posture, as in a plan: hulls may
/// close the place that is to be reached. `evaluator` gets the geometry that was used last.
std::vector<Posture> findPostures(const Problem& problem, const PostureTarget& target,
                                  const RunContext& context,
                                  std::unique_ptr<ClearanceEvaluator>* evaluator);

/// Whether a posture is found where bodies do not count: if not, finer geometry is of no help. Far
/// cheaper than `findPostures`.
bool hasPostureWithoutBodies(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                             const RunContext& context = {});

/// A goal of one pose as a posture: nearest to the start, all joints alike.
PostureTarget postureTarget(const Problem& problem, const PoseTarget& pose);

/// Why there is no posture: "no posture meets the goal. .."; which of the contacts, poses, demands,
/// clearances and joint limits stand in the way, found by doing without each.
std::string postureFault(const ClearanceEvaluator& evaluator, const PostureTarget& target,
                         const RunContext& context = {}, const PostureOptions& options = {});

}  // namespace allclear
