#include "allclear/config/values/robot_names.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "allclear/config/values/pose.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/joint_coordinates.h"

// Names of links and joints in files, looked up in the robot; and values that belong to joints.
//
// A joint is not always a coordinate: a fixed joint has none, a floating one six, and a mimic joint
// shares the coordinate of another. Each of these gets an error of its own that says what to write
// instead.
namespace allclear {
namespace {

std::string shown(double value) { return formatted("%.9g", value); }

/// A mimic joint's value agrees with the joint that it follows when they are this close [rad or m]:
/// states that were measured or printed with three decimals agree.
constexpr double kMimicTolerance = 1e-3;

struct MimicValue {
  int joint;
  JointValue given;
};

/// Sorts named values into coordinates and mimic joints. Fixed joints are ignored if they are
/// allowed.
class JointValueReader {
 public:
  JointValueReader(const RobotModel& robot, bool fixed_allowed)
      : robot_(robot), fixed_allowed_(fixed_allowed) {}

  void add(const std::string& name, const Value& value) {
    const int joint = robot_.findJoint(name);
    if (joint >= 0 && robot_.joints()[joint].mimic) {
      mimics_.push_back({joint, {value.number(), value}});
      return;
    }
    if (fixed_allowed_ && joint >= 0 && robot_.joints()[joint].type == JointType::kFixed) return;
    if (value.isList() && joint >= 0 && robot_.joints()[joint].first_coordinate >= 0) {
      return addWholeJoint(robot_.joints()[joint], value);
    }
    addOne(coordinateIndex(name, value, robot_), name, value.number(), value);
  }

  /// `[x, y, angle]` of a planar joint; `[x, y, z, roll, pitch, yaw]` of a floating one, or, as
  /// MoveIt and pinocchio write it, `[x, y, z, qx, qy, qz, qw]`.
  void addWholeJoint(const Joint& joint, const Value& value) {
    VecX numbers;
    if (joint.type == JointType::kFloating && value.size() == 7) {
      numbers = value.numbers();
      const auto q = numbers.tail<4>();
      if (!rotationFromQuaternion(q[0], q[1], q[2], q[3])) {
        value.fail("the quaternion of [x, y, z, qx, qy, qz, qw] must have length 1, not " +
                   shown(q.norm()));
      }
      numbers = floatingCoordinates(numbers);
    } else if (joint.type == JointType::kFloating) {
      numbers = value.numbers(6, "[x, y, z, roll, pitch, yaw] or [x, y, z, qx, qy, qz, qw]");
    } else if (joint.type == JointType::kPlanar) {
      numbers = value.numbers(3, "[x, y, angle]");
    } else {
      value.fail("joint '" + joint.name + "' has one value, not a list");
    }
    for (int i = 0; i < numbers.size(); ++i) {
      const int c = joint.first_coordinate + i;
      addOne(c, robot_.coordinates()[c].name, numbers[i], value);
    }
  }

  void addOne(int coordinate, const std::string& name, double number, const Value& where) {
    if (!values_.emplace(coordinate, JointValue{number, where}).second) {
      where.fail("joint '" + name + "' is given twice");
    }
  }

  /// The values of the coordinates. Mimic joints come last, when the joints that they follow are
  /// known; one whose leader has no value agrees with nothing (NaN) and gets a warning too.
  JointValues finish(std::vector<std::string>& warnings) {
    // A difference is a warning, not an error: recorded states hold what the sensors of both joints
    // said.
    for (const MimicValue& mimic : mimics_) {
      const Joint& joint = robot_.joints()[mimic.joint];
      const auto leader = values_.find(joint.mimic->coordinate);
      const std::string& leader_name = robot_.coordinates()[joint.mimic->coordinate].name;
      const double expected =
          leader == values_.end()
              ? std::nan("")
              : joint.mimic->multiplier * leader->second.value + joint.mimic->offset;
      if (std::abs(mimic.given.value - expected) <= kMimicTolerance) continue;
      warnings.push_back(placeOf(mimic.given.where) + ": joint '" + joint.name +
                         "' follows joint '" + leader_name + "'; its own value is left out");
    }
    return std::move(values_);
  }

