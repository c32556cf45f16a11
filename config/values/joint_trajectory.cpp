// Times in a message are whole nanoseconds, and a controller interpolates between these. They are
// read as quotients by 1e9, so that each is the double nearest to what the message says.
#include "allclear/config/values/joint_trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "allclear/config/document/yaml.h"

namespace allclear {
namespace {

constexpr std::array<const char*, 3> kFields = {"positions", "velocities", "accelerations"};
constexpr long long kNanosecondsPerSecond = 1'000'000'000;

/// A list that is absent and one that is empty say the same.
bool hasField(const Value& point, const char* key) {
  const auto list = point.find(key);
  return list && list->size() > 0;
}

/// A time in the spelling of ROS 2 (sec, nanosec) or of ROS 1 (secs, nsecs).
double timeOf(const Value& point) {
  const Value time = point.need("time_from_start");
  const bool is_ros1 = time.isMap() && (time.has("secs") || time.has("nsecs"));
  const char* whole = is_ros1 ? "secs" : "sec";
  const char* part = is_ros1 ? "nsecs" : "nanosec";
  time.only({whole, part});
  const long long seconds =
      time.need(whole).integer(0, static_cast<long long>(TrajectoryLimits::kGreatestValue) - 1);
  const long long rest = time.need(part).integer(0, kNanosecondsPerSecond - 1);
  return static_cast<double>(seconds * kNanosecondsPerSecond + rest) / 1e9;
}

/// The highest derivative that the first point gives; all points must give the same ones.
int givenOrder(const std::vector<Value>& points) {
  int given = 0;
  while (given < 2 && hasField(points[0], kFields[given + 1])) ++given;
  for (const Value& point : points) {
    point.only({"positions", "velocities", "accelerations", "effort", "time_from_start"});
    if (hasField(point, "effort")) point.need("effort").fail("efforts are not taken");
    for (int order = 0; order < 3; ++order) {
      if (hasField(point, kFields[order]) == (order <= given)) continue;
      point.fail(std::string("the field '") + kFields[order] +
                 (order <= given ? "' is missing here" : "' is not in all points"));
    }
  }
  return given;
}

int usedOrder(const Value& points, int given, std::optional<Interpolation> asked) {
  if (!asked) return given;
  const int wanted = static_cast<int>(*asked) - static_cast<int>(Interpolation::kLinear);
  if (wanted > given) {
    points.fail(std::string("'") + kFields[given + 1] + "' are missing: the motion is to be " +
                describe(*asked));
  }
  return wanted;
}

/// One list of numbers, a number for each joint.
void readField(const Value& list, Eigen::Ref<VecX> out) {
  if (list.size() != static_cast<std::size_t>(out.size())) {
    list.fail("has " + std::to_string(list.size()) + " numbers for " + std::to_string(out.size()) +
              " joints");
  }
  for (Eigen::Index k = 0; k < out.size(); ++k) {
    const Value entry = list.at(static_cast<std::size_t>(k));
    out[k] = entry.number();
    if (!(std::abs(out[k]) <= TrajectoryLimits::kGreatestValue)) entry.fail("is beyond 1e9");
  }
}

Trajectory readPoints(const Value& list, int joint_count, std::optional<Interpolation> asked) {
  const std::vector<Value> points = list.items();
  if (points.size() < 2) list.fail("there must be at least two points");
  const int used = usedOrder(list, givenOrder(points), asked);
  std::vector<double> times;
  std::array<MatX, 3> rows;
  for (int order = 0; order <= used; ++order) {
    rows[order].resize(joint_count, static_cast<Eigen::Index>(points.size()));
  }
  for (const Value& point : points) {
    const double t = timeOf(point);
    // ROS 2 goes to a first point later than 0 from wherever the robot is: a motion that the file
    // does not have, so nothing could be proven of it.
    if (times.empty() && t != 0.0) point.need("time_from_start").fail("must be 0 here");
    if (!times.empty() && t <= times.back()) {
      point.need("time_from_start").fail("must be later than that of the point before");
    }
    const auto row = static_cast<Eigen::Index>(times.size());
    for (int order = 0; order <= used; ++order) {
      readField(point.need(kFields[order]), rows[order].col(row));
    }
    times.push_back(t);
  }
  return HermiteCurve(std::move(times), std::move(rows[0]), std::move(rows[1]), std::move(rows[2]));
}

/// The names, at least one, each once.
std::vector<std::string> readNames(const Value& list) {
  const std::vector<std::string> names = list.texts();
  if (names.empty()) list.fail("there must be at least one");
  requireJointNames(names, placeOfNames(list));
  return names;
}

/// Points without any time, or all at 0, as planners of paths send them.
bool isTimed(const std::vector<Value>& points) {
  return std::any_of(points.begin(), points.end(), [](const Value& point) {
    return point.isMap() && point.has("time_from_start") && timeOf(point) != 0.0;
  });
}

}  // namespace

InputPlace placeOfNames(const Value& list) { return {list.file(), list.line(), list.path(), ""}; }

Trajectory readPathRows(const std::vector<Value>& rows, int joint_count, const Value& list) {
  if (rows.size() < 2) list.fail("there must be at least two points");
  MatX positions(joint_count, static_cast<Eigen::Index>(rows.size()));
  std::vector<double> times;
  for (const Value& row : rows) {
    readField(row, positions.col(static_cast<Eigen::Index>(times.size())));
    times.push_back(static_cast<double>(times.size()));
  }
  return HermiteCurve(std::move(times), std::move(positions));
}

JointMotion readJointTrajectory(const Value& message, std::optional<Interpolation> interpolation) {
  message.only({"header", "joint_names", "points"});
  const Value name_list = message.need("joint_names");
  const std::vector<std::string> names = readNames(name_list);
  const auto count = static_cast<int>(names.size());
  const Value list = message.need("points");
  const std::vector<Value> points = list.items();
  // Only positions count of a path; a bare list of numbers will do for a point.
  if (points.size() >= 2 && !isTimed(points)) {
    std::vector<Value> rows;
    for (const Value& point : points)
      rows.push_back(point.isMap() ? point.need("positions") : point);
    return {{readPathRows(rows, count, list), names, {}}, placeOfNames(name_list), false};
  }
  return {{readPoints(list, count, interpolation), names, {}}, placeOfNames(name_list), true};
}

NamedTrajectory parseJointTrajectory(std::string_view text, const std::string& file,
                                     const std::vector<std::string>& expected_joints,
                                     std::optional<Interpolation> interpolation) {
  const Value root = parseYaml(text, file);
  root.only({"header", "joint_names", "points"});
  const Value name_list = root.need("joint_names");
  const std::vector<std::string> names = readNames(name_list);
  NamedTrajectory result{
      readPoints(root.need("points"), static_cast<int>(names.size()), interpolation), names, {}};
  if (expected_joints.empty()) return result;
  return arranged(std::move(result), expected_joints, placeOfNames(name_list));
}

}  // namespace allclear
