#include "allclear/config/values/units.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/config/values/robot_names.h"
#include "allclear/core/formatted.h"
#include "allclear/distance/support.h"

namespace allclear {
namespace {

/// An arm reaches a metre or two: what is so far away [m] is not meant, and so is a thing of that
/// size that is nowhere thinner than a metre (a floor may be as long).
constexpr double kFar = 100.0;
constexpr double kThick = 1.0;
/// A box that is thicker than this in every direction [m] is a house.
constexpr double kHouse = 10.0;
/// No link is so long [m] but for those of a crane; one of 0.05 m in millimetres is.
constexpr double kLongLink = 50.0;
constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kMillisecond = 1e-3;
constexpr int kInstants = 50;  // of a trajectory, to look at

/// Least and greatest extent along the axes of its own frame; of a plane, none.
Interval extentOf(const Geometry& geometry) {
  if (std::holds_alternative<HalfSpace>(geometry.shape)) return {0.0, 0.0};
  Interval extent{std::numeric_limits<double>::infinity(), 0.0};
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = Vec3::Unit(i);
    const double width = axis.dot(support(geometry.shape, axis) - support(geometry.shape, -axis));
    extent = {std::min(extent.lower, width), std::max(extent.upper, width)};
  }
  return extent;
}

/// With the digits that a message needs.
std::string metres(double value) { return formatted("%.4g m", value); }

}  // namespace

double readAngle(const Value& value) {
  const double angle = value.positive();
  if (angle > std::numbers::pi) {
    value.fail("is more than half a turn, which allows everything; degrees? " +
               formatted("%.4g° is %.4g rad", angle, angle * kDegree));
  }
  return angle;
}

void warnOfUnits(const Value& object, const std::vector<Geometry>& geometry, const Pose& X_WO,
                 std::vector<std::string>& warnings) {
  const std::string place = placeOf(object);
  for (const Geometry& part : geometry) {
    const Interval extent = extentOf(part);
    const bool is_large =
        extent.lower >= kHouse || (extent.upper >= kFar && extent.lower >= kThick);
    if (!is_large) continue;
    const bool is_file = object.has("file");
    warnings.push_back(place + (is_file ? ".scale" : ".dimensions") + ": is " +
                       metres(extent.lower) + " to " + metres(extent.upper) + " wide: " +
                       (is_file ? "millimetres need the scale 0.001" : "dimensions in metres?"));
    break;
  }
  // Far away it is in nobody's way, which the author did not mean either.
  const double away = X_WO.p.cwiseAbs().maxCoeff();
  if (away >= kFar) {
    warnings.push_back(place + ".pose.position: is " + metres(away) +
                       " away, where no arm reaches: position in metres?");
  }
  const auto offset = object.find("offset");
  if (offset && offset->isNumber() && std::abs(offset->number()) >= kFar) {
    warnings.push_back(placeOf(*offset) + ": is " + metres(std::abs(offset->number())) +
                       " away, where no arm reaches: offset in metres?");
  }
}

void warnOfRobotUnits(const RobotModel& robot, std::vector<std::string>& warnings) {
  double longest = kLongLink;
  std::string name;
  for (const Link& link : robot.links()) {
    for (const Geometry& part : link.collision) {
      const double length = extentOf(part).upper;
      if (!(length >= longest)) continue;
      longest = length;
      name = link.name;
    }
  }
  if (name.empty()) return;
  warnings.push_back("link '" + name + "' is " + metres(longest) +
                     " long: metres? Lengths in a URDF are metres; a mesh in millimetres needs "
                     "scale=\"0.001 0.001 0.001\"");
}

std::vector<std::string> unitWarnings(const NamedTrajectory& trajectory, const Problem& problem) {
  std::vector<std::string> warnings;
  const Trajectory& curve = trajectory.trajectory;
  const PlannedLimits limits = plannedLimits(problem);
  // Degrees: some angle is beyond its limits, and none would be if all were degrees.
  std::string beyond;
  double most = 2.0 * std::numbers::pi;  // nobody's limits are so wide by chance
  bool may_be_degrees = curve.dimension() == problem.plannedCount();
  for (int k = 0; may_be_degrees && k < curve.dimension(); ++k) {
    const Coordinate& coordinate = problem.robot->coordinates()[problem.planned[k]];
    if (!coordinate.is_angle) continue;
    for (int i = 0; i <= kInstants; ++i) {
      const double q = curve.value(curve.duration() * i / kInstants)[k];
      const double radians = q * kDegree;
      if (radians < limits.lower[k] || radians > limits.upper[k]) may_be_degrees = false;
      const bool is_beyond = q < limits.lower[k] || q > limits.upper[k];
      if (!is_beyond || std::abs(q) <= most) continue;
      most = std::abs(q);
      beyond = "joint '" + coordinate.name + "' reaches " + formatted("%.4g", q);
    }
  }
  if (may_be_degrees && !beyond.empty()) {
    warnings.push_back(beyond + ": degrees? positions are in radians");
  }
  const double duration = curve.duration();
  const DurationBounds& bounds = problem.duration;
  if (duration > bounds.max && duration * kMillisecond <= bounds.max) {
    warnings.push_back("the trajectory takes " + formatted("%.6g", duration) +
                       " s: milliseconds? times are in seconds");
  }
  return warnings;
}

}  // namespace allclear
