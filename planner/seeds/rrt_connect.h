#pragma once

#include <optional>
#include <vector>

#include "allclear/planner/run/run_context.h"
#include "allclear/planner/seeds/configuration_space.h"
#include "allclear/planner/seeds/free_motion.h"

namespace allclear {

struct RrtOptions {
  /// Longest edge [m], in the lengths of `ConfigurationSpace`: a few times the width of an arm's
  /// links, so that few edges cross free space, and that most edges into a shelf are free.
  double step = 0.3;
  /// Work at most: edges tried, and samples that no vertex answered by `kSamplesPerEdge`.
  long work = 400000;
  /// After its first failed extension a vertex is tried again only for samples nearer than this
  /// many steps; the radius then grows with success and shrinks with failure. So samples behind
  /// walls cost little.
  double first_radius = 4.0;
  /// Groups of coordinates that can move on their own (`coordinateBlocks`): where an edge of all
  /// coordinates is not free, one group alone is tried. Empty: all together only.
  std::vector<std::vector<int>> blocks;

  static constexpr long kSamplesPerEdge = 16;  ///< that take about as long as one edge
};

struct RrtResult {
  std::optional<std::vector<VecX>> path;
  long work = 0;       ///< done
  bool ended = false;  ///< because the context said so
};

/// A path of free segments from the start to one of the goals, by two trees that grow towards each
/// other, the second from all goals at once (J. J. Kuffner, S. M. LaValle, "RRT-Connect", ICRA
/// 2000; domains of the vertices after A. Yershova et al., "Dynamic-Domain RRTs", ICRA 2005). Under
/// path constraints edges are short and their ends projected (Berenson et al., ICRA 2009).
///
/// Wrapping coordinates may end whole turns from their goal. No path when `context` says that the
/// run must end, when the work is done, or when the start or all goals are not free. The same
/// stream gives the same path.
RrtResult rrtConnect(FreeMotion& motion, const VecX& start, const std::vector<VecX>& goals,
                     const RrtOptions& options, const RunContext& context, RandomStream& random);

}  // namespace allclear
