// A scan shows the robot as well: which points are its own is for its collision geometry to say,
// where the start puts it.
#include "allclear/config/values/robot_filter.h"

#include <algorithm>
#include <charconv>

#include "allclear/core/input_error.h"
#include "allclear/distance/cloud.h"

namespace allclear {
namespace {

std::string shown(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// Marks what is near to a body, and returns how many of them no body before had.
std::size_t markNearBody(const std::vector<Geometry>& geometry, const Pose& X_WB,
                         const Obstacle& obstacle, double limit, std::vector<char>* marks) {
  const auto marked = [&]() {
    return static_cast<std::size_t>(std::count(marks->begin(), marks->end(), char{1}));
  };
  const std::size_t before = marked();
  for (const Geometry& part : geometry) {
    markNear(part.shape, X_WB * part.X_BG, *obstacle.cloud, obstacle.pose(0.0), limit, marks);
  }
  return marked() - before;
}

}  // namespace

void filterRobot(SceneContext& context) {
  for (Obstacle& obstacle : context.scene.obstacles) {
    const auto wanted = context.robot_filters.find(obstacle.id);
    if (wanted == context.robot_filters.end() || obstacle.cloud == nullptr) continue;
    // Marked first and dropped at once, as links share points: each counts for the first link
    // that is near to it.
    std::vector<char> marks(static_cast<std::size_t>(obstacle.cloud->size()), 0);
    std::string bodies;
    const auto mark = [&](const std::string& name, const std::vector<Geometry>& geometry,
                          const Pose& X_WB) {
      const std::size_t count = markNearBody(geometry, X_WB, obstacle, wanted->second, &marks);
      if (count > 0) bodies += (bodies.empty() ? "" : ", ") + std::to_string(count) + " at " + name;
    };
    const std::vector<Link>& links = context.robot.links();
    for (std::size_t l = 0; l < links.size(); ++l) {
      mark(links[l].name, links[l].collision, context.frames.link(static_cast<int>(l)));
    }
    for (const AttachedObject& object : context.scene.attached) {
      mark(object.id, object.geometry, context.frames.link(object.link));
    }
    // Nothing near is worth a note too: who asked for it may have the wrong start.
    if (bodies.empty()) {
      obstacle.notes.push_back("filter_robot: " + shown(wanted->second) +
                               " m left out nothing: the robot at the start is farther off");
      continue;
    }
    const auto dropped = static_cast<std::size_t>(std::count(marks.begin(), marks.end(), char{1}));
    const std::string note =
        std::to_string(dropped) + (obstacle.cloud->isBalls() ? " point" : " cell") +
        (dropped == 1 ? "" : "s") + " nearer than " + shown(wanted->second) +
        " m to the robot at the start, or to what it carries, left out as its own (" + bodies +
        "): an obstacle that is there is not seen";
    obstacle.cloud = obstacle.cloud->without(marks);
    if (obstacle.cloud == nullptr) {
      throw InputError({"", 0, "filter_robot", obstacle.id},
                       "all of it is as near to the robot: nothing is left");
    }
    context.scene.warnings.push_back("'" + obstacle.id + "': " + note);
    obstacle.notes.push_back(note);
  }
}

}  // namespace allclear
