// Sentences on obstacles that move by known motions, rigid ones and meshes that bend; on clouds;
// and on how the files of obstacles were read.
#include "allclear/planner/certificate/obstacle_statements.h"

#include "allclear/distance/cloud.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/planner/certificate/words.h"

namespace allclear {
namespace {

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

std::string cloudText(const Obstacle& obstacle) {
  const Cloud& cloud = *obstacle.cloud;
  const std::string size = std::to_string(cloud.size());
  return obstacle.id + (cloud.isBalls() ? " (" + size + " points, balls of radius " +
                                              shown(cloud.radius()) + " m)"
                                        : " (" + size + " boxes)");
}

/// A scan shows surfaces: what no ray has met is not in it.
Assumption clouds(const std::vector<std::string>& names) {
  return {"clouds",
          "These obstacles are what their points or boxes fill, and nothing else: space between "
          "balls that do not touch, behind and inside of scanned surfaces counts as free: " +
              joined(names) + ".",
          counted(names.size()) + " of points or boxes (free between and behind them)"};
}

/// What readers of files said of them.
void addNotes(const Problem& problem, std::vector<Assumption>* out) {
  for (const Obstacle& obstacle : problem.obstacles) {
    if (obstacle.notes.empty()) continue;
    std::string text;
    for (const std::string& note : obstacle.notes) text += (text.empty() ? "" : "; ") + note;
    out->push_back({"obstacle files", "'" + obstacle.id + "' is read so: " + text + ".", ""});
  }
}

}  // namespace

std::vector<Assumption> obstacleAssumptions(const Problem& problem) {
  std::vector<std::string> names, solids, sheets, of_elements;
  for (const Obstacle& obstacle : problem.obstacles) {
    if (!obstacle.motion.empty() || obstacle.deforming != nullptr) names.push_back(obstacle.id);
    if (obstacle.cloud != nullptr) of_elements.push_back(cloudText(obstacle));
    if (obstacle.deforming == nullptr) continue;
    (obstacle.deforming->hasInside() ? solids : sheets).push_back(obstacle.id);
  }
  std::vector<Assumption> out;
  if (!names.empty()) out.push_back(moving(names));
  if (!solids.empty() || !sheets.empty()) out.push_back(bending(solids, sheets));
  if (!of_elements.empty()) out.push_back(clouds(of_elements));
  addNotes(problem, &out);
  return out;
}

}  // namespace allclear
