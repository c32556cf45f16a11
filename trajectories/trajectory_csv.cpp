#include "allclear/trajectories/trajectory_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <system_error>

#include "allclear/core/assert.h"
#include "allclear/core/file.h"
#include "allclear/trajectories/spline_fit.h"

namespace allclear {
namespace {

constexpr std::array<std::string_view, 3> kSuffixes = {"", "_velocity", "_acceleration"};
constexpr std::size_t kLargestFile = std::size_t{1} << 28;

void appendNumber(std::string* out, double value) {
  char digits[40];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 17).ptr;
  out->append(digits, end);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// Which derivative a column's name speaks of: 0, 1 or 2.
int orderOf(std::string_view name) {
  for (int order = 2; order > 0; --order) {
    if (name.size() > kSuffixes[order].size() && name.ends_with(kSuffixes[order])) return order;
  }
  return 0;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    fields.push_back(trimmed(line.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) return fields;
    begin = comma + 1;
  }
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NamedTrajectory read(const std::vector<std::string>& expected_joints) {
    requireText();
    readHeader();
    while (nextLine()) readRow();
    if (times_.size() < 2) {
      fail("", "", "there must be at least two rows below the header");
    }
    line_number_ = 1;
    NamedTrajectory result{curve(), joints_, warnings_};
    if (expected_joints.empty()) return result;
    return arranged(std::move(result), expected_joints, {file_, 1, "column", ""});
  }

 private:
  [[noreturn]] void fail(std::string key, std::string_view value, const std::string& message) {
    throw InputError({file_, line_number_, std::move(key), std::string(value)}, message);
  }

  void requireText() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      fail("", "", "is UTF-16: save it as UTF-8");
    }
    if (text_.find('\0') != std::string_view::npos) fail("", "", "is a binary file, not CSV");
    if (trimmed(text_.substr(0, text_.find('\n'))).empty()) {
      line_number_ = text_.empty() ? 0 : 1;
      fail("", "", text_.empty() ? "is empty" : "the header is missing");
    }
    if (!text_.ends_with('\n')) {
      warnings_.push_back("the last line does not end: the file may be cut short");
    }
  }

  /// The next line into `line_`; false at the end of the file or when only blanks follow.
  bool nextLine() {
    if (trimmed_end_ == std::string_view::npos) {
      const std::size_t last = text_.find_last_not_of(" \t\r\n");
      trimmed_end_ = last + 1;
    }
    if (position_ >= trimmed_end_) return false;
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    line_ = text_.substr(position_, end - position_);
    position_ = end + 1;
    ++line_number_;
    return true;
  }

