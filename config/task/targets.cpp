// The sections of a task about its goal, its waypoints and the constraints of its path.
//
// What cannot be met at the start is refused here, at its line: a path constraint that the start
// breaks leaves the planner nothing to do.
#include <algorithm>
#include <cmath>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/units.h"
#include "allclear/core/formatted.h"

namespace allclear {
namespace {

bool isPlanned(const Problem& problem, int c) {
  return std::binary_search(problem.planned.begin(), problem.planned.end(), c);
}

/// The target of some joint values. A joint that is not planned may be named if it is there
/// already; otherwise the target could never be reached.
JointTarget jointTarget(const JointValues& values, Problem& problem) {
  JointTarget target;
  std::vector<double> numbers;
  for (const auto& [c, given] : values) {
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    // Group states often name joints of other groups: these may stay as they are.
    if (!isPlanned(problem, c)) {
      if (std::abs(given.value - problem.start[c]) <= kClampTolerance) continue;
      given.where.fail("joint '" + coordinate.name + "' is not planned" +
                       (problem.group.empty() ? "" : " (group '" + problem.group + "')") +
                       " and does not start at " + formatted("%f", given.value));
    }
    target.coordinates.push_back(c);
    numbers.push_back(insideLimits(given, coordinate, problem.warnings));
  }
  target.values = VecX::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  return target;
}

Target readTarget(const Value& section, const Frames& frames, Problem& problem) {
  const std::string kind = section.oneOf({"joint_constraints", "group_state", "pose"});
  const Value value = section.need(kind);
  if (kind == "pose") return readPoseTarget(value, frames, *problem.robot);
  if (kind == "group_state") {
    return jointTarget(readGroupState(value, problem.group, *problem.robot), problem);
  }
  JointTarget target =
      jointTarget(readJointMap(value, *problem.robot, {}, problem.warnings), problem);
  if (target.coordinates.empty()) value.fail("names no joint");
  return target;
}

/// Completes a goal: joints that it does not name stay at their start.
void completeFromStart(Target& goal, const Problem& problem) {
  auto* named = std::get_if<JointTarget>(&goal);
  if (named == nullptr) return;
  VecX q = problem.start;
  for (std::size_t k = 0; k < named->coordinates.size(); ++k) {
    q[named->coordinates[k]] = named->values[k];
  }
  *named = {problem.planned, problem.plannedPart(q)};
}

/// An axis of a link that must keep its direction, by default the one that it has at the start.
KeepAxis readKeepAxis(const Value& section, const Frames& frames, const RobotModel& robot) {
  section.only({"link", "keep_axis", "direction", "tolerance"});
  KeepAxis keep;
  keep.link = readLink(section.need("link"), robot);
  keep.axis_L = readDirection(section.need("keep_axis"));
  if (const auto tolerance = section.find("tolerance")) keep.tolerance = readAngle(*tolerance);
  const Vec3 at_start = frames.link(keep.link).R * keep.axis_L;
  const auto direction = section.find("direction");
  keep.direction_W = direction ? readDirection(*direction) : at_start.normalized();
  // The angle from sine and cosine: exact also where it is small, as acos would not be.
  const double angle =
      std::atan2(at_start.cross(keep.direction_W).norm(), at_start.dot(keep.direction_W));
  if (angle > keep.tolerance) {
    section.fail("the start is " + formatted("%f", angle) +
                 " rad away from this direction, more than the tolerance: move the start, or give "
                 "another 'direction' or 'tolerance'");
  }
  return keep;
}

/// A point of a link that must stay inside a box.
KeepInBox readKeepInBox(const Value& section, const Frames& frames, const RobotModel& robot) {
  section.only({"link", "point", "box"});
  KeepInBox keep;
  keep.link = readLink(section.need("link"), robot);
  if (const auto point = section.find("point")) keep.p_L = readPoint(*point);
  const Value box = section.need("box").only({"size", "frame", "pose"});
  keep.size = box.need("size").vector3();
  for (const Value& edge : box.need("size").items()) edge.positive();
  if (const auto frame = box.find("frame")) keep.X_WB = frames.find(*frame);
  if (const auto pose = box.find("pose")) keep.X_WB = keep.X_WB * readPose(*pose);
  // How far the point is outside at the start, along the worst of the box's axes.
  const Vec3 p_B = keep.X_WB.inverse() * (frames.link(keep.link) * keep.p_L);
  const double outside = (p_B.cwiseAbs() - 0.5 * keep.size).maxCoeff();
  if (outside > 0.0) {
    section.fail("the start is " + formatted("%f", outside) +
                 " m outside this box: move the start or the box, or make it larger");
  }
  return keep;
}

}  // namespace

void readGoal(const Value& task, const Frames& frames, Problem& problem) {
  const Value section = task.need("goal");
  section.only({"joint_constraints", "group_state", "pose", "poses", "linear", "reference",
                "velocity", "acceleration"});
  const std::string kind =
      section.oneOf({"joint_constraints", "group_state", "pose", "poses", "linear"});
  if (kind == "poses") {
    problem.goal = readPostureTarget(section, frames, problem);
    return;
  }
  if (section.has("reference")) section.failAtKey("reference", "goes with 'poses'");
  // A line makes the goal, and the first path constraint.
  if (kind == "linear") {
    const Value linear = section.need(kind);
    linear.only(
        {"link", "frame", "position", "orientation", "rpy", "by", "points", "offset", "tolerance"});
    goAlong(problem, readLine(linear, linear, frames, *problem.robot));
    return;
  }
  problem.goal = readTarget(section, frames, problem);
  completeFromStart(problem.goal, problem);
}

void readWaypoints(const Value& task, const Frames& frames, Problem& problem) {
  const auto list = task.find("waypoints");
  if (!list) return;
  for (const Value& section : list->items()) {
    section.only({"joint_constraints", "group_state", "pose", "time"});
    Waypoint waypoint{readTarget(section, frames, problem), std::nullopt};
    if (const auto time = section.find("time")) waypoint.time = time->positive();
    problem.waypoints.push_back(std::move(waypoint));
  }
}

void readPathConstraints(const Value& task, const Frames& frames, Problem& problem) {
  const auto list = task.find("path_constraints");
  if (!list) return;
  for (const Value& section : list->items()) {
    const std::string kind =
        section.oneOf({"keep_axis", "box", "line", "pose", "position", "orientation"});
    if (kind == "keep_axis") {
      problem.path_constraints.emplace_back(readKeepAxis(section, frames, *problem.robot));
    } else if (kind == "box") {
      problem.path_constraints.emplace_back(readKeepInBox(section, frames, *problem.robot));
    } else if (kind == "line") {
      // The way is in a map of its own: what is beside it says what is led.
      section.only({"link", "line", "offset", "tolerance"});
      const Value way =
          section.need("line").only({"frame", "position", "orientation", "rpy", "by", "points"});
      problem.path_constraints.emplace_back(readLine(section, way, frames, *problem.robot));
    } else {
      problem.path_constraints.emplace_back(readKeepPose(section, kind, frames, *problem.robot));
    }
  }
}

}  // namespace allclear
