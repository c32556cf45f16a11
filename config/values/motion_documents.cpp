// Motions and paths as other software writes them. A message is looked for where it may be wrapped;
// what is found is read strictly.
#include "allclear/config/values/motion_documents.h"

#include <charconv>
#include <cmath>

#include "allclear/config/document/yaml.h"
#include "allclear/core/text/csv_table.h"
#include "allclear/core/text/json.h"

namespace allclear {
namespace {

constexpr const char* kPathKeys[] = {"positions", "path", "waypoints"};

/// Lines with their ends.
std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// The documents of a YAML text. Before each there are as many empty lines as the file has: the
/// places in errors are those of the file.
std::vector<std::string> documentsOf(std::string_view text) {
  std::vector<std::string> out;
  std::string document;
  bool is_empty = true;
  std::size_t count = 0;
  const auto end = [&] {
    if (!is_empty) out.push_back(std::move(document));
    document.assign(count, '\n');
    is_empty = true;
  };
  // A separator before the first document, after the last one or twice ends nothing.
  for (const std::string_view line : linesOf(text)) {
    ++count;
    const std::string_view trimmed = trimmedField(line.substr(0, line.find('\n')));
    if (line.starts_with("---") && trimmed == "---") {
      end();
      continue;
    }
    document += line;
    is_empty = is_empty && (trimmed.empty() || trimmed.starts_with("#"));
  }
  end();
  return out;
}

/// `ros2 topic echo` writes '...' for the rest of a long list.
void requireWhole(std::string_view text, const std::string& file) {
  int number = 0;
  for (const std::string_view line : linesOf(text)) {
    ++number;
    const std::string_view trimmed = trimmedField(line.substr(0, line.find('\n')));
    if (trimmed == "- '...'" || trimmed == "- \"...\"" || trimmed == "- ...") {
      throw InputError({file, number, "", "..."},
                       "the list is cut short here: use `ros2 topic echo --full-length`");
    }
  }
}

/// Floating and planar joints do not come with positions: nothing here could be left out silently.
void refuseOtherJoints(const Value& robot_trajectory) {
  const auto other = robot_trajectory.find("multi_dof_joint_trajectory");
  if (!other) return;
  other->only({"header", "joint_names", "points"});
  const auto points = other->find("points");
  if (!points || points->size() == 0) return;
  points->fail("floating and planar joints are not read from messages: give the rows as CSV");
}

/// The JointTrajectory in a message that may hold one.
Value trajectoryWithin(const Value& root) {
  Value found = root;
  // DisplayTrajectory has a list of RobotTrajectory, a goal has one trajectory; then its own key.
  if (found.has("goal") && !found.has("joint_names")) found = found.need("goal");
  if (found.has("trajectory") && !found.has("joint_names")) {
    found = found.need("trajectory");
    if (found.isList()) {
      if (found.size() != 1) {
        found.fail("holds " + std::to_string(found.size()) + " trajectories: give one");
      }
      found = found.at(0);
    }
  }
  if (found.has("joint_trajectory") || found.has("multi_dof_joint_trajectory")) {
    found.only({"joint_trajectory", "multi_dof_joint_trajectory"});
    refuseOtherJoints(found);
    found = found.need("joint_trajectory");
  }
  return found;
}

/// Rows without names are for the planned joints, all of them, in their order.
JointMotion readNamelessRows(const Value& list, const std::vector<std::string>& planned) {
  return {{readPathRows(list.items(), static_cast<int>(planned.size()), list), planned, {}},
          placeOfNames(list),
          false};
}

JointMotion readDocument(const Value& root, const std::vector<std::string>& planned,
                         std::optional<Interpolation> interpolation) {
  if (root.isList()) return readNamelessRows(root, planned);
  // Rows of numbers under a key of their own, with or without names.
  for (const char* key : kPathKeys) {
    if (!root.has(key)) continue;
    root.only({"joint_names", key});
    const Value list = root.need(key);
    const auto names = root.find("joint_names");
    if (!names) return readNamelessRows(list, planned);
    requireJointNames(names->texts(), placeOfNames(*names));
    return {{readPathRows(list.items(), static_cast<int>(names->size()), list), names->texts(), {}},
            placeOfNames(*names),
            false};
  }
  return readJointTrajectory(trajectoryWithin(root), interpolation);
}

bool isSeparator(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r' || c == '\n'; }

/// The next field of a line; empty at its end.
std::string_view nextField(std::string_view* line) {
  while (!line->empty() && isSeparator(line->front())) line->remove_prefix(1);
  std::size_t length = 0;
  while (length < line->size() && !isSeparator((*line)[length])) ++length;
  const std::string_view field = line->substr(0, length);
  line->remove_prefix(length);
  return field;
}

bool readNumber(std::string_view field, double* out) {
  if (field.starts_with("+")) field.remove_prefix(1);
  const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), *out);
  return code == std::errc() && end == field.data() + field.size();
}

bool isRow(std::string_view line) {
  const std::string_view field = nextField(&line);
  return !field.empty() && field.front() != '#';
}

}  // namespace

