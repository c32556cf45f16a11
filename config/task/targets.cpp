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

/// What a joint value beyond its limits means: an error, or that the planner leaves the target out,
/// as one of several.
enum class Beyond { kIsAnError, kIsLeftOut };

/// The target of some joint values. A joint that is not planned may be named if it is there
/// already; otherwise the target could never be reached.
JointTarget jointTarget(const JointValues& values, Problem& problem, Beyond beyond) {
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
    numbers.push_back(beyond == Beyond::kIsLeftOut
                          ? insideLimitsOrBeyond(given, coordinate, problem.warnings)
                          : insideLimits(given, coordinate, problem.warnings));
  }
  target.values = VecX::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  return target;
}

/// Numbers in a list mean the planned joints in the robot's order: a task that names its joints in
/// another one is not taken at its word, as it would be misread.
JointValues readPlannedList(const Value& list, const Value& task, const Problem& problem) {
  const auto names = task.find("joints");
  std::string order;
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    const std::string& name = problem.robot->coordinates()[problem.planned[i]].name;
    order += (order.empty() ? "" : ", ") + name;
  }
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    if (names->at(i).text() == problem.robot->coordinates()[problem.planned[i]].name) continue;
    list.fail("a list of values is in the robot's order of the planned joints (" + order +
              "), which is not that of 'joints': write 'joints' in this order, or name the values");
  }
  return readJointList(list, problem.planned, *problem.robot);
}

const std::vector<std::string> kTargetKinds{
    "joint_constraints", "joints", "group_state", "pose", "poses", "look_at"};

SingleTarget readTarget(const Value& section, const Value& task, const Frames& frames,
                        Problem& problem, Beyond beyond = Beyond::kIsAnError) {
  if (section.isList()) {
    return jointTarget(readPlannedList(section, task, problem), problem, beyond);
  }
  // One key says of which kind it is; what else may stand beside it the callers have checked.
  const std::string kind = section.oneOf(kTargetKinds);
  const Value value = section.need(kind);
  if (kind == "pose") return readPoseTarget(value, frames, *problem.robot);
  if (kind == "poses" || kind == "look_at") return readPostureTarget(section, frames, problem);
  if (kind == "joints") {
    return jointTarget(readPlannedList(value, task, problem), problem, beyond);
  }
  if (kind == "group_state") {
    return jointTarget(readGroupState(value, problem.group, *problem.robot), problem, beyond);
  }
  JointTarget target =
      jointTarget(readJointMap(value, *problem.robot, {}, problem.warnings), problem, beyond);
  if (target.coordinates.empty()) value.fail("names no joint");
  return target;
}

/// Completes a goal: joints that it does not name stay at their start.
void completeFromStart(SingleTarget& goal, const Problem& problem) {
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

/// A goal, or one of several.
SingleTarget readSingleGoal(const Value& section, const Value& task, const Frames& frames,
                            Problem& problem, Beyond beyond) {
  if (section.isMap() && section.has("reference") && !section.has("poses") &&
      !section.has("look_at")) {
    section.failAtKey("reference", "goes with 'poses' or 'look_at'");
  }
  SingleTarget goal = readTarget(section, task, frames, problem, beyond);
  completeFromStart(goal, problem);
  return goal;
}

std::vector<std::string> with(std::vector<std::string> keys, std::vector<std::string> more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// `any_of: [GOAL, ..]`, each of any kind.
AnyTarget readAlternatives(const Value& list, const Value& task, const Frames& frames,
                           Problem& problem) {
  // Names tell alternatives apart in messages, so no two may share one.
  AnyTarget any;
  for (const Value& section : list.items()) {
    GoalAlternative alternative;
    if (section.isMap()) {
      if (section.has("linear")) {
        section.failAtKey(
            "linear",
            "cannot be one of several goals: give each line a task of its own, or name "
            "poses here (pose)");
      }
      section.only(with(kTargetKinds, {"reference", "name"}));
      if (const auto name = section.find("name")) alternative.name = name->text();
    }
    for (const GoalAlternative& other : any.alternatives) {
      if (alternative.name.empty() || other.name != alternative.name) continue;
      section.failAtKey("name", "is that of another alternative");
    }
    alternative.target = readSingleGoal(section, task, frames, problem, Beyond::kIsLeftOut);
    any.alternatives.push_back(std::move(alternative));
  }
  if (any.alternatives.empty()) list.fail("must have at least one goal");
  return any;
}

}  // namespace

void readGoal(const Value& task, const Frames& frames, Problem& problem) {
  const Value section = task.need("goal");
  if (section.isMap()) {
    section.only(with(kTargetKinds, {"linear", "any_of", "reference", "velocity", "acceleration"}));
    const std::string kind = section.oneOf(with(kTargetKinds, {"linear", "any_of"}));
    if (kind == "any_of") {
      if (section.has("reference")) section.failAtKey("reference", "goes into the alternatives");
      problem.goal = readAlternatives(section.need("any_of"), task, frames, problem);
      return;
    }
    // A line makes the goal, and the first path constraint.
    if (kind == "linear") {
      if (section.has("reference")) section.failAtKey("reference", "goes with 'poses'");
      const Value linear = section.need(kind);
      linear.only({"link", "frame", "position", "orientation", "rpy", "by", "points", "offset",
                   "tolerance"});
      goAlong(problem, readLine(linear, linear, frames, *problem.robot));
      return;
    }
  }
  const SingleTarget goal = readSingleGoal(section, task, frames, problem, Beyond::kIsAnError);
  std::visit([&](const auto& of_kind) { problem.goal = of_kind; }, goal);
}

void readWaypoints(const Value& task, const Frames& frames, Problem& problem) {
  const auto list = task.find("waypoints");
  if (!list) return;
  for (const Value& section : list->items()) {
    if (section.isMap()) section.only(with(kTargetKinds, {"time"}));
    Waypoint waypoint;
    std::visit([&](const auto& of_kind) { waypoint.target = of_kind; },
               readTarget(section, task, frames, problem));
    const auto time = section.isMap() ? section.find("time") : std::nullopt;
    if (time) waypoint.time = time->positive();
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