  void readHeader() {
    nextLine();
    for (std::string_view field : split(line_)) {
      if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
        field = field.substr(1, field.size() - 2);
      }
      names_.emplace_back(field);
    }
    for (const std::string& name : names_) {
      for (const char c : name) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          fail("header", name, "is not the header of a CSV file: control characters");
        }
      }
    }
    requireColumns();
    column_of_.assign(3, {});
    for (int order = 0; order < 3; ++order) {
      for (const std::string& joint : joints_) {
        const auto at =
            std::find(names_.begin(), names_.end(), joint + std::string(kSuffixes[order]));
        if (at != names_.end()) column_of_[order].push_back(static_cast<int>(at - names_.begin()));
      }
    }
    requireCompleteOrders();
  }

  void requireColumns() {
    std::set<std::string> seen;
    requireNoNumber();
    for (const std::string& name : names_) {
      const std::string key = "column " + std::to_string(seen.size() + 1);
      if (name.empty()) fail(key, "", "its name is empty");
      if (!seen.insert(name).second) fail("header", name, "this column appears twice");
      if (name != "time" && orderOf(name) == 0) joints_.push_back(name);
    }
    if (!seen.count("time")) {
      const bool semicolons = names_.size() == 1 && names_[0].find(';') != std::string::npos;
      fail("header", names_[0],
           std::string("the column 'time' is missing") +
               (semicolons ? " (columns are separated by commas, not semicolons)" : ""));
    }
    for (const std::string& name : names_) {
      const int order = orderOf(name);
      if (order == 0) continue;
      const std::string joint = name.substr(0, name.size() - kSuffixes[order].size());
      if (!seen.count(joint) || joint == "time") {
        fail("header", name, "there is no column '" + joint + "' for this one");
      }
    }
    if (joints_.empty()) fail("header", "", "there is no joint's column beside 'time'");
    requireNoMisspeltSuffix();
  }

  void requireNoNumber() {
    const char* begin = names_[0].data();
    const char* end = begin + names_[0].size();
    double ignored = 0.0;
    if (begin != end && std::from_chars(begin, end, ignored).ptr == end) {
      fail("header", names_[0], "the header is missing: the first line holds numbers");
    }
  }

  /// A column `elbow_vel` beside `elbow` is hardly a joint of its own.
  void requireNoMisspeltSuffix() {
    static constexpr std::string_view kSuspects[] = {"vel",    "velocities",    "speed", "acc",
                                                     "accel",  "accelerations", "pos",   "position",
                                                     "effort", "torque",        "jerk"};
    for (const std::string& name : joints_) {
      for (const std::string_view suspect : kSuspects) {
        const std::string ending = "_" + std::string(suspect);
        if (!name.ends_with(ending)) continue;
        const std::string joint = name.substr(0, name.size() - ending.size());
        if (std::find(joints_.begin(), joints_.end(), joint) == joints_.end()) continue;
        fail("header", name,
             "unknown column: of joint '" + joint + "' there may be '" + joint +
                 "_velocity' and '" + joint + "_acceleration'");
      }
    }
  }

  void requireCompleteOrders() {
    for (int order = 1; order < 3; ++order) {
      if (column_of_[order].empty()) continue;
      for (int needed = 1; needed <= order; ++needed) {
        for (const std::string& joint : joints_) {
          const std::string name = joint + std::string(kSuffixes[needed]);
          if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
            fail("header", name, "this column is missing");
          }
        }
      }
    }
  }

  double number(std::string_view field, const std::string& name) {
    if (field.empty()) fail("column '" + name + "'", "", "a number is missing");
    std::string_view digits = field;
    if (digits.front() == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) {
      fail("column '" + name + "'", field, "is out of range");
    }
    if (error != std::errc() || end != digits.data() + digits.size()) {
      fail("column '" + name + "'", field, "is not a number");
    }
    if (!std::isfinite(value)) fail("column '" + name + "'", field, "must be finite");
    if (std::abs(value) > TrajectoryLimits::kGreatestValue) {
      fail("column '" + name + "'", field, "is beyond 1e9");
    }
    return value;
  }

  void readRow() {
    const std::vector<std::string_view> fields = split(line_);
    if (fields.size() != names_.size()) {
      const bool decimal_commas = fields.size() + 1 >= 2 * names_.size();
      fail("", "",
           "has " + std::to_string(fields.size()) + " columns where the header has " +
               std::to_string(names_.size()) +
               (decimal_commas ? " (numbers take a decimal point, not a comma)" : ""));
    }
    numbers_.clear();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      numbers_.push_back(number(fields[i], names_[i]));
    }
    const auto time_column = std::find(names_.begin(), names_.end(), "time") - names_.begin();
    requireLater(numbers_[time_column], fields[time_column]);
    times_.push_back(numbers_[time_column]);
    for (int order = 0; order < 3; ++order) {
      for (const int column : column_of_[order]) values_[order].push_back(numbers_[column]);
    }
  }

  void requireLater(double time, std::string_view field) {
    if (times_.empty()) return;
    if (time == times_.back()) fail("column 'time'", field, "this time appears twice");
    if (time < times_.back()) {
      std::string before;
      appendNumber(&before, times_.back());
      fail("column 'time'", field, "time goes back: the row before is at " + before);
    }
    if (time - times_.back() < TrajectoryLimits::kShortestStep) {
      fail("column 'time'", field, "is less than 1e-9 s after the row before");
    }
  }

  Trajectory curve() {
    if (times_.front() != 0.0) {
      const double start = times_.front();
      std::string shown;
      appendNumber(&shown, start);
      warnings_.push_back("time starts at " + shown + " s: shifted so that it starts at 0");
      for (double& time : times_) time -= start;
    }
    const auto matrix = [&](int order) {
      return MatX(Eigen::Map<const MatX>(values_[order].data(),
                                         static_cast<Eigen::Index>(joints_.size()),
                                         static_cast<Eigen::Index>(times_.size())));
    };
    if (values_[1].empty()) {
      warnings_.emplace_back(
          "there are no velocities: read as the quintic spline through the positions, from rest to "
          "rest");
      return interpolatePositions(std::move(times_), matrix(0));
    }
    if (values_[2].empty()) {
      warnings_.emplace_back(
          "there are no accelerations: read as those that make the jerk continuous, zero at both "
          "ends");
      return interpolatePositionsAndVelocities(std::move(times_), matrix(0), matrix(1));
    }
    return QuinticHermite(std::move(times_), matrix(0), matrix(1), matrix(2));
  }

  std::string_view text_, line_;
  std::string file_;
  std::size_t position_ = 0, trimmed_end_ = std::string_view::npos;
  int line_number_ = 0;
  std::vector<std::string> names_, joints_, warnings_;
  std::vector<std::vector<int>> column_of_;  // per order, per joint; empty when the file has none
  std::vector<double> numbers_, times_;
  std::array<std::vector<double>, 3> values_;
};

