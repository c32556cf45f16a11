// The text holds what the curve is made of (knots and control points, or rows), not samples of it,
// and numbers are written as the shortest text that reads back to the same bits. So a trajectory
// that was read is the one that was written, and its SHA-256 can stand for it in a certificate.
//
// What is read is checked against all that `BSpline` and `HermiteCurve` require: a file can be
// refused, but cannot break a contract of theirs.
#include "allclear/trajectories/trajectory_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "allclear/core/assert.h"
#include "allclear/core/file.h"
#include "allclear/core/stop_scope.h"
#include "allclear/core/text/json.h"
#include "allclear/trajectories/files/trajectory_value.h"

namespace allclear {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kFormat = "allclear_trajectory";
constexpr int kVersion = 1;
constexpr const char* kJointNames = "joint_names";
constexpr const char* kWrenches = "contact_wrenches";
constexpr const char* kNames = "names";  // of the rows of wrenches
/// By the highest derivative that the rows give.
constexpr const char* kRowTypes[] = {"linear", "cubic_hermite", "quintic_hermite"};
constexpr const char* kRowKeys[] = {"positions", "velocities", "accelerations"};
/// The first line of a file of this project says its format.
constexpr std::size_t kHead = 200;
constexpr int kDeepest = 4;  // the object, the wrenches, a list of points, a point
constexpr std::size_t kLargestFile = std::size_t{1} << 26;
/// A number takes at least two characters of the file.
constexpr std::size_t kMostValues = kLargestFile / 2;
/// Above what any file needs; far below what would exhaust memory before it is checked.
constexpr int kGreatestInteger = 1'000'000;

Json columnsToJson(const MatX& columns) {
  Json points = Json::array();
  StopSteps steps;
  for (const auto& column : columns.colwise()) {
    steps.step();
    points.push_back(std::vector<double>(column.begin(), column.end()));
  }
  return points;
}

/// Appends a curve; `names_key` says what its rows are.
void addCurve(const Trajectory& trajectory, const char* names_key,
              const std::vector<std::string>& names, Json* to) {
  // The order of the keys is that of the text, which is hashed: never change it within a version.
  Json& out = *to;
  if (const BSpline* spline = trajectory.bspline()) {
    out["type"] = "bspline";
    out[names_key] = names;
    out["duration"] = spline->duration();
    out["degree"] = spline->degree();
    out["normalized_knots"] = spline->basis().knots();
    out["control_points"] = columnsToJson(spline->control());
  } else {
    const HermiteCurve& rows = *trajectory.hermite();
    out["type"] = kRowTypes[rows.givenOrder()];
    out[names_key] = names;
    out["times"] = rows.times();
    const MatX* columns[] = {&rows.positions(), &rows.velocities(), &rows.accelerations()};
    for (int order = 0; order <= rows.givenOrder(); ++order) {
      out[kRowKeys[order]] = columnsToJson(*columns[order]);
    }
  }
}

Json toJson(const Trajectory& trajectory, const std::vector<std::string>& joint_names,
            const std::optional<ContactWrenches>& wrenches) {
  Json out = {{"format", kFormat}, {"version", kVersion}};
  addCurve(trajectory, kJointNames, joint_names, &out);
  if (wrenches) addCurve(wrenches->curve, kNames, wrenches->names, &out[kWrenches]);
  return out;
}

/// A key to a line and a point to a line: readable, and small enough to compare.
std::string layout(const Json& root) {
  JsonLines lines;
  for (const auto& [key, value] : root.items()) {
    if (!value.is_array() || !value.front().is_array()) {
      lines.add(key, value.dump());
      continue;
    }
    std::vector<std::string> rows;
    StopSteps steps;
    for (const Json& row : value) {
      steps.step();
      rows.push_back(row.dump());
    }
    lines.addRows(key, rows);
  }
  return lines.text();
}

// Reading.

double boundedNumber(const Value& value) {
  const double number = value.number();
  if (!(std::abs(number) <= TrajectoryLimits::kGreatestValue)) value.fail("is beyond 1e9");
  return number;
}

std::vector<double> boundedNumbers(const Value& list) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < list.size(); ++i) numbers.push_back(boundedNumber(list.at(i)));
  return numbers;
}

