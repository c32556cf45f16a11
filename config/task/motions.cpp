// Poses that are held along the path, and lines that a tool follows.
//
// Everything is taken relative to where the start has the robot: `start` is the pose there, a line
// begins there, and what the start breaks is refused here, at its line.
#include <limits>

#include "allclear/config/task/sections.h"
#include "allclear/config/values/pose.h"
#include "allclear/core/formatted.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/problem/pose_error.h"

namespace allclear {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();

/// A line shorter than this [m], with less of a turn [rad], leads nowhere: a slip of the task.
constexpr double kNoWay = 1e-9;

/// A positive number, or `free`.
double readTolerance(const Value& value) {
  return value.isNumber() || value.textOrEmpty() != "free" ? value.positive() : kFree;
}

/// `orientation: [x, y, z, w]` or `rpy: [roll, pitch, yaw]`, if there is one.
std::optional<Mat3> findOrientation(const Value& section) {
  const auto orientation = section.find("orientation");
  const auto rpy = section.find("rpy");
  if (orientation && rpy) section.failAtKey("rpy", "give 'orientation' or 'rpy', not both");
  if (orientation) return readOrientation(*orientation);
  if (rpy) return rotationFromRpy(rpy->numbers(3, "[roll, pitch, yaw]"));
  return std::nullopt;
}

Pose readOffset(const Value& section) {
  const auto offset = section.find("offset");
  return offset ? readPose(*offset) : Pose();
}

/// One point of a line, from the pose before it: `[x, y, z]`, or a map of a position or the way
/// `by` and an orientation; what is left out stays as it was.
Pose readStop(const Value& value, const Pose& X_WF, const Pose& before) {
  Pose X_WP = before;
  if (value.isList()) {
    X_WP.p = X_WF * readPoint(value);
    return X_WP;
  }
  // `by` goes along the frame's axes, `position` from its origin.
  const auto position = value.find("position");
  const auto by = value.find("by");
  if (position && by) value.failAtKey("by", "give 'position' or 'by', not both");
  if (position) X_WP.p = X_WF * readPoint(*position);
  if (by) X_WP.p = before.p + X_WF.R * readPoint(*by);
  const auto R_FP = findOrientation(value);
  if (R_FP) X_WP.R = X_WF.R * *R_FP;
  if (!position && !by && !R_FP) value.fail("needs 'position', 'by', 'orientation' or 'rpy'");
  return X_WP;
}

void readLineTolerance(const Value& section, KeepOnLine& line) {
  const auto tolerance = section.find("tolerance");
  if (!tolerance) return;
  tolerance->only({"position", "angle"});
  if (const auto size = tolerance->find("position")) line.position_tolerance = size->positive();
  if (const auto angle = tolerance->find("angle")) line.angle_tolerance = readTolerance(*angle);
}

}  // namespace

KeepOnLine readLine(const Value& section, const Value& way, const Frames& frames,
                    const RobotModel& robot) {
  KeepOnLine line;
  line.link = readLink(section.need("link"), robot);
  line.X_LP = readOffset(section);
  line.X_WA = frames.link(line.link) * line.X_LP;
  readLineTolerance(section, line);
  Pose X_WF;
  if (const auto name = way.find("frame")) {
    X_WF = name->textOrEmpty() == "tool" ? line.X_WA : frames.find(*name);
  }
  // One stop, or a list of them.
  std::vector<Pose> stops{line.X_WA};
  if (const auto points = way.find("points")) {
    for (const char* other : {"position", "by", "orientation", "rpy"}) {
      if (way.has(other)) way.failAtKey(other, "goes without 'points'");
    }
    for (const Value& point : points->items()) {
      if (point.isMap()) point.only({"position", "by", "orientation", "rpy"});
      stops.push_back(readStop(point, X_WF, stops.back()));
    }
    if (stops.size() < 2) points->fail("needs one point or more");
  } else {
    stops.push_back(readStop(way, X_WF, line.X_WA));
  }
  line.stretches = stretchesBetween(stops);
  for (std::size_t i = 0; i < line.stretches.size(); ++i) {
    const KeepOnLine::Stretch& stretch = line.stretches[i];
    if (stretch.way_W.norm() > kNoWay || stretch.turn_W.norm() > kNoWay) continue;
    const std::string which = way.has("points") ? "point " + std::to_string(i + 1) : "the end";
    way.fail(which + " is where the tool is already: a line needs a way or a turn");
  }
  return line;
}

