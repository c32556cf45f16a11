#pragma once

#include "allclear/planner/seeds/rrt_connect.h"

namespace allclear {

struct ShortcutOptions {
  int rounds = 150;   ///< random shortcuts tried at most
  int patience = 50;  ///< ends after so many in a row that gained little
};

/// A shorter path of free segments between the same ends: leaves out vertices where the segment
/// past them is free, then cuts straight between random points of the path. The result is
/// never longer. When `context` says that the run must end, returns the best path so far.
std::vector<VecX> shortened(FreeMotion& motion, std::vector<VecX> path,
                            const ShortcutOptions& options, const RunContext& context,
                            RandomStream& random);

}  // namespace allclear
