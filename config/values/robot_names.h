#pragma once

#include <map>
#include <string>
#include <vector>

#include "allclear/core/text/value.h"
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

/// Reads `{joint: value, ..}` without the keys `reserved`. A mimic joint may be named: when its
/// value does not agree with the joint that it follows, the value is ignored, with a warning.
JointValues readJointMap(const Value& map, const RobotModel& robot,
                         const std::vector<std::string>& reserved,
                         std::vector<std::string>& warnings);

/// Reads the names and positions of a sensor_msgs/JointState. Fixed joints in it are ignored.
JointValues readJointState(const Value& message, const RobotModel& robot,
                           std::vector<std::string>& warnings);

/// Reads `[value, ..]`: one number for each of `planned` coordinates, in their order.
JointValues readJointList(const Value& list, const std::vector<int>& planned,
                          const RobotModel& robot);

/// The values of an SRDF group state; `group` chooses between states of one name.
JointValues readGroupState(const Value& name, const std::string& group, const RobotModel& robot);

/// `{joint: number > 0}` or one number for all joints; NaN where none is given.
VecX readPerJoint(const Value& value, const RobotModel& robot);

/// Ends of real tasks are beyond a limit by a rounding now and then, since files hold five or six
/// decimals. A value so little beyond is moved back to the limit.
inline constexpr double kClampTolerance = 1e-5;  ///< [rad or m]

/// The value, moved back to the limit with a warning when it is at most `kClampTolerance` beyond. A
/// value farther beyond is an error that names the joint and the limit.
double insideLimits(const JointValue& given, const Coordinate& coordinate,
                    std::vector<std::string>& warnings);

/// The value: moved to the limit as above, but left as it is where it is farther beyond.
double insideLimitsOrBeyond(const JointValue& given, const Coordinate& coordinate,
                            std::vector<std::string>& warnings);

/// The place of a value as "file:line: path", for warnings.
std::string placeOf(const Value& value);

}  // namespace allclear
