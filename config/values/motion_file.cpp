#include "allclear/config/values/motion_file.h"

#include <algorithm>

#include "allclear/config/values/pose.h"
#include "allclear/core/input_error.h"
#include "allclear/core/text/csv_table.h"

namespace allclear {
namespace {

/// Whether the table has all of these columns; an error when it has some of them only.
bool hasAllOrNone(const CsvTable& table, const std::vector<std::string>& names) {
  const bool none = std::none_of(names.begin(), names.end(),
                                 [&](const std::string& name) { return table.has(name); });
  if (none) return false;
  for (const std::string& name : names) {
    if (!table.has(name)) table.fail("", "", "column '" + name + "' is missing");
  }
  return true;
}

void requireKnownColumns(const CsvTable& table) {
  static const std::vector<std::string> kKnown = {"time", "x",  "y",    "z",     "qx", "qy",
                                                  "qz",   "qw", "roll", "pitch", "yaw"};
  // Its names are not quoted then: it may be any file, given by mistake.
  if (!table.has("time")) table.fail("", "", "column 'time' is missing");
  for (const std::string& name : table.names()) {
    if (std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end()) {
      table.fail("column", name, "unknown column" + didYouMean(name, kKnown));
    }
  }
  for (const char* name : {"x", "y", "z"}) {
    if (!table.has(name)) table.fail("", "", std::string("column '") + name + "' is missing");
  }
}

enum class Orientation { kNone, kQuaternion, kRpy };

/// Which of the two forms the columns have; none leaves the orientation at the identity.
Orientation orientationOf(const CsvTable& table) {
  const bool quaternion = hasAllOrNone(table, {"qx", "qy", "qz", "qw"});
  const bool rpy = hasAllOrNone(table, {"roll", "pitch", "yaw"});
  if (quaternion && rpy) {
    table.fail("", "", "give a quaternion or roll, pitch, yaw, not both");
  }
  if (quaternion) return Orientation::kQuaternion;
  return rpy ? Orientation::kRpy : Orientation::kNone;
}

/// The rotation of the present row.
Mat3 rotationIn(const CsvTable& table, Orientation orientation) {
  const auto at = [&](const char* name) { return table.number(table.indexOf(name)); };
  switch (orientation) {
    case Orientation::kNone:
      break;
    case Orientation::kRpy:
      return rotationFromRpy({at("roll"), at("pitch"), at("yaw")});
    case Orientation::kQuaternion:
      const auto R = rotationFromQuaternion(at("qx"), at("qy"), at("qz"), at("qw"));
      if (!R) table.fail("quaternion", "", "must have length 1");
      return *R;
  }
  return Mat3::Identity();
}

}  // namespace

std::vector<PoseKnot> parseMotion(std::string_view text, const std::string& file_name) {
  // All columns are checked before the first row, so that a misspelt column is what the error
  // names.
  CsvTable table(text, file_name, {.skip_comments = true});
  requireKnownColumns(table);
  const Orientation orientation = orientationOf(table);
  const int time = table.indexOf("time");
  const auto at = [&](const char* name) { return table.number(table.indexOf(name)); };
  std::vector<PoseKnot> knots;
  while (table.nextRow()) {
    if (!knots.empty() && table.number(time) <= knots.back().time) {
      table.failAt(time, "must be later than in the row before");
    }
    knots.push_back(
        {table.number(time), {rotationIn(table, orientation), {at("x"), at("y"), at("z")}}});
  }
  if (knots.empty()) table.fail("", "", "holds no row of a motion");
  return knots;
}

}  // namespace allclear
