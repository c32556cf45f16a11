#include "allclear/trajectories/trajectory_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "allclear/core/assert.h"
#include "allclear/core/file.h"

namespace allclear {
namespace {

using Json = nlohmann::json;
constexpr const char* kFormat = "allclear_trajectory";
constexpr int kVersion = 1;
constexpr int kDeepest = 3;  // the object, a list of points, a point
constexpr std::size_t kLargestFile = std::size_t{1} << 26;

Json columnsToJson(const MatX& columns) {
  Json points = Json::array();
  for (const auto& column : columns.colwise()) {
    points.push_back(std::vector<double>(column.begin(), column.end()));
  }
  return points;
}

/// A key to a line and a point to a line: readable, and small enough to compare.
std::string layout(const nlohmann::ordered_json& root) {
  const auto dump = [](const nlohmann::ordered_json& value) { return value.dump(); };
  std::string out;
  for (const auto& [key, value] : root.items()) {
    out += (out.empty() ? "{\n \"" : ",\n \"") + key + "\": ";
    if (!value.is_array() || !value.front().is_array()) {
      out += dump(value);
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      out += (i == 0 ? "[\n  " : ",\n  ") + dump(value[i]);
    }
    out += "\n ]";
  }
  return out + "\n}\n";
}

int lineOf(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

/// Parses with a bound on the depth, so that a hostile file makes no deep tree, and refuses
/// repeated keys, of which the parser would silently take the last.
Json parse(std::string_view text, const std::string& file) {
  std::set<std::string> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    const bool opens =
        event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
    if (opens && depth >= kDeepest) {
      throw InputError({file, 0, "", ""}, "is nested too deeply for a trajectory");
    }
    if (event == Json::parse_event_t::key && depth == 1) {
      const std::string key = parsed.get<std::string>();
      if (!keys.insert(key).second) throw InputError({file, 0, "key", key}, "appears twice");
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    const bool ended = error.byte > text.size();
    throw InputError({file, lineOf(text, error.byte), "", ""},
                     ended ? "is not valid JSON: it ends too early" : "is not valid JSON");
  } catch (const Json::exception& error) {  // a number that overflows, quoted in the message
    const std::string_view message = error.what();
    const std::size_t begin = message.find('\'') + 1;
    const std::string_view number = message.substr(begin, message.rfind('\'') - begin);
    throw InputError({file, lineOf(text, text.find(number) + 1), "", std::string(number)},
                     "is out of range");
  }
}

/// The fields of one file, with errors that name them.
class Fields {
 public:
  Fields(const Json& root, std::string file) : root_(root), file_(std::move(file)) {
    if (!root_.is_object()) fail("", Json(), "must be an object {..}");
  }

  [[noreturn]] void fail(const std::string& key, const Json& value,
                         const std::string& message) const {
    std::string shown;
    if (value.is_string()) {
      shown = value.get<std::string>();
    } else if (value.is_primitive() && !value.is_null()) {
      shown = value.dump();
    }
    throw InputError({file_, 0, key, shown}, message);
  }

  const Json& at(const std::string& key) const {
    const auto found = root_.find(key);
    if (found == root_.end()) fail(key, Json(), "this key is missing");
    return *found;
  }

  void requireOnly(const std::vector<std::string>& known) const {
    for (const auto& item : root_.items()) {
      if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
        fail("key", Json(item.key()), "is unknown" + didYouMean(item.key(), known));
      }
    }
  }

  std::string text(const std::string& key) const { return textOf(at(key), key); }

  int integer(const std::string& key) const {
    const Json& value = at(key);
    // Compared as floating point: an integer of the file may not fit any of ours.
    if (!value.is_number_integer() || std::abs(value.get<double>()) > 1e6) {
      fail(key, value, "must be an integer");
    }
    return value.get<int>();
  }

  double number(const std::string& key) const { return numberOf(at(key), key); }

  std::vector<double> numbers(const std::string& key) const {
    const Json& list = arrayOf(at(key), key);
    std::vector<double> result;
    for (const Json& value : list) result.push_back(numberOf(value, indexed(key, result.size())));
    return result;
  }

  std::vector<std::string> texts(const std::string& key) const {
    const Json& list = arrayOf(at(key), key);
    std::vector<std::string> result;
    for (const Json& value : list) result.push_back(textOf(value, indexed(key, result.size())));
    return result;
  }

  /// `rows` x (any number of columns): an inner array per column.
  MatX columns(const std::string& key, int rows) const {
    const Json& list = arrayOf(at(key), key);
    MatX result(rows, static_cast<Eigen::Index>(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string point = indexed(key, i);
      if (arrayOf(list[i], point).size() != static_cast<std::size_t>(rows)) {
        fail(point, Json(),
             "has " + std::to_string(list[i].size()) + " numbers for " + std::to_string(rows) +
                 " joints");
      }
      for (int k = 0; k < rows; ++k) {
        result(k, static_cast<Eigen::Index>(i)) = numberOf(list[i][k], indexed(point, k));
      }
    }
    return result;
  }

  const std::string& file() const { return file_; }

 private:
  static std::string indexed(const std::string& key, std::size_t i) {
    return key + "[" + std::to_string(i) + "]";
  }

  std::string textOf(const Json& value, const std::string& key) const {
    if (!value.is_string()) fail(key, value, "must be a string");
    return value.get<std::string>();
  }

  double numberOf(const Json& value, const std::string& key) const {
    if (!value.is_number()) fail(key, value, "must be a number");
    const double number = value.get<double>();
    if (!(std::abs(number) <= TrajectoryLimits::kGreatestValue)) fail(key, value, "is beyond 1e9");
    return number;
  }

  const Json& arrayOf(const Json& value, const std::string& key) const {
    if (!value.is_array()) fail(key, value, "must be an array [..]");
    return value;
  }

  const Json& root_;
  std::string file_;
};

Trajectory readBSpline(const Fields& fields, int dimension) {
  fields.requireOnly({"format", "version", "type", "joint_names", "duration", "degree",
                      "normalized_knots", "control_points"});
  const double duration = fields.number("duration");
  const int degree = fields.integer("degree");
  std::vector<double> knots = fields.numbers("normalized_knots");
  if (degree < 1 || degree > BSplineBasis::kMaxDegree) {
    fields.fail("degree", fields.at("degree"),
                "must be from 1 to " + std::to_string(BSplineBasis::kMaxDegree));
  }
  const std::string defect = BSplineBasis::defect(knots, degree);
  if (!defect.empty()) fields.fail("normalized_knots", Json(), defect);
  auto basis = std::make_shared<const BSplineBasis>(std::move(knots), degree);
  for (int i = 0; i < basis->spanCount(); ++i) {
    if (!(basis->span(i).length() * duration >= TrajectoryLimits::kShortestStep)) {
      fields.fail("duration", fields.at("duration"), "makes a span shorter than 1e-9 s");
    }
    if (i > 0 && basis->firstControl(i) - basis->firstControl(i - 1) > degree) {
      fields.fail("normalized_knots", Json(basis->span(i).lower),
                  "this knot is repeated so often that the curve may jump");
    }
  }
  MatX control = fields.columns("control_points", dimension);
  if (control.cols() != basis->controlCount()) {
    fields.fail("control_points", Json(),
                "has " + std::to_string(control.cols()) + " points where the knots need " +
                    std::to_string(basis->controlCount()));
  }
  return BSpline(std::move(basis), std::move(control), duration);
}

Trajectory readHermite(const Fields& fields, int dimension) {
  fields.requireOnly({"format", "version", "type", "joint_names", "times", "positions",
                      "velocities", "accelerations"});
  std::vector<double> times = fields.numbers("times");
  if (times.size() < 2) fields.fail("times", Json(), "there must be at least two");
  if (times.front() != 0.0) fields.fail("times[0]", Json(times.front()), "must be 0");
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] - times[i - 1] < TrajectoryLimits::kShortestStep) {
      fields.fail("times[" + std::to_string(i) + "]", Json(times[i]),
                  "must be at least 1e-9 s after the time before");
    }
  }
  std::vector<MatX> rows;
  for (const std::string key : {"positions", "velocities", "accelerations"}) {
    rows.push_back(fields.columns(key, dimension));
    if (rows.back().cols() != static_cast<Eigen::Index>(times.size())) {
      fields.fail(key, Json(),
                  "has " + std::to_string(rows.back().cols()) + " rows for " +
                      std::to_string(times.size()) + " times");
    }
  }
  return QuinticHermite(std::move(times), std::move(rows[0]), std::move(rows[1]),
                        std::move(rows[2]));
}

}  // namespace

