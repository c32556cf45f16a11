#pragma once

#include <vector>

#include "allclear/planner/problem.h"

namespace allclear {

/// A point whose path the viewer draws.
struct ReportTool {
  int link = -1;
  Vec3 p_LT = Vec3::Zero();  ///< in the frame of that link
};

/// The points that do the work: the frames that the goal places; else, at the end of each planned
/// chain, the middle of what is carried there, a frame near its end (a tool's centre point), or the
/// far end of the geometry that moves with the last link.
std::vector<ReportTool> findTools(const Problem& problem);

}  // namespace allclear
