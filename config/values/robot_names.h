#pragma once

#include <map>
#include <string>
#include <vector>

#include "allclear/config/document/document.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

std::vector<std::string> linkNames(const RobotModel& robot);
std::vector<std::string> coordinateNames(const RobotModel& robot);

/// The link that a value names; an error with the nearest name when there is none.
int readLink(const Value& name, const RobotModel& robot);
std::vector<int> readLinks(const Value& names, const RobotModel& robot);

/// Values of coordinates and where each was given.
struct JointValue {
  double value;
  Value where;
};
using JointValues = std::map<int, JointValue>;

/// The coordinate of this name; an error at `where`, with the nearest name, when there is none.
int coordinateIndex(const std::string& name, const Value& where, const RobotModel& robot);

/// `{joint: value, ..}`, the keys `reserved` left aside. A mimic joint may be named when its value
/// agrees with the joint it follows; otherwise its value is left out, with a warning.
JointValues readJointMap(const Value& map, const RobotModel& robot,
                         const std::vector<std::string>& reserved,
                         std::vector<std::string>& warnings);

/// The names and positions of a sensor_msgs/JointState; fixed joints in it are left out.
JointValues readJointState(const Value& message, const RobotModel& robot,
                           std::vector<std::string>& warnings);

/// The values of an SRDF group state; `group` chooses between states of one name.
JointValues readGroupState(const Value& name, const std::string& group, const RobotModel& robot);

/// `{joint: number > 0}` or one number for all joints; NaN where none is given.
VecX readPerJoint(const Value& value, const RobotModel& robot);

/// Endpoints of real tasks are a rounding beyond a limit now and then; that much is moved back.
inline constexpr double kClampTolerance = 1e-5;  ///< [rad or m]

/// The value, moved back to the limit with a warning when it is up to `kClampTolerance` beyond;
/// further is an error that names the joint and the limit.
double insideLimits(const JointValue& given, const Coordinate& coordinate,
                    std::vector<std::string>& warnings);

/// "file:line: path" of a value, for warnings.
std::string placeOf(const Value& value);

}  // namespace allclear
