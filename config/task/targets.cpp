// The sections of a task about its goal, its waypoints and the constraints of its path.
//
// What cannot be met at the start is refused here, at its line: a path constraint that the start
// breaks leaves the planner nothing to do.
#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/pose.h"

namespace allclear {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();

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
                       " and does not start at " + std::to_string(given.value));
    }
    target.coordinates.push_back(c);
    numbers.push_back(insideLimits(given, coordinate, problem.warnings));
  }
  target.values = VecX::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  return target;
}

/// Reads the tolerances of a pose target. A position or orientation that the pose leaves out is
/// free: its tolerance is infinite.
void readTolerances(const Value& section, PoseTarget& target) {
  // A tolerance of what is free anyway would be ignored: refuse it.
  const bool position = section.has("position");
  const bool orientation = section.has("orientation") || section.has("rpy");
  if (!position && !orientation) section.fail("needs 'position', 'orientation' or both");
  if (const auto tolerance = section.find("tolerance")) {
    tolerance->only({"position", "angle"});
    const auto size = tolerance->find("position");
    const auto angle = tolerance->find("angle");
    if (size && !position) size->fail("goes with 'position', which is not given");
    if (angle && !orientation) angle->fail("goes with 'orientation', which is not given");
    if (size) target.position_tolerance = size->positive();
    if (angle) target.angle_tolerance = angle->positive();
  }
  if (!position) target.position_tolerance = kFree;
  if (!orientation) target.angle_tolerance = kFree;
}

/// A pose of a frame on a link, given in any frame that is known at the start.
PoseTarget poseTarget(const Value& section, const Frames& frames, const RobotModel& robot) {
  section.only({"link", "frame", "position", "orientation", "rpy", "offset", "tolerance"});
  PoseTarget target;
  target.link = readLink(section.need("link"), robot);
  readTolerances(section, target);
  // P is the target of the frame on the link, F the frame in which the file gives it.
  Pose X_FP;
  if (const auto position = section.find("position")) X_FP.p = readPoint(*position);
  const auto orientation = section.find("orientation");
  const auto rpy = section.find("rpy");
  if (orientation && rpy) section.failAtKey("rpy", "give 'orientation' or 'rpy', not both");
  if (orientation) X_FP.R = readOrientation(*orientation);
  if (rpy) X_FP.R = rotationFromRpy(rpy->numbers(3, "[roll, pitch, yaw]"));
  const auto frame = section.find("frame");
  target.X_WP = frame ? frames.find(*frame) * X_FP : X_FP;
  if (const auto offset = section.find("offset")) target.X_LP = readPose(*offset);
  return target;
}

Target readTarget(const Value& section, const Frames& frames, Problem& problem) {
  const std::string kind = section.oneOf({"joint_constraints", "group_state", "pose"});
  const Value value = section.need(kind);
  if (kind == "pose") return poseTarget(value, frames, *problem.robot);
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
  if (const auto tolerance = section.find("tolerance")) keep.tolerance = tolerance->positive();
  const Vec3 at_start = frames.link(keep.link).R * keep.axis_L;
  const auto direction = section.find("direction");
  keep.direction_W = direction ? readDirection(*direction) : at_start.normalized();
  // The angle from sine and cosine: exact also where it is small, as acos would not be.
  const double angle =
      std::atan2(at_start.cross(keep.direction_W).norm(), at_start.dot(keep.direction_W));
  if (angle > keep.tolerance) {
    section.fail("the start is " + std::to_string(angle) + " rad away from this direction");
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
    section.fail("the start is " + std::to_string(outside) + " m outside this box");
  }
  return keep;
}

}  // namespace

void readGoal(const Value& task, const Frames& frames, Problem& problem) {
  const Value section = task.need("goal");
  section.only({"joint_constraints", "group_state", "pose", "velocity", "acceleration"});
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
    if (section.oneOf({"keep_axis", "box"}) == "keep_axis") {
      problem.path_constraints.emplace_back(readKeepAxis(section, frames, *problem.robot));
    } else {
      problem.path_constraints.emplace_back(readKeepInBox(section, frames, *problem.robot));
    }
  }
}

}  // namespace allclear