std::string formatTrajectoryJson(const Trajectory& trajectory,
                                 const std::vector<std::string>& joint_names) {
  ALLCLEAR_ASSERT(static_cast<int>(joint_names.size()) == trajectory.dimension());
  requireJointNames(joint_names, {"", 0, "joint", ""});
  nlohmann::ordered_json out = {{"format", kFormat}, {"version", kVersion}};
  if (const BSpline* spline = trajectory.bspline()) {
    out["type"] = "bspline";
    out["joint_names"] = joint_names;
    out["duration"] = spline->duration();
    out["degree"] = spline->degree();
    out["normalized_knots"] = spline->basis().knots();
    out["control_points"] = columnsToJson(spline->control());
  } else {
    const QuinticHermite& rows = *trajectory.hermite();
    out["type"] = "quintic_hermite";
    out["joint_names"] = joint_names;
    out["times"] = rows.times();
    out["positions"] = columnsToJson(rows.positions());
    out["velocities"] = columnsToJson(rows.velocities());
    out["accelerations"] = columnsToJson(rows.accelerations());
  }
  try {
    return layout(out);
  } catch (const Json::type_error&) {
    throw InputError("a joint's name is not UTF-8");
  }
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
  if (text.empty()) throw InputError({file, 0, "", ""}, "is empty");
  const Json root = parse(text, file);
  const Fields fields(root, file);
  if (fields.text("format") != kFormat) {
    fields.fail("format", fields.at("format"), std::string("must be '") + kFormat + "'");
  }
  if (fields.integer("version") != kVersion) {
    fields.fail("version", fields.at("version"), "only version 1 is known");
  }
  const std::vector<std::string> names = fields.texts("joint_names");
  const InputPlace place{file, 0, "joint_names", ""};
  if (names.empty()) fields.fail("joint_names", Json(), "there must be at least one");
  requireJointNames(names, place);
  const int dimension = static_cast<int>(names.size());
  const std::string type = fields.text("type");
  if (type != "bspline" && type != "quintic_hermite") {
    fields.fail("type", fields.at("type"), "must be 'bspline' or 'quintic_hermite'");
  }
  NamedTrajectory result{
      type == "bspline" ? readBSpline(fields, dimension) : readHermite(fields, dimension),
      names,
      {}};
  if (expected_joints.empty()) return result;
  return arranged(std::move(result), expected_joints, place);
}

}  // namespace allclear
