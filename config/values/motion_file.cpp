#include "allclear/config/values/motion_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "allclear/config/values/pose.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

class MotionReader {
 public:
  explicit MotionReader(std::string file) : file_(std::move(file)) {}

  void readLine(std::string_view line) {
    ++line_;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') return;
    if (columns_.empty()) {
      readHeader(line);
    } else {
      readRow(line);
    }
  }

  std::vector<PoseKnot> finish() {
    if (knots_.empty()) fail("", "", "holds no row of a motion");
    return std::move(knots_);
  }

 private:
  [[noreturn]] void fail(const std::string& key, std::string_view value,
                         const std::string& message) const {
    throw InputError({file_, line_, key, std::string(value)}, message);
  }
  bool has(const std::string& name) const {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  }

  void readHeader(std::string_view line) {
    static const std::vector<std::string> kKnown = {"time", "x",  "y",    "z",     "qx", "qy",
                                                    "qz",   "qw", "roll", "pitch", "yaw"};
    for (std::string_view cell : split(line)) {
      const std::string name(cell);
      if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) {
        fail("column", name, "unknown column" + didYouMean(name, kKnown));
      }
      if (has(name)) fail("column", name, "is given twice");
      columns_.push_back(name);
    }
    for (const char* name : {"time", "x", "y", "z"}) {
      if (!has(name)) fail("", "", std::string("column '") + name + "' is missing");
    }
    quaternion_ = hasAllOrNone({"qx", "qy", "qz", "qw"});
    rpy_ = hasAllOrNone({"roll", "pitch", "yaw"});
    if (quaternion_ && rpy_) fail("", "", "give a quaternion or roll, pitch, yaw, not both");
  }

  bool hasAllOrNone(const std::vector<std::string>& names) const {
    const auto count =
        std::count_if(names.begin(), names.end(), [&](const auto& name) { return has(name); });
    if (count == 0) return false;
    for (const std::string& name : names) {
      if (!has(name)) fail("", "", "column '" + name + "' is missing");
    }
    return true;
  }

  void readRow(std::string_view line) {
    const std::vector<std::string_view> cells = split(line);
    if (cells.size() != columns_.size()) {
      fail("", "",
           "has " + std::to_string(cells.size()) + " cells for " + std::to_string(columns_.size()) +
               " columns");
    }
    std::map<std::string, double> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns_[i]] = number(columns_[i], cells[i]);
    addKnot(row);
  }

  double number(const std::string& column, std::string_view cell) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
      fail(column, cell, "must be a finite number");
    }
    return value;
  }

  void addKnot(std::map<std::string, double>& row) {
    PoseKnot knot{row["time"], {Mat3::Identity(), {row["x"], row["y"], row["z"]}}};
    if (!knots_.empty() && knot.time <= knots_.back().time) {
      fail("time", std::to_string(knot.time), "must be later than in the row before");
    }
    if (rpy_) knot.X_WO.R = rotationFromRpy({row["roll"], row["pitch"], row["yaw"]});
    if (quaternion_) {
      const auto R = rotationFromQuaternion(row["qx"], row["qy"], row["qz"], row["qw"]);
      if (!R) fail("quaternion", "", "must have length 1");
      knot.X_WO.R = *R;
    }
    knots_.push_back(knot);
  }

  std::string file_;
  int line_ = 0;
  std::vector<std::string> columns_;
  bool quaternion_ = false;
  bool rpy_ = false;
  std::vector<PoseKnot> knots_;
};

}  // namespace

std::vector<PoseKnot> parseMotion(std::string_view text, const std::string& file_name) {
  MotionReader reader(file_name);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.readLine(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace allclear