/// `rows` x (any number of columns): an inner list per column.
MatX columns(const Value& list, int rows) {
  MatX result(rows, static_cast<Eigen::Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value point = list.at(i);
    if (point.size() != static_cast<std::size_t>(rows)) {
      point.fail("has " + std::to_string(point.size()) + " numbers for " + std::to_string(rows) +
                 " joints");
    }
    for (int k = 0; k < rows; ++k) {
      result(k, static_cast<Eigen::Index>(i)) = boundedNumber(point.at(k));
    }
  }
  return result;
}

/// Spans must be long enough to be divided by, and the curve must not jump: at most `degree` knots
/// may coincide inside.
void requireGoodSpans(const Value& root, const BSplineBasis& basis, double duration) {
  for (int i = 0; i < basis.spanCount(); ++i) {
    if (!(basis.span(i).length() * duration >= TrajectoryLimits::kShortestStep)) {
      root.need("duration").fail("makes a span shorter than 1e-9 s");
    }
    if (i > 0 && basis.firstControl(i) - basis.firstControl(i - 1) > basis.degree()) {
      root.need("normalized_knots")
          .at(basis.firstControl(i) + basis.degree())  // where span i begins
          .fail("this knot is repeated so often that the curve may jump");
    }
  }
}

using Keys = std::vector<std::string>;

Keys operator+(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// What would break the contract of `BSpline` is refused at its key. `keys` are known beside those
/// of the curve.
Trajectory readBSpline(const Value& root, int dimension, const Keys& keys) {
  root.only(keys + Keys{"type", "duration", "degree", "normalized_knots", "control_points"});
  // From the basis to the curve: knots first, since the number of control points follows from them.
  const double duration = boundedNumber(root.need("duration"));
  const int degree = static_cast<int>(root.need("degree").integer(1, BSplineBasis::kMaxDegree));
  std::vector<double> knots = boundedNumbers(root.need("normalized_knots"));
  const std::string defect = BSplineBasis::defect(knots, degree);
  if (!defect.empty()) root.need("normalized_knots").fail(defect);
  auto basis = std::make_shared<const BSplineBasis>(std::move(knots), degree);
  requireGoodSpans(root, *basis, duration);
  MatX control = columns(root.need("control_points"), dimension);
  if (control.cols() != basis->controlCount()) {
    root.need("control_points")
        .fail("has " + std::to_string(control.cols()) + " points where the knots need " +
              std::to_string(basis->controlCount()));
  }
  return BSpline(std::move(basis), std::move(control), duration);
}

/// What would break the contract of `HermiteCurve` is refused at its key.
std::vector<double> readRowTimes(const Value& list) {
  std::vector<double> times = boundedNumbers(list);
  if (times.size() < 2) list.fail("there must be at least two");
  // A trajectory begins at 0; unlike CSV from elsewhere, this format is never shifted silently.
  if (times.front() != 0.0) list.at(0).fail("must be 0");
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] - times[i - 1] < TrajectoryLimits::kShortestStep) {
      list.at(i).fail("must be at least 1e-9 s after the time before");
    }
  }
  return times;
}

Trajectory readRows(const Value& root, int dimension, int given_order, const Keys& keys) {
  root.only(keys + Keys{"type", "times"} + Keys(kRowKeys, kRowKeys + given_order + 1));
  std::vector<double> times = readRowTimes(root.need("times"));
  std::array<MatX, 3> rows;
  for (int order = 0; order <= given_order; ++order) {
    const Value list = root.need(kRowKeys[order]);
    rows[order] = columns(list, dimension);
    if (rows[order].cols() != static_cast<Eigen::Index>(times.size())) {
      list.fail("has " + std::to_string(rows[order].cols()) + " rows for " +
                std::to_string(times.size()) + " times");
    }
  }
  return HermiteCurve(std::move(times), std::move(rows[0]), std::move(rows[1]), std::move(rows[2]));
}

Trajectory readCurve(const Value& root, int dimension, const Keys& keys) {
  const std::string type =
      root.need("type").word({"bspline", kRowTypes[0], kRowTypes[1], kRowTypes[2]});
  if (type == "bspline") return readBSpline(root, dimension, keys);
  const auto* at = std::find(kRowTypes, kRowTypes + 3, type);
  return readRows(root, dimension, static_cast<int>(at - kRowTypes), keys);
}

