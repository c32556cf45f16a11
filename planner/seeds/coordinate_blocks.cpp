// Groups of planned coordinates: by the ends of the robot that each of them moves.
//
// An end is a set of coordinates that carry a link, and no larger such set carries another link
// beyond it: the way to a hand. Two coordinates are in one group when they lie on the way to the
// same ends.
#include "allclear/planner/seeds/coordinate_blocks.h"

#include <algorithm>
#include <map>
#include <set>

#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

/// For every link the planned coordinates that move it.
std::set<std::set<int>> waysToLinks(const Problem& problem) {
  const MotionTree tree(*problem.robot);
  std::set<std::set<int>> ways;
  for (const LinkMount& mount : tree.mounts()) {
    // Planned coordinates are numbered by their place among the planned ones, which ascend.
    std::set<int> way;
    for (int node : tree.pathTo(mount.node)) {
      const auto found = std::lower_bound(problem.planned.begin(), problem.planned.end(),
                                          tree.nodes()[node].coordinate);
      if (found == problem.planned.end() || *found != tree.nodes()[node].coordinate) continue;
      way.insert(static_cast<int>(found - problem.planned.begin()));
    }
    ways.insert(std::move(way));
  }
  return ways;
}

}  // namespace

std::vector<std::vector<int>> coordinateBlocks(const Problem& problem) {
  const std::set<std::set<int>> ways = waysToLinks(problem);
  const auto goesOn = [&](const std::set<int>& way) {
    return std::any_of(ways.begin(), ways.end(), [&](const std::set<int>& other) {
      return other != way && std::includes(other.begin(), other.end(), way.begin(), way.end());
    });
  };
  // Ends are the ways that no other way goes on from.
  std::vector<std::set<int>> ends;
  for (const auto& way : ways) {
    if (!goesOn(way)) ends.push_back(way);
  }
  std::map<std::vector<int>, std::vector<int>> by_ends;
  for (int k = 0; k < problem.plannedCount(); ++k) {
    std::vector<int> moved;
    for (std::size_t e = 0; e < ends.size(); ++e) {
      if (ends[e].count(k) > 0) moved.push_back(static_cast<int>(e));
    }
    by_ends[moved].push_back(k);
  }
  std::vector<std::vector<int>> blocks;
  for (auto& [moved, block] : by_ends) blocks.push_back(std::move(block));
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace allclear