 private:
  const RobotModel& robot_;
  bool fixed_allowed_;
  JointValues values_;
  std::vector<MimicValue> mimics_;
};

/// A hint for an angle that means something in degrees alone: more than a turn in radians, and
/// inside the limits once it is taken for degrees. Empty for all others.
std::string degreesHint(double value, const Coordinate& coordinate) {
  const double radians = value * std::numbers::pi / 180.0;
  const bool is_inside = coordinate.lower <= radians && radians <= coordinate.upper;
  if (!coordinate.is_angle || std::abs(value) <= 2.0 * std::numbers::pi || !is_inside) return "";
  return formatted("; degrees? %.4g° is %.3g rad", value, radians);
}

}  // namespace

std::string placeOf(const Value& value) {
  return value.file() + ":" + std::to_string(value.line()) +
         (value.path().empty() ? "" : ": " + value.path());
}

std::vector<std::string> linkNames(const RobotModel& robot) {
  std::vector<std::string> names;
  for (const Link& link : robot.links()) names.push_back(link.name);
  return names;
}

std::vector<std::string> coordinateNames(const RobotModel& robot) {
  std::vector<std::string> names;
  for (const Coordinate& coordinate : robot.coordinates()) names.push_back(coordinate.name);
  return names;
}

int readLink(const Value& name, const RobotModel& robot) {
  const int link = robot.findLink(name.text());
  if (link < 0) {
    name.fail("the robot has no such link" + insteadOf(name.text(), linkNames(robot)));
  }
  return link;
}

std::vector<int> readLinks(const Value& names, const RobotModel& robot) {
  std::vector<int> links;
  for (const Value& name : names.items()) {
    const int link = readLink(name, robot);
    if (std::find(links.begin(), links.end(), link) != links.end()) name.fail("is given twice");
    links.push_back(link);
  }
  return links;
}

int coordinateIndex(const std::string& name, const Value& where, const RobotModel& robot) {
  const int c = robot.findCoordinate(name);
  if (c >= 0) return c;
  // No coordinate of that name: say why the joint, if there is one, has none.
  const int joint = robot.findJoint(name);
  if (joint < 0) {
    where.fail("the robot has no joint '" + name + "'" + insteadOf(name, coordinateNames(robot)));
  }
  const Joint& found = robot.joints()[joint];
  if (found.mimic) {
    where.fail("joint '" + name + "' follows joint '" +
               robot.coordinates()[found.mimic->coordinate].name + "': name that one");
  }
  if (found.first_coordinate >= 0) {
    where.fail("joint '" + name + "' has several coordinates: name them, as '" +
               robot.coordinates()[found.first_coordinate].name +
               "', or give all as a list where values are read");
  }
  where.fail("joint '" + name + "' is fixed");
}

JointValues readJointMap(const Value& map, const RobotModel& robot,
                         const std::vector<std::string>& reserved,
                         std::vector<std::string>& warnings) {
  JointValueReader reader(robot, false);
  if (!map.isMap()) map.fail("must be a map of values by joint name, {joint: value, ..}");
  for (const Value::Entry& entry : map.entries()) {
    if (std::find(reserved.begin(), reserved.end(), entry.key) != reserved.end()) continue;
    reader.add(entry.key, entry.value);
  }
  return reader.finish(warnings);
}

/// Names and positions are parallel lists; other lists of the message do not matter here.
JointValues readJointState(const Value& message, const RobotModel& robot,
                           std::vector<std::string>& warnings) {
  message.only({"header", "name", "position", "velocity", "effort"});
  JointValueReader reader(robot, true);
  const auto names = message.find("name");
  if (!names) return reader.finish(warnings);
  const Value positions = message.need("position");
  if (positions.size() != names->size()) {
    positions.fail("has " + std::to_string(positions.size()) + " entries for " +
                   std::to_string(names->size()) + " names");
  }
  for (std::size_t i = 0; i < names->size(); ++i) reader.add(names->at(i).text(), positions.at(i));
  return reader.finish(warnings);
}

JointValues readJointList(const Value& list, const std::vector<int>& planned,
                          const RobotModel& robot) {
  const std::vector<Value> items = list.items();
  // The names show which joint was forgotten, and in which order the values count.
  if (items.size() != planned.size()) {
    std::string names;
    for (int c : planned) names += (names.empty() ? "" : ", ") + robot.coordinates()[c].name;
    list.fail("has " + std::to_string(items.size()) + " values for " +
              std::to_string(planned.size()) +
              " planned joints; they are, in this order: " + names);
  }
  JointValues values;
  for (std::size_t i = 0; i < items.size(); ++i) {
    values.emplace(planned[i], JointValue{items[i].number(), items[i]});
  }
  return values;
}

JointValues readGroupState(const Value& name, const std::string& group, const RobotModel& robot) {
  const GroupState* found = nullptr;
  std::vector<std::string> known;
  for (const GroupState& state : robot.groupStates()) {
    known.push_back(state.name);
    if (state.name != name.text()) continue;
    // Several groups may have a state of this name: that of the planned group, else the first.
    if (found == nullptr || state.group == group) found = &state;
  }
  if (found == nullptr) {
    name.fail(known.empty() ? "the SRDF has no group states"
                            : "the SRDF has no such group state" + didYouMean(name.text(), known) +
                                  whatThereIs(known));
  }
  JointValues values;
  for (const auto& [c, value] : found->values) values.emplace(c, JointValue{value, name});
  return values;
}

/// NaN marks joints that are not named, so that the caller can tell them from a limit of 0.
VecX readPerJoint(const Value& value, const RobotModel& robot) {
  VecX out = VecX::Constant(robot.dimension(), std::numeric_limits<double>::quiet_NaN());
  if (value.isScalar()) {
    out.setConstant(value.positive());
    return out;
  }
  for (const Value::Entry& entry : value.entries()) {
    out[coordinateIndex(entry.key, entry.value, robot)] = entry.value.positive();
  }
  return out;
}

double insideLimits(const JointValue& given, const Coordinate& coordinate,
                    std::vector<std::string>& warnings) {
  if (coordinate.wraps && !degreesHint(given.value, coordinate).empty()) {
    warnings.push_back(placeOf(given.where) + ": joint '" + coordinate.name + "' at " +
                       shown(given.value) + " rad turns more than once" +
                       degreesHint(given.value, coordinate));
  }
  const double clamped = std::clamp(given.value, coordinate.lower, coordinate.upper);
  const double beyond = std::abs(given.value - clamped);
  if (beyond == 0.0) return given.value;
  const char* side = given.value < clamped ? "lower" : "upper";
  const char* unit = coordinate.is_angle ? " rad" : " m";
  const std::string message = "joint '" + coordinate.name + "' at " + shown(given.value) + " is " +
                              shown(beyond) + unit + " beyond its " + side + " limit " +
                              shown(clamped);
  if (beyond > kClampTolerance) {
    given.where.fail(message + degreesHint(given.value, coordinate));
  }
  warnings.push_back(placeOf(given.where) + ": " + message + "; moved to the limit");
  return clamped;
}

double insideLimitsOrBeyond(const JointValue& given, const Coordinate& coordinate,
                            std::vector<std::string>& warnings) {
  const double clamped = std::clamp(given.value, coordinate.lower, coordinate.upper);
  const bool is_far = std::abs(given.value - clamped) > kClampTolerance;
  return is_far ? given.value : insideLimits(given, coordinate, warnings);
}

}  // namespace allclear
