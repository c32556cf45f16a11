#pragma once

#include <vector>

#include "allclear/planner/planner.h"

namespace allclear {

/// What became of a goal's alternatives.
struct UsableGoals {
  std::vector<int> kept;  ///< of those that are left, their places in the problem's own order
  std::vector<LeftOutAlternative> left_out;
};

/// Takes those alternatives of joints out of the problem's goal that no plan can end at: beyond
/// limits, in contact, too heavy to hold there, too far for the longest duration. Where the goal
/// has no alternatives nothing changes.
UsableGoals keepUsableGoals(Problem* problem, int threads);

/// What was left out before a search and in it, in the problem's own order.
std::vector<LeftOutAlternative> allLeftOut(const Problem& problem, const UsableGoals& usable,
                                           const std::vector<LeftOutAlternative>& in_search);

}  // namespace allclear