/// Names of the rows of a curve, at least one.
std::vector<std::string> readNames(const Value& list) {
  const std::vector<std::string> names = list.texts();
  if (names.empty()) list.fail("there must be at least one");
  requireJointNames(names, {list.file(), list.line(), list.path(), ""});
  return names;
}

ContactWrenches readWrenches(const Value& value, double duration) {
  const std::vector<std::string> names = readNames(value.need(kNames));
  ContactWrenches wrenches{readCurve(value, static_cast<int>(names.size()), {kNames}), names};
  if (wrenches.curve.duration() != duration) value.fail("must last as long as the trajectory");
  return wrenches;
}

/// The text of JSON, or an error when a name in it is not UTF-8.
template <class Dump>
std::string dumped(const Trajectory& trajectory, const std::vector<std::string>& joint_names,
                   const std::optional<ContactWrenches>& wrenches, Dump dump) {
  ALLCLEAR_ASSERT(static_cast<int>(joint_names.size()) == trajectory.dimension());
  requireJointNames(joint_names, {"", 0, "joint", ""});
  if (wrenches) {  // their names follow the same rules
    ALLCLEAR_ASSERT(static_cast<int>(wrenches->names.size()) == wrenches->curve.dimension());
    requireJointNames(wrenches->names, {"", 0, kWrenches, ""});
  }
  try {
    return dump(toJson(trajectory, joint_names, wrenches));
  } catch (const Json::type_error&) {
    throw InputError("a joint's name is not UTF-8");
  }
}

}  // namespace

std::string formatTrajectoryJson(const Trajectory& trajectory,
                                 const std::vector<std::string>& joint_names) {
  return dumped(trajectory, joint_names, std::nullopt, layout);
}

std::string formatTrajectoryJson(const NamedTrajectory& trajectory) {
  return dumped(trajectory.trajectory, trajectory.joint_names, trajectory.wrenches, layout);
}

std::string formatTrajectoryOnOneLine(const NamedTrajectory& trajectory) {
  return dumped(trajectory.trajectory, trajectory.joint_names, trajectory.wrenches,
                [](const Json& json) { return json.dump(); });
}

void writeTrajectoryJson(const std::filesystem::path& path, const Trajectory& trajectory,
                         const std::vector<std::string>& joint_names) {
  writeFileAtomically(path, formatTrajectoryJson(trajectory, joint_names));
}

NamedTrajectory readTrajectoryJson(const std::filesystem::path& path,
                                   const std::vector<std::string>& expected_joints) {
  return parseTrajectoryJson(readFile(path, kLargestFile), path.string(), expected_joints);
}

NamedTrajectory parseTrajectoryJson(std::string_view text, const std::string& file,
                                    const std::vector<std::string>& expected_joints) {
  // A certificate lies beside every trajectory, and nests deeper than this reader goes.
  if (text.substr(0, kHead).find("\"allclear_certificate\"") != std::string_view::npos) {
    throw InputError({file, 1, "", ""}, "is a certificate, not a trajectory");
  }
  return readTrajectory(parseJson(text, file, {kLargestFile, kMostValues, kDeepest}),
                        expected_joints);
}

NamedTrajectory readTrajectory(const Value& value,
                               const std::vector<std::string>& expected_joints) {
  // Format and version first: the keys of another version may mean something else.
  value.need("format").word({kFormat});
  if (value.need("version").integer(0, kGreatestInteger) != kVersion) {
    value.need("version").fail("only version 1 is known");
  }
  const Value name_list = value.need(kJointNames);
  const std::vector<std::string> names = readNames(name_list);
  const int dimension = static_cast<int>(names.size());
  NamedTrajectory result{
      readCurve(value, dimension, {"format", "version", kJointNames, kWrenches}), names, {}};
  if (const auto wrenches = value.find(kWrenches)) {
    result.wrenches = readWrenches(*wrenches, result.trajectory.duration());
  }
  if (expected_joints.empty()) return result;
  return arranged(std::move(result), expected_joints,
                  {name_list.file(), name_list.line(), name_list.path(), ""});
}

}  // namespace allclear
