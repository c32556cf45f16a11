#pragma once

#include <optional>
#include <vector>

#include "allclear/planner/run/run_context.h"
#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/planner/seeds/segment_certifier.h"

namespace allclear {

struct RrtOptions {
  /// Longest edge [m], in the lengths of `ConfigurationSpace`: several times the width of an arm's
  /// links, so that few edges cross free space.
  double step = 1.0;
  double extra = 0.0;       ///< clearance of the edges beyond the margin [m]
  int iterations = 400000;  ///< edges tried at most
  /// After its first failed extension a vertex is tried again only for samples nearer than this
  /// many steps; the radius then grows with success and shrinks with failure. So samples behind
  /// walls cost little.
  double first_radius = 4.0;
};

/// A path from start to goal of straight segments that `certifier` proved clear, by two trees that
/// grow towards each other (J. J. Kuffner, S. M. LaValle, "RRT-Connect", ICRA 2000; domains of
/// the vertices after A. Yershova et al., "Dynamic-Domain RRTs", ICRA 2005).
///
/// Wrapping coordinates may end whole turns from `goal`. Empty when `context` says that the run
/// must end, when the iterations are used up, or when start or goal is not clear. The same stream
/// gives the same path.
std::optional<std::vector<VecX>> rrtConnect(const ConfigurationSpace& space,
                                            SegmentCertifier& certifier, const VecX& start,
                                            const VecX& goal, const RrtOptions& options,
                                            const RunContext& context, RandomStream& random);

}  // namespace allclear
