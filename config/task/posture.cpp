// Goals by poses and directions: one, or several at once with the reference posture that they are
// to stay near.
#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/units.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();

/// Weights of a reference posture: joints that the task names count more than those that follow
/// from a group state or the start.
constexpr double kWeight = 1.0;
constexpr double kWeightOfNamed = 10.0;

/// A number > 0, or `.inf`, which leaves free what it is about. (JSON writes it as Infinity.)
double readTolerance(const Value& value) {
  if (!value.isNumber() && value.isScalar()) {
    const std::string text = value.textOrEmpty();
    for (const char* word : {".inf", ".Inf", ".INF", "inf", "Infinity"}) {
      if (text == word) return kFree;
    }
  }
  return value.positive();
}

/// One tolerance for all three axes together, or a list of one for each.
void readAxes(const Value& value, bool is_angle, double& together, AxisBounds& axes) {
  const auto toleranceOf = [&](const Value& one) {
    const double tolerance = readTolerance(one);
    return is_angle && std::isfinite(tolerance) ? readAngle(one) : tolerance;
  };
  if (!value.isList()) {
    together = toleranceOf(value);
    return;
  }
  if (value.size() != 3) value.fail("must be a number or a list of three, one for each axis");
  together = kFree;
  for (int k = 0; k < 3; ++k) {
    axes.most[k] = toleranceOf(value.at(static_cast<std::size_t>(k)));
    axes.is_free[static_cast<std::size_t>(k)] = std::isinf(axes.most[k]);
  }
}

/// `free: [x, rz]`: the axes along and about which the pose may be anywhere.
void readFree(const Value& section, bool position, bool orientation, PoseTarget& target) {
  const auto free = section.find("free");
  if (!free) return;
  const std::vector<std::string> known{"x", "y", "z", "rx", "ry", "rz"};
  // A turn has two letters; the last one of either is its axis.
  const auto add = [&](const Value& item) {
    const std::string word = item.word(known);
    const bool is_turn = word.size() == 2;
    const char* whole = is_turn ? "orientation" : "position";
    if (!(is_turn ? orientation : position)) {
      item.fail("goes with '" + std::string(whole) + "', which is not given and so free");
    }
    AxisBounds& axes = is_turn ? target.angle_axes : target.position_axes;
    axes.is_free[static_cast<std::size_t>(word.back() - 'x')] = true;
  };
  if (free->isScalar()) return add(*free);
  for (const Value& item : free->items()) add(item);
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
    if (size) readAxes(*size, false, target.position_tolerance, target.position_axes);
    if (angle) readAxes(*angle, true, target.angle_tolerance, target.angle_axes);
  }
  if (!position) target.position_tolerance = kFree;
  if (!orientation) target.angle_tolerance = kFree;
  readFree(section, position, orientation, target);
  if (target.angle_axes.freeCount() == 2) {
    section.fail(
        "leaves the turns about two axes free and not that about the third: free one, or leave "
        "the orientation out");
  }
  if (target.hasFreePosition() && target.hasFreeAngle()) {
    section.fail("leaves both position and orientation free");
  }
}

}  // namespace

/// A pose of a frame on a link, given in any frame that is known at the start.
PoseTarget readPoseTarget(const Value& section, const Frames& frames, const RobotModel& robot) {
  section.only({"link", "frame", "position", "orientation", "rpy", "offset", "tolerance", "free"});
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
  if (rpy) X_FP.R = rotationFromRpy(readRpy(*rpy));
  const auto frame = section.find("frame");
  target.X_WP = frame ? frames.find(*frame) * X_FP : X_FP;
  if (const auto offset = section.find("offset")) target.X_LP = readPose(*offset);
  return target;
}

namespace {

/// Where an object stands: the origin of its frame.
Vec3 placeOfObject(const Value& name, const Problem& problem) {
  std::vector<std::string> known;
  for (const Obstacle& obstacle : problem.obstacles) {
    known.push_back(obstacle.id);
    if (obstacle.id != name.text()) continue;
    if (obstacle.moves()) name.fail("moves or bends: give a 'point' to look at");
    return obstacle.X_WO.p;
  }
  name.fail("the scene has no such object" + insteadOf(name.text(), known));
}

}  // namespace

LookAtTarget readLookAt(const Value& section, const Frames& frames, const Problem& problem) {
  section.only({"link", "axis", "offset", "point", "object", "frame", "tolerance"});
  // The axis begins at the offset's origin and is given in its frame.
  LookAtTarget look;
  look.link = readLink(section.need("link"), *problem.robot);
  const auto offset = section.find("offset");
  const Pose X_LP = offset ? readPose(*offset) : Pose();
  look.p_L = X_LP.p;
  look.axis_L = (X_LP.R * readDirection(section.need("axis"))).normalized();
  const auto frame = section.find("frame");
  if (section.oneOf({"point", "object"}) == "object") {
    if (frame) frame->fail("goes with 'point'");
    look.point_W = placeOfObject(section.need("object"), problem);
  } else {
    const Vec3 point = readPoint(section.need("point"));
    look.point_W = frame ? frames.find(*frame) * point : point;
  }
  if (const auto tolerance = section.find("tolerance")) look.tolerance = tolerance->positive();
  return look;
}

namespace {

/// Puts values into the reference. Joints that are not planned do not move: only a task that names
/// one itself is told so.
void setReference(const JointValues& values, bool are_named, Problem& problem,
                  PostureTarget& target) {
  for (const auto& [c, given] : values) {
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    const auto at = std::lower_bound(problem.planned.begin(), problem.planned.end(), c);
    if (at == problem.planned.end() || *at != c) {
      if (are_named) given.where.fail("joint '" + coordinate.name + "' is not planned");
      continue;
    }
    const auto k = at - problem.planned.begin();
    target.reference.values[k] = insideLimits(given, coordinate, problem.warnings);
    if (are_named) target.weights[k] = kWeightOfNamed;
  }
}

/// `reference`: the name of a group state, or a group state and joints as a start has them. What it
/// leaves out is taken from the start.
void readReference(const Value& section, Problem& problem, PostureTarget& target) {
  const auto reference = section.find("reference");
  if (!reference) return;
  const RobotModel& robot = *problem.robot;
  if (reference->isScalar()) {
    setReference(readGroupState(*reference, problem.group, robot), false, problem, target);
    return;
  }
  if (const auto state = reference->find("group_state")) {
    setReference(readGroupState(*state, problem.group, robot), false, problem, target);
  }
  setReference(readJointMap(*reference, robot, {"group_state"}, problem.warnings), true, problem,
               target);
}

}  // namespace

PostureTarget readPostureTarget(const Value& section, const Frames& frames, Problem& problem) {
  // Near the start, all joints alike, unless a reference says otherwise.
  PostureTarget target;
  target.reference = {problem.planned, problem.plannedPart(problem.start)};
  target.weights = VecX::Constant(problem.plannedCount(), kWeight);
  if (const auto look = section.find("look_at")) {
    target.looks.push_back(readLookAt(*look, frames, problem));
  }
  if (const auto poses = section.find("poses")) {
    for (const Value& pose : poses->items()) {
      if (pose.isMap() && pose.has("look_at")) {
        const Value look = pose.only({"look_at"}).need("look_at");
        target.looks.push_back(readLookAt(look, frames, problem));
      } else {
        target.poses.push_back(readPoseTarget(pose, frames, *problem.robot));
      }
    }
  }
  readReference(section, problem, target);
  return target;
}

}  // namespace allclear
