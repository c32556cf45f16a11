#include "allclear/exports/output_files.h"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "allclear/core/assert.h"
#include "allclear/core/file.h"
#include "allclear/core/input_error.h"

namespace allclear {
namespace {

/// A name as a YAML string in double quotes.
std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// The shortest text that reads back to the bit. YAML 1.1 reads `1e-05` as a string: there must be
/// a point in the mantissa.
std::string number(double value) {
  char digits[40];
  std::string out(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  const std::size_t exponent = out.find('e');
  if (out.find('.') == std::string::npos) {
    out.insert(exponent == std::string::npos ? out.size() : exponent, ".0");
  }
  return out;
}

/// One list of a point, indented as an item of `points`.
void appendRow(const char* key, const MatX& columns, Eigen::Index row, std::string* out) {
  *out += std::string("  ") + key + ": [";
  for (Eigen::Index k = 0; k < columns.rows(); ++k) {
    *out += (k == 0 ? "" : ", ") + number(columns(k, row));
  }
  *out += "]\n";
}

}  // namespace

std::string formatRos2Trajectory(const HermiteCurve& rows,
                                 const std::vector<std::string>& joint_names,
                                 const std::string& frame_id) {
  ALLCLEAR_ASSERT(static_cast<int>(joint_names.size()) == rows.dimension());
  std::string out = "header:\n  stamp: {sec: 0, nanosec: 0}\n  frame_id: " + quoted(frame_id) +
                    "\njoint_names:\n";
  for (const std::string& name : joint_names) out += "- " + quoted(name) + "\n";
  out += "points:\n";
  std::int64_t previous = -1;
  for (std::size_t i = 0; i < rows.times().size(); ++i) {
    // The message holds whole nanoseconds; a controller refuses rows that do not go forward in
    // time.
    const auto nanoseconds = static_cast<std::int64_t>(std::llround(rows.times()[i] * 1e9));
    if (nanoseconds <= previous) {
      throw InputError("ROS 2 trajectory: two rows fall into the same nanosecond");
    }
    previous = nanoseconds;
    const auto row = static_cast<Eigen::Index>(i);
    std::string point;
    appendRow("positions", rows.positions(), row, &point);
    if (rows.givenOrder() >= 1) appendRow("velocities", rows.velocities(), row, &point);
    if (rows.givenOrder() >= 2) appendRow("accelerations", rows.accelerations(), row, &point);
    point[0] = '-';  // the first key of a list's item
    out += point + "  time_from_start: {sec: " + std::to_string(nanoseconds / 1000000000) +
           ", nanosec: " + std::to_string(nanoseconds % 1000000000) + "}\n";
  }
  return out;
}

void writeRos2Trajectory(const std::filesystem::path& path, const HermiteCurve& rows,
                         const std::vector<std::string>& joint_names, const std::string& frame_id) {
  writeFileAtomically(path, formatRos2Trajectory(rows, joint_names, frame_id));
}

}  // namespace allclear
