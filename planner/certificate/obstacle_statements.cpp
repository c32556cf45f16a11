// Sentences on obstacles that move by known motions: rigid ones, and meshes that bend.
#include "allclear/planner/certificate/obstacle_statements.h"

#include "allclear/distance/deforming_mesh.h"

namespace allclear {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all;
}

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " obstacle" : " obstacles");
}

Assumption moving(const std::vector<std::string>& names) {
  return {"moving obstacles",
          "These obstacles move as their files say (exactly, but for the task's uncertainty), with "
          "t = 0 at the start of the trajectory, "
          "and rest before the first row and after the last: " +
              joined(names) + ". Nothing is claimed before t = 0.",
          counted(names.size()) + " on time (t = 0 at the start)"};
}

Assumption bending(const std::vector<std::string>& solids, const std::vector<std::string>& sheets) {
  std::string text =
      "Between two keyframes of a mesh that bends every vertex moves along a straight line at "
      "constant speed.";
  if (!solids.empty()) {
    text += " Closed parts are solid, other parts are sheets: " + joined(solids) + ".";
  }
  if (!sheets.empty()) text += " Sheets, which have no inside: " + joined(sheets) + ".";
  return {"bending obstacles", text, counted(solids.size() + sheets.size()) + " bending"};
}

}  // namespace

std::vector<Assumption> obstacleAssumptions(const Problem& problem) {
  std::vector<std::string> names, solids, sheets;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (!obstacle.motion.empty() || obstacle.deforming != nullptr) names.push_back(obstacle.id);
    if (obstacle.deforming == nullptr) continue;
    (obstacle.deforming->hasInside() ? solids : sheets).push_back(obstacle.id);
  }
  std::vector<Assumption> out;
  if (!names.empty()) out.push_back(moving(names));
  if (!solids.empty() || !sheets.empty()) out.push_back(bending(solids, sheets));
  return out;
}

}  // namespace allclear
