// Goals by poses: one, or several at once with the reference posture that they are to stay near.
#include <algorithm>
#include <limits>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/pose.h"
#include "allclear/config/values/units.h"

namespace allclear {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();

/// Weights of a reference posture: joints that the task names count more than those that follow
/// from a group state or the start.
constexpr double kWeight = 1.0;
constexpr double kWeightOfNamed = 10.0;

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
    if (angle) target.angle_tolerance = readAngle(*angle);
  }
  if (!position) target.position_tolerance = kFree;
  if (!orientation) target.angle_tolerance = kFree;
}

}  // namespace

/// A pose of a frame on a link, given in any frame that is known at the start.
PoseTarget readPoseTarget(const Value& section, const Frames& frames, const RobotModel& robot) {
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
  if (rpy) X_FP.R = rotationFromRpy(readRpy(*rpy));
  const auto frame = section.find("frame");
  target.X_WP = frame ? frames.find(*frame) * X_FP : X_FP;
  if (const auto offset = section.find("offset")) target.X_LP = readPose(*offset);
  return target;
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
  PostureTarget target;
  target.reference = {problem.planned, problem.plannedPart(problem.start)};
  target.weights = VecX::Constant(problem.plannedCount(), kWeight);
  for (const Value& pose : section.need("poses").items()) {
    target.poses.push_back(readPoseTarget(pose, frames, *problem.robot));
  }
  readReference(section, problem, target);
  return target;
}

}  // namespace allclear