JointMotion parseMotionDocument(std::string_view text, const std::string& file,
                                const std::vector<std::string>& planned,
                                std::optional<Interpolation> interpolation) {
  if (file.ends_with(".json")) return readDocument(parseJson(text, file), planned, interpolation);
  requireWhole(text, file);
  const std::vector<std::string> documents = documentsOf(text);
  if (documents.empty()) throw InputError({file, 0, "", ""}, "there is nothing in this file");
  JointMotion out = readDocument(parseYaml(documents.back(), file), planned, interpolation);
  if (documents.size() > 1) {
    out.motion.warnings.push_back(file + " holds " + std::to_string(documents.size()) +
                                  " messages: the last is read");
  }
  return out;
}

bool looksLikeMatrix(std::string_view text) {
  for (std::string_view line : linesOf(text)) {
    if (!isRow(line)) continue;
    double number = 0.0;
    for (std::string_view field = nextField(&line); !field.empty(); field = nextField(&line)) {
      if (!readNumber(field, &number)) return false;
    }
    return true;
  }
  return false;
}

JointMotion parseMatrixText(std::string_view text, const std::string& file,
                            const std::vector<std::string>& planned) {
  // Every row has a number for each planned joint: nothing else says whose they are.
  std::vector<double> numbers;
  int line_number = 0;
  for (std::string_view line : linesOf(text)) {
    ++line_number;
    if (!isRow(line)) continue;
    std::size_t count = 0;
    for (std::string_view field = nextField(&line); !field.empty(); field = nextField(&line)) {
      double number = 0.0;
      const InputPlace place{file, line_number, "", std::string(field)};
      if (!readNumber(field, &number)) throw InputError(place, "must be a number");
      if (!(std::abs(number) <= TrajectoryLimits::kGreatestValue)) {
        throw InputError(place, "must be finite and at most 1e9");
      }
      numbers.push_back(number);
      ++count;
    }
    if (count != planned.size()) {
      throw InputError({file, line_number, "", ""},
                       "has " + std::to_string(count) + " numbers for " +
                           std::to_string(planned.size()) + " planned joints");
    }
  }
  const std::size_t rows = planned.empty() ? 0 : numbers.size() / planned.size();
  if (rows < 2) throw InputError({file, 0, "", ""}, "there must be at least two rows");
  MatX positions = Eigen::Map<const MatX>(numbers.data(), static_cast<Eigen::Index>(planned.size()),
                                          static_cast<Eigen::Index>(rows));
  std::vector<double> times;
  for (std::size_t i = 0; i < rows; ++i) times.push_back(static_cast<double>(i));
  return {{HermiteCurve(std::move(times), std::move(positions)), planned, {}},
          {file, 0, "", ""},
          false};
}

}  // namespace allclear
