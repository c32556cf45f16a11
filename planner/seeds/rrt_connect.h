#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/planner/seeds/segment_certifier.h"

namespace allclear {

/// When to give up.
struct SearchBudget {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<bool()> stop;  ///< asked between steps; empty: never

  bool over() const {
    return (stop && stop()) || (deadline != std::chrono::steady_clock::time_point::max() &&
                                std::chrono::steady_clock::now() >= deadline);
  }
};

struct RrtOptions {
  /// Longest edge [m], in the lengths of `ConfigurationSpace`: about the width of an arm's links,
  /// several times over.
  double step = 1.0;
  double extra = 0.0;       ///< clearance of the edges beyond the margin [m]
  int iterations = 400000;  ///< edges tried at most
  /// A vertex whose extension failed is tried again only for samples this near, in steps; grows and
  /// shrinks with success: samples behind walls cost little.
  double first_radius = 4.0;
};

/// A path from start to goal of straight segments that `certifier` proved clear, by two trees that
/// grow towards each other (J. J. Kuffner, S. M. LaValle, "RRT-Connect", ICRA 2000; domains of
/// the vertices after A. Yershova et al., "Dynamic-Domain RRTs", ICRA 2005).
///
/// Wrapping coordinates may end whole turns from `goal`. Empty when the budget is used up, or when
/// start or goal is not clear. The same stream gives the same path.
std::optional<std::vector<VecX>> rrtConnect(const ConfigurationSpace& space,
                                            SegmentCertifier& certifier, const VecX& start,
                                            const VecX& goal, const RrtOptions& options,
                                            const SearchBudget& budget, RandomStream& random);

}  // namespace allclear
