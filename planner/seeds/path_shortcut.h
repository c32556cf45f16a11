#pragma once

#include "allclear/planner/seeds/rrt_connect.h"

namespace allclear {

struct ShortcutOptions {
  double extra = 0.0;  ///< clearance of the edges beyond the margin [m]
  int rounds = 150;    ///< random shortcuts tried at most
  int patience = 50;   ///< ends after so many in a row that gained nothing
};

/// A shorter path of certified segments between the same ends: vertices left out where the way past
/// them is clear, then straight cuts between random points of the path. The result is never longer.
/// When the budget ends, the best so far.
std::vector<VecX> shortened(const ConfigurationSpace& space, SegmentCertifier& certifier,
                            std::vector<VecX> path, const ShortcutOptions& options,
                            const SearchBudget& budget, RandomStream& random);

}  // namespace allclear
