#pragma once

#include <string>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/seeds/path_search.h"
#include "allclear/planner/seeds/path_shortcut.h"
#include "allclear/planner/seeds/path_spline.h"

namespace allclear {

/// A first guess for the optimiser.
struct Seed {
  BSpline curve;                ///< of the planned coordinates
  bool certified_path = false;  ///< every segment of `path` is proved clear, and keeps the path
                                ///< constraints at samples
  std::vector<VecX> path;      ///< that the curve follows; wrapping coordinates may end whole turns
                               ///< from the goal
  double unclear_share = 0.0;  ///< of sampled instants of the curve that are not clear
  std::string origin;          ///< "straight line", "tree 1", ...
};

struct SeedOptions {
  int spans = 0;            ///< of the curve; 0: 8 to 16, as many as it takes to follow the path
  long work = 2000000;      ///< of the search (`RrtOptions::work`): does not depend on the machine
  double extra = 2e-3;      ///< clearance sought beyond the margin [m]; less where the ends have
                            ///< less
  double step = 0.3;        ///< `PathSearchOptions::step`
  std::vector<VecX> via;    ///< planned coordinates to pass on the way, in their order
  std::vector<VecX> goals;  ///< other goals that would do as well: searches end at any of them
};

/// What making a seed cost.
struct SeedStatistics {
  double search_seconds = 0.0;
  double shortcut_seconds = 0.0;
  double fit_seconds = 0.0;
  double length_ratio = 1.0;  ///< of the path to the straight line
  int runs = 0;               ///< of the search: one more than it was started anew
  long work = 0;              ///< of the search
  SegmentCertifier::Statistics certifier;
};

/// Attempts that are straight lines where planned joints move contacts.
inline constexpr int kStraightLinesOnContacts = 3;

/// Attempt 0 is the straight line, clear or not; attempts 1, 2, ... are paths found by random
/// streams of their own (`PathSearch`), within the path constraints, shortened and smoothed. Empty
/// when none was found, or when `context` said that the run must end during the search (a path that
/// was found is still smoothed). The curve starts and ends with the problem's velocities and
/// accelerations; its duration follows from the velocity limits. `goal` are planned coordinates.
/// Threads of `context` share the search; the seed does not depend on their number.
///
/// With contacts that planned joints move there is no search: attempts 0, 1, 2 are the straight
/// line put onto the contacts, with 8, 12 and 16 spans (or `options.spans` where that is more),
/// later ones are lines with a random bend. Waypoints are not looked at.
std::optional<Seed> makeSeed(const ClearanceEvaluator& evaluator, const VecX& goal, int attempt,
                             const RunContext& context = {}, const SeedOptions& options = {},
                             SeedStatistics* statistics = nullptr);

/// An earlier plan of the same coordinates, bent to the problem's start and to the goal (of several
/// the one nearest to its end): at each instant moved by what its ends are moved by, the one giving
/// way to the other by a smooth step. Empty when it has other coordinates. Contacts and waypoints
/// are not looked at.
std::optional<Seed> seedFollowing(const ClearanceEvaluator& evaluator, const Trajectory& earlier,
                                  const std::vector<VecX>& goals, const RunContext& context = {},
                                  const SeedOptions& options = {});

}  // namespace allclear