void requireWritable(const std::vector<std::string>& names) {
  const InputPlace place{"", 0, "joint", ""};
  requireJointNames(names, place);
  for (const std::string& name : names) {
    if (name == "time" || orderOf(name) != 0 || name.find_first_of(",\"") != std::string::npos ||
        trimmed(name).size() != name.size()) {
      throw InputError({"", 0, "joint", name}, "cannot be the name of a column in CSV");
    }
  }
}

}  // namespace

std::string formatTrajectoryCsv(const QuinticHermite& curve,
                                const std::vector<std::string>& joint_names) {
  ALLCLEAR_ASSERT(static_cast<int>(joint_names.size()) == curve.dimension());
  requireWritable(joint_names);
  std::string out = "time";
  for (const std::string_view suffix : kSuffixes) {
    for (const std::string& name : joint_names) out.append(",").append(name).append(suffix);
  }
  out += '\n';
  for (std::size_t i = 0; i < curve.times().size(); ++i) {
    appendNumber(&out, curve.times()[i]);
    for (const MatX* rows : {&curve.positions(), &curve.velocities(), &curve.accelerations()}) {
      for (int k = 0; k < curve.dimension(); ++k) {
        out += ',';
        appendNumber(&out, (*rows)(k, static_cast<Eigen::Index>(i)));
      }
    }
    out += '\n';
  }
  return out;
}

void writeTrajectoryCsv(const std::filesystem::path& path, const QuinticHermite& curve,
                        const std::vector<std::string>& joint_names) {
  writeFileAtomically(path, formatTrajectoryCsv(curve, joint_names));
}

NamedTrajectory readTrajectoryCsv(const std::filesystem::path& path,
                                  const std::vector<std::string>& expected_joints) {
  return parseTrajectoryCsv(readFile(path, kLargestFile), path.string(), expected_joints);
}

NamedTrajectory parseTrajectoryCsv(std::string_view text, const std::string& file,
                                   const std::vector<std::string>& expected_joints) {
  return Reader(text, file).read(expected_joints);
}

}  // namespace allclear
