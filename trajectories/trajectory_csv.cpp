// Rows of a trajectory as CSV, to the bit: numbers are written as the shortest text that reads back
// to the same double.
//
// A file says where the robot is at its rows; between them it moves as the controller that is sent
// the rows interpolates. The curve is that of ROS 2's joint_trajectory_controller with
// `interpolation_method: splines`, which goes by the columns that are there: straight between
// positions, cubic with velocities, quintic with accelerations. Any smoother reading of few columns
// would be another motion than the robot makes. What is ambiguous (velocities of some joints only,
// a column that looks like a misspelt suffix) is refused, since a wrong guess would move a robot.
#include "allclear/trajectories/trajectory_files.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "allclear/core/assert.h"
#include "allclear/core/file.h"
#include "allclear/core/text/csv_table.h"

namespace allclear {
namespace {

constexpr std::array<std::string_view, 3> kSuffixes = {"", "_velocity", "_acceleration"};
constexpr std::size_t kLargestFile = std::size_t{1} << 28;

void appendNumber(std::string* out, double value) {
  char digits[40];
  out->append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Which derivative a column's name speaks of: 0, 1 or 2.
int orderOf(std::string_view name) {
  for (int order = 2; order > 0; --order) {
    if (name.size() > kSuffixes[order].size() && name.ends_with(kSuffixes[order])) return order;
  }
  return 0;
}

/// The columns of a trajectory's table, checked against each other.
class TrajectoryColumns {
 public:
  TrajectoryColumns(const CsvTable& table, const std::vector<std::string>& ignored)
      : table_(table) {
    // Every column is time, a joint's or a derivative's, unless the caller knows better.
    for (const std::string& name : table.names()) {
      if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
      if (name != "time" && orderOf(name) == 0) joints_.push_back(name);
    }
    requireColumns();
    requireNoMisspeltSuffix();
    for (int order = 0; order < 3; ++order) {
      for (const std::string& joint : joints_) {
        const int column = table_.indexOf(joint + std::string(kSuffixes[order]));
        if (column >= 0) column_of_[order].push_back(column);
      }
    }
    requireCompleteOrders();
  }

  const std::vector<std::string>& joints() const { return joints_; }
  int time() const { return table_.indexOf("time"); }
  /// The columns of a derivative, by joint; empty when the file does not have it.
  const std::vector<int>& ofOrder(int order) const { return column_of_[order]; }

 private:
  void requireColumns() const {
    const std::vector<std::string>& names = table_.names();
    // A single name with semicolons in it comes from a spreadsheet of a country with decimal
    // commas.
    if (!table_.has("time")) {
      const bool semicolons = names.size() == 1 && names[0].find(';') != std::string::npos;
      // Not quoted: it may be any file, given by mistake.
      table_.fail("header", "",
                  std::string("the column 'time' is missing") +
                      (semicolons ? " (columns are separated by commas, not semicolons)" : ""));
    }
    for (const std::string& name : names) {
      const int order = orderOf(name);
      if (order == 0) continue;
      const std::string joint = name.substr(0, name.size() - kSuffixes[order].size());
      if (!table_.has(joint) || joint == "time") {
        table_.fail("header", name, "there is no column '" + joint + "' for this one");
      }
    }
    if (joints_.empty()) {
      table_.fail("header", "", "there is no joint's column beside 'time'");
    }
  }

  /// A column `elbow_vel` beside `elbow` is hardly a joint of its own.
  void requireNoMisspeltSuffix() const {
    static constexpr std::string_view kSuspects[] = {"vel",    "velocities",    "speed", "acc",
                                                     "accel",  "accelerations", "pos",   "position",
                                                     "effort", "torque",        "jerk"};
    // Only beside a joint of the name without the ending: alone, `torque` may be what a joint is
    // called.
    for (const std::string& name : joints_) {
      for (const std::string_view suspect : kSuspects) {
        const std::string ending = "_" + std::string(suspect);
        if (!name.ends_with(ending)) continue;
        const std::string joint = name.substr(0, name.size() - ending.size());
        if (std::find(joints_.begin(), joints_.end(), joint) == joints_.end()) continue;
        table_.fail("header", name,
                    "unknown column: of joint '" + joint + "' there may be '" + joint +
                        "_velocity' and '" + joint + "_acceleration'");
      }
    }
  }

  /// Velocities of all joints or of none; the same for accelerations, which need velocities.
  void requireCompleteOrders() const {
    for (int order = 1; order < 3; ++order) {
      if (column_of_[order].empty()) continue;
      for (int needed = 1; needed <= order; ++needed) {
        for (const std::string& joint : joints_) {
          const std::string name = joint + std::string(kSuffixes[needed]);
          if (!table_.has(name)) table_.fail("header", name, "this column is missing");
        }
      }
    }
  }

  const CsvTable& table_;
  std::vector<std::string> joints_;
  std::array<std::vector<int>, 3> column_of_;  ///< by order, by joint
};

/// Times and, by derivative, a row of numbers for each time.
struct TrajectoryRows {
  std::vector<double> times;
  std::array<std::vector<double>, 3> values;  ///< joint by joint, time after time
};

void requireLater(const CsvTable& table, int time_column, double before) {
  const double time = table.number(time_column);
  if (time == before) table.failAt(time_column, "this time appears twice");
  if (time < before) {
    std::string shown;
    appendNumber(&shown, before);
    table.failAt(time_column, "time goes back: the row before is at " + shown);
  }
  if (time - before < TrajectoryLimits::kShortestStep) {
    table.failAt(time_column, "is less than 1e-9 s after the row before");
  }
}

TrajectoryRows readRows(const TrajectoryColumns& columns, CsvTable* table) {
  // Row by row, so that the first error of the file is the one reported.
  TrajectoryRows rows;
  while (table->nextRow()) {
    if (!rows.times.empty()) requireLater(*table, columns.time(), rows.times.back());
    rows.times.push_back(table->number(columns.time()));
    for (int order = 0; order < 3; ++order) {
      for (const int column : columns.ofOrder(order)) {
        rows.values[order].push_back(table->number(column));
      }
    }
  }
  if (rows.times.size() < 2) {
    table->fail("", "", "there must be at least two rows below the header");
  }
  return rows;
}

/// Shifts the times so that they start at 0, and returns where they started.
double startAtZero(std::vector<double>* times) {
  const double start = times->front();
  if (start != 0.0) {
    for (double& time : *times) time -= start;
  }
  return start;
}

void sayShift(double start, NamedTrajectory* motion) {
  if (start == 0.0) return;
  std::string shown;
  appendNumber(&shown, start);
  motion->first_time = start;
  motion->warnings.push_back("time starts at " + shown + " s: shifted so that it starts at 0");
  motion->assumptions.push_back("times: they start at " + shown +
                                " s in the file; that instant counts as 0");
}

/// The highest derivative that the curve is to use: all that the columns give, or what is asked
/// for, which they must give.
int usedOrder(const CsvTable& table, const TrajectoryColumns& columns,
              std::optional<Interpolation> asked) {
  const int given = !columns.ofOrder(2).empty() ? 2 : !columns.ofOrder(1).empty() ? 1 : 0;
  if (!asked) return given;
  ALLCLEAR_ASSERT(*asked != Interpolation::kSpline);  // rows are no control points
  const int wanted = static_cast<int>(*asked) - static_cast<int>(Interpolation::kLinear);
  if (wanted > given) {
    const std::string missing = columns.joints()[0] + std::string(kSuffixes[given + 1]);
    table.fail("header", missing,
               "this column is missing: the motion is to be " + describe(*asked));
  }
  return wanted;
}

/// Says how the motion goes on between rows that do not say all about it.
void warnOfInterpolation(int used, bool asked, std::vector<std::string>* warnings) {
  if (asked || used == 2) return;
  warnings->push_back(std::string("there are no ") + (used == 0 ? "velocities" : "accelerations") +
                      ": read as " +
                      describe(used == 0 ? Interpolation::kLinear : Interpolation::kCubic) +
                      ", as a joint trajectory controller does");
}

/// The curve through the rows. The matrices are made before the times are moved away: a function's
/// arguments may be evaluated in any order.
Trajectory curveThrough(TrajectoryRows rows, int joint_count, int used_order) {
  const auto count = static_cast<Eigen::Index>(rows.times.size());
  std::array<MatX, 3> columns;
  for (int order = 0; order <= used_order; ++order) {
    columns[order] = Eigen::Map<const MatX>(rows.values[order].data(), joint_count, count);
  }
  return HermiteCurve(std::move(rows.times), std::move(columns[0]), std::move(columns[1]),
                      std::move(columns[2]));
}

/// A name that a reader would take for another column, or split, cannot be written.
void requireWritable(const std::vector<std::string>& names) {
  const InputPlace place{"", 0, "joint", ""};
  requireJointNames(names, place);
  for (const std::string& name : names) {
    if (name == "time" || orderOf(name) != 0 || name.find_first_of(",\"") != std::string::npos ||
        trimmedField(name).size() != name.size()) {
      throw InputError({"", 0, "joint", name}, "cannot be the name of a column in CSV");
    }
  }
}

}  // namespace

std::string formatTrajectoryCsv(const HermiteCurve& curve,
                                const std::vector<std::string>& joint_names,
                                const DerivedColumns& derived) {
  ALLCLEAR_ASSERT(static_cast<int>(joint_names.size()) == curve.dimension());
  std::vector<std::string> all = joint_names;
  all.insert(all.end(), derived.names.begin(), derived.names.end());
  requireWritable(all);
  // All positions first, then all velocities, then all accelerations, as the header says.
  const MatX* given[] = {&curve.positions(), &curve.velocities(), &curve.accelerations()};
  std::string out = "time";
  for (int order = 0; order <= curve.givenOrder(); ++order) {
    for (const std::string& name : joint_names) {
      out.append(",").append(name).append(kSuffixes[order]);
    }
  }
  for (const std::string& name : derived.names) out.append(",").append(name);
  out += '\n';
  for (std::size_t i = 0; i < curve.times().size(); ++i) {
    appendNumber(&out, curve.times()[i]);
    for (int order = 0; order <= curve.givenOrder(); ++order) {
      for (int k = 0; k < curve.dimension(); ++k) {
        out += ',';
        appendNumber(&out, (*given[order])(k, static_cast<Eigen::Index>(i)));
      }
    }
    for (std::size_t k = 0; k < derived.names.size(); ++k) {
      out += ',';
      appendNumber(&out,
                   derived.values(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)));
    }
    out += '\n';
  }
  return out;
}

void writeTrajectoryCsv(const std::filesystem::path& path, const HermiteCurve& curve,
                        const std::vector<std::string>& joint_names) {
  writeFileAtomically(path, formatTrajectoryCsv(curve, joint_names));
}

NamedTrajectory readTrajectoryCsv(const std::filesystem::path& path,
                                  const std::vector<std::string>& expected_joints,
                                  std::optional<Interpolation> interpolation,
                                  const std::vector<std::string>& ignored) {
  return parseTrajectoryCsv(readFile(path, kLargestFile), path.string(), expected_joints,
                            interpolation, ignored);
}

NamedTrajectory parseTrajectoryCsv(std::string_view text, const std::string& file,
                                   const std::vector<std::string>& expected_joints,
                                   std::optional<Interpolation> interpolation,
                                   const std::vector<std::string>& ignored) {
  CsvTable table(text, file, {.greatest = TrajectoryLimits::kGreatestValue});
  std::vector<std::string> warnings;
  // A number that was cut short is still a number, so only the missing newline tells.
  if (!table.endsWithNewline()) {
    warnings.push_back("the last line does not end: the file may be cut short");
  }
  const TrajectoryColumns columns(table, ignored);
  const int used = usedOrder(table, columns, interpolation);
  warnOfInterpolation(used, interpolation.has_value(), &warnings);
  TrajectoryRows rows = readRows(columns, &table);
  const double start = startAtZero(&rows.times);
  Trajectory curve = curveThrough(std::move(rows), static_cast<int>(columns.joints().size()), used);
  NamedTrajectory result{std::move(curve), columns.joints(), std::move(warnings)};
  sayShift(start, &result);
  if (expected_joints.empty()) return result;
  return arranged(std::move(result), expected_joints, {file, 1, "column", ""});
}

}  // namespace allclear