namespace {

bool isStart(const Value& value) { return value.isScalar() && value.textOrEmpty() == "start"; }

/// Puts the values of `pose`, `position` or `orientation` in the place of those at the start.
void readHeldAt(const Value& section, const std::string& kind, const Pose& X_AF, KeepPose& keep) {
  const Value value = section.need(kind);
  if (isStart(value)) return;
  if (kind == "position") {
    keep.X_AP.p = X_AF * readPoint(value);
  } else if (kind == "orientation") {
    keep.X_AP.R = X_AF.R * readOrientation(value);
  } else {
    if (!value.isMap()) value.fail("expected 'start' or a pose");
    keep.X_AP = X_AF * readPose(value);
  }
}

void readHeldTolerances(const Value& section, const std::string& kind, KeepPose& keep) {
  if (kind == "position") keep.angle_tolerance = kFree;
  if (kind == "orientation") keep.position_tolerance = kFree;
  const auto tolerance = section.find("tolerance");
  if (!tolerance) return;
  if (tolerance->isScalar() && kind != "pose") {
    (kind == "position" ? keep.position_tolerance : keep.angle_tolerance) = tolerance->positive();
    return;
  }
  // A tolerance of what is free anyway would be ignored: refuse it.
  tolerance->only({"position", "angle"});
  const auto size = tolerance->find("position");
  const auto angle = tolerance->find("angle");
  if (size && kind == "orientation") size->fail("goes with 'pose' or 'position'");
  if (angle && kind == "position") angle->fail("goes with 'pose' or 'orientation'");
  if (size) keep.position_tolerance = readTolerance(*size);
  if (angle) keep.angle_tolerance = readTolerance(*angle);
  if (std::isinf(keep.position_tolerance) && std::isinf(keep.angle_tolerance)) {
    tolerance->fail("leaves both position and orientation free");
  }
}

/// The start may be off by the tolerances: by how much it is beyond them is said.
void requireHeldAtStart(const Value& section, const KeepPose& keep, const Pose& X_AP) {
  const double off = (X_AP.p - keep.X_AP.p).norm();
  const double turn = rotationVector(keep.X_AP.R.transpose() * X_AP.R).norm();
  if (!(off <= keep.position_tolerance)) {
    section.fail("the start is " + formatted("%.6f", off) + " m from this position, beyond " +
                 formatted("%g", keep.position_tolerance));
  }
  if (!(turn <= keep.angle_tolerance)) {
    section.fail("the start is " + formatted("%.6f", turn) +
                 " rad away from this orientation, beyond " +
                 formatted("%g", keep.angle_tolerance));
  }
}

}  // namespace

KeepPose readKeepPose(const Value& section, const std::string& kind, const Frames& frames,
                      const RobotModel& robot) {
  section.only({"link", "offset", "relative_to", "frame", kind, "tolerance"});
  KeepPose keep;
  keep.link = readLink(section.need("link"), robot);
  keep.X_LP = readOffset(section);
  Pose X_WA, X_AF;
  if (const auto other = section.find("relative_to")) {
    keep.relative_to = readLink(*other, robot);
    if (keep.relative_to == keep.link) other->fail("is the link itself");
    if (section.has("frame")) section.failAtKey("frame", "goes without 'relative_to'");
    X_WA = frames.link(keep.relative_to);
  } else if (const auto frame = section.find("frame")) {
    X_AF = frames.find(*frame);
  }
  // Where the start has it: what is held, unless the task says otherwise.
  const Pose X_AP = X_WA.inverse() * frames.link(keep.link) * keep.X_LP;
  keep.X_AP = X_AP;
  readHeldAt(section, kind, X_AF, keep);
  readHeldTolerances(section, kind, keep);
  requireHeldAtStart(section, keep, X_AP);
  return keep;
}

}  // namespace allclear
