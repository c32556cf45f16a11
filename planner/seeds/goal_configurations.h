#pragma once

#include <optional>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/run/run_context.h"

namespace allclear {

struct GoalOptions {
  int most = 8;         ///< configurations at most
  int starts = 64;      ///< random starts of the iteration, besides the problem's start
  int iterations = 60;  ///< of each start
  /// Configurations closer than this in every coordinate count as one [rad or m]: three degrees
  /// lead to the same plan.
  double distinct = 0.05;
  /// Starts of a posture's program (`PostureOptions`).
  int postures = 24;
};

/// Planned coordinates that meet the problem's goal. A joint goal: its values, wrapping joints at
/// the turn nearest to the start; not checked for collisions. A pose goal: solutions of the inverse
/// kinematics within the limits, the path constraints and half of its tolerances, clear of
/// collisions by the margins (damped least squares from random starts), the nearest to the start
/// first; empty when none was found. Several poses at once: postures (posture.h), the cheapest
/// first. A goal with alternatives: those of each. `in_contact` gets a solution that only a
/// collision rules out, if one was met.
std::vector<VecX> goalConfigurations(const ClearanceEvaluator& evaluator,
                                     const RunContext& context = {},
                                     const GoalOptions& options = {},
                                     std::optional<VecX>* in_contact = nullptr);

/// The same for any target on the way, nearest to (and at the turns nearest to) `from`. Planned
/// coordinates that a joint target leaves out are taken from `otherwise`, or at random where that
/// configuration is not clear.
std::vector<VecX> targetConfigurations(const ClearanceEvaluator& evaluator, const Target& target,
                                       const VecX& from, const VecX& otherwise,
                                       const RunContext& context = {},
                                       const GoalOptions& options = {},
                                       std::optional<VecX>* in_contact = nullptr);

}  // namespace allclear
