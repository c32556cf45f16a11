// A file of joints, and the joints of a task: which kind of file it is, and what to make of joints
// that the task does not plan.
//
// Messages often name all joints of a robot: arm, fingers, wheels. A proof is about the planned
// ones, with the others where the task holds them. So a held joint's column must say the same, or
// the proof would be about another motion; what the robot does not have at all cannot matter.
#include "allclear/config/values/planned_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "allclear/config/values/beside_planned.h"
#include "allclear/config/values/motion_documents.h"
#include "allclear/core/file.h"
#include "allclear/core/text/csv_table.h"
#include "allclear/core/text/value_tree.h"
#include "allclear/exports/output_files.h"
#include "allclear/planner/certificate.h"
#include "allclear/trajectories/trajectory_files.h"

namespace allclear {
namespace {

/// A CSV of positions without a column of times.
JointMotion readPathCsv(std::string_view text, const std::string& file,
                        const std::vector<std::string>& ignored) {
  CsvTable table(text, file, {.greatest = TrajectoryLimits::kGreatestValue});
  // Without a column of times every column is a joint, unless the caller knows better.
  std::vector<std::string> names;
  std::vector<int> columns;
  for (const std::string& name : table.names()) {
    if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
    names.push_back(name);
    columns.push_back(table.indexOf(name));
  }
  requireJointNames(names, {file, 1, "header", ""});
  std::vector<double> numbers, times;
  while (table.nextRow()) {
    for (const int column : columns) numbers.push_back(table.number(column));
    times.push_back(static_cast<double>(times.size()));
  }
  if (times.size() < 2) table.fail("", "", "there must be at least two rows below the header");
  MatX rows = Eigen::Map<const MatX>(numbers.data(), static_cast<Eigen::Index>(names.size()),
                                     static_cast<Eigen::Index>(times.size()));
  return {
      {HermiteCurve(std::move(times), std::move(rows)), names, {}}, {file, 1, "column", ""}, false};
}

/// Columns of joints alone: with velocities the missing times are a mistake.
bool isPathCsv(const std::string& text, const std::string& file) {
  const CsvTable table(text, file, {.greatest = TrajectoryLimits::kGreatestValue});
  const std::vector<std::string>& names = table.names();
  return !table.has("time") && names.size() > 1 &&
         std::none_of(names.begin(), names.end(), [](const std::string& name) {
           return name.ends_with("_velocity") || name.ends_with("_acceleration");
         });
}

JointMotion readCsv(const std::string& text, const std::string& file, const Problem& problem,
                    std::optional<Interpolation> interpolation) {
  const std::vector<std::string> ignored = columnsBesideJoints(problem);
  if (looksLikeMatrix(text)) return parseMatrixText(text, file, plannedNames(problem));
  if (isPathCsv(text, file)) return readPathCsv(text, file, ignored);
  return {
      parseTrajectoryCsv(text, file, {}, interpolation, ignored), {file, 1, "column", ""}, true};
}

/// JSON of this project says so; any other is a message.
JointMotion readJson(const std::filesystem::path& path, const std::string& text,
                     const Problem& problem, std::optional<Interpolation> interpolation) {
  const std::string file = path.string();
  if (text.find("\"allclear_trajectory\"") == std::string::npos) {
    return parseMotionDocument(text, file, plannedNames(problem), interpolation);
  }
  return {readTrajectoryFile(path, problem, interpolation), {file, 0, "joint_names", ""}, true};
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "'" : ", '") + name + "'";
  return out;
}

/// Planned joints that the file does not have, all of them. One that is only misspelt is named.
void requirePlanned(const JointMotion& found, const std::vector<std::string>& planned) {
  const auto& names = found.motion.joint_names;
  std::vector<std::string> missing;
  for (const std::string& name : planned) {
    if (std::find(names.begin(), names.end(), name) == names.end()) missing.push_back(name);
  }
  if (missing.empty()) return;
  // A name near to a missing one was meant to be it.
  for (const std::string& name : names) {
    const std::string hint = didYouMean(name, missing);
    if (hint.empty()) continue;
    throw InputError({found.names.file, found.names.line, found.names.key, name},
                     "no such joint is expected" + hint);
  }
  throw InputError(found.names, std::string(missing.size() == 1 ? "this joint" : "these joints") +
                                    " of the task " + (missing.size() == 1 ? "is" : "are") +
                                    " missing: " + joined(missing));
}

/// A path goes on where a coordinate that wraps jumps by half a turn or more: whole turns are
/// added.
Trajectory unwrapped(const Problem& problem, const Trajectory& path) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  MatX rows = path.hermite()->positions();
  for (int k = 0; k < problem.plannedCount(); ++k) {
    if (!problem.robot->coordinates()[problem.planned[k]].wraps) continue;
    double before = problem.start[problem.planned[k]];
    for (Eigen::Index i = 0; i < rows.cols(); ++i) {
      rows(k, i) += kTurn * std::round((before - rows(k, i)) / kTurn);
      before = rows(k, i);
    }
  }
  return HermiteCurve(path.hermite()->times(), std::move(rows));
}

}  // namespace

JointMotion readPlannedMotion(const std::filesystem::path& path, const Problem& problem,
                              std::optional<Interpolation> interpolation) {
  const std::string file = path.string(), extension = path.extension().string();
  const std::string text = readFile(path, std::size_t{1} << 28);
  const std::vector<std::string> planned = plannedNames(problem);
  JointMotion found = [&] {
    if (extension == ".json") return readJson(path, text, problem, interpolation);
    if (extension == ".yaml" || extension == ".yml") {
      return parseMotionDocument(text, file, planned, interpolation);
    }
    return readCsv(text, file, problem, interpolation);
  }();
  requirePlanned(found, planned);
  // Joints beside the planned ones are judged, then left out.
  const std::vector<std::string> unknown = judgedBeside(problem, &found);
  const bool is_csv = extension != ".json" && extension != ".yaml" && extension != ".yml";
  requireNoHiddenTimes(found, unknown, is_csv);
  if (!unknown.empty()) {
    found.motion.warnings.push_back(file +
                                    ": these are no joints that the task could plan or "
                                    "hold, and are ignored: " +
                                    joined(unknown));
  }
  found.motion = arrangedPart(std::move(found.motion), planned);
  if (is_csv && !looksLikeMatrix(text)) {
    judgeDerivedColumns(problem, text, file, found.motion.trajectory);
  }
  if (!found.is_timed) found.motion.trajectory = unwrapped(problem, found.motion.trajectory);
  return found;
}

}  // namespace allclear
