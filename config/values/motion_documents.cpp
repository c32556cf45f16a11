// Motions and paths as other software writes them. A message is looked for where it may be wrapped;
// what is found is read strictly.
#include "allclear/config/values/motion_documents.h"

#include <charconv>
#include <cmath>

#include "allclear/config/document/yaml.h"
#include "allclear/core/stop_scope.h"
#include "allclear/core/text/csv_table.h"
#include "allclear/core/text/json.h"

namespace allclear {
namespace {

constexpr const char* kPathKeys[] = {"positions", "path", "waypoints"};

/// Takes the next line, with its end, from the front of the text; empty when there is none.
std::string_view takeLine(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size() - 1) + 1;
  const std::string_view line = text->substr(0, text->empty() ? 0 : end);
  text->remove_prefix(line.size());
  return line;
}

/// The last document of a YAML text, and how many there are.
struct LastDocument {
  std::string text;
  std::size_t count = 0;
};

/// Before the document there are as many empty lines as the file has: the places in errors are
/// those of the file.
LastDocument lastDocumentOf(std::string_view text) {
  LastDocument out;
  std::string_view last, rest = text;
  std::size_t begin = 0, lines = 0, lines_before = 0, lines_before_last = 0;
  bool is_empty = true;
  StopSteps steps;
  const auto end = [&](std::size_t at) {
    if (is_empty) return;
    ++out.count;
    last = text.substr(begin, at - begin);
    lines_before_last = lines_before;
  };
  // A separator before the first document, after the last one or twice ends nothing.
  while (!rest.empty()) {
    steps.step();
    const std::string_view line = takeLine(&rest);
    ++lines;
    const std::string_view trimmed = trimmedField(line.substr(0, line.find('\n')));
    if (line.starts_with("---") && trimmed == "---") {
      end(text.size() - rest.size() - line.size());
      begin = text.size() - rest.size();
      lines_before = lines;
      is_empty = true;
      continue;
    }
    is_empty = is_empty && (trimmed.empty() || trimmed.starts_with("#"));
  }
  end(text.size());
  out.text.assign(lines_before_last, '\n');
  out.text += last;
  return out;
}

/// `ros2 topic echo` writes '...' for the rest of a long list.
void requireWhole(std::string_view text, const std::string& file) {
  int number = 0;
  StopSteps steps;
  while (!text.empty()) {
    steps.step();
    const std::string_view line = takeLine(&text);
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
  const LastDocument last = lastDocumentOf(text);
  if (last.count == 0) throw InputError({file, 0, "", ""}, "there is nothing in this file");
  JointMotion out = readDocument(parseYaml(last.text, file), planned, interpolation);
  if (last.count > 1) {
    out.motion.warnings.push_back(file + " holds " + std::to_string(last.count) +
                                  " messages: the last is read");
  }
  return out;
}

bool looksLikeMatrix(std::string_view text) {
  StopSteps steps;
  while (!text.empty()) {
    steps.step();
    std::string_view line = takeLine(&text);
    if (!isRow(line)) continue;
    double number = 0.0;
    for (std::string_view field = nextField(&line); !field.empty(); field = nextField(&line)) {
      steps.step();
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
  StopSteps steps;
  while (!text.empty()) {
    steps.step();
    std::string_view line = takeLine(&text);
    ++line_number;
    if (!isRow(line)) continue;
    std::size_t count = 0;
    for (std::string_view field = nextField(&line); !field.empty(); field = nextField(&line)) {
      double number = 0.0;
      steps.step();
      const auto refuse = [&](const char* message) {
        throw InputError({file, line_number, "", std::string(field)}, message);
      };
      if (!readNumber(field, &number)) refuse("must be a number");
      if (!(std::abs(number) <= TrajectoryLimits::kGreatestValue)) {
        refuse("must be finite and at most 1e9");
      }
      // A row that is too long is refused at its end.
      if (count < planned.size()) numbers.push_back(number);
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
