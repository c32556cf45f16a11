// Points of clouds: what the readers share, and XYZ files.
//
// What a header says is held against the bytes that are there before anything is made room for, so
// that a wrong count costs no memory.
#include "allclear/robot_models/files/point_file.h"

#include <algorithm>

#include "allclear/core/input_error.h"
#include "allclear/distance/cloud.h"
#include "allclear/robot_models/files/byte_reader.h"
#include "allclear/robot_models/files/point_fields.h"

namespace allclear {
namespace {

/// As of clouds, in the unit of the file.
constexpr double kGreatestCoordinate = 1e9;

}  // namespace

void failPoints(const std::filesystem::path& path, const std::string& message, int line,
                std::string_view value) {
  throw InputError({path.string(), line, "", std::string(value)}, message);
}

void PointCollector::reserve(std::size_t count) {
  if (count > Cloud::kMostElements) {
    failPoints(path_, "has " + std::to_string(count) + " points, more than " +
                          std::to_string(Cloud::kMostElements) + ": thin it out");
  }
  out_.points.reserve(std::min(count, bytes_));
}

void PointCollector::add(const Vec3& p, int line) {
  steps_.step();
  if (!p.allFinite()) {
    ++out_.dropped;
    return;
  }
  if (!(p.cwiseAbs().sum() <= kGreatestCoordinate)) {
    failPoints(path_, "a point is beyond 1e9", line);
  }
  out_.points.push_back(p);
  if (out_.points.size() > Cloud::kMostElements) reserve(out_.points.size());
}

PointFile PointCollector::finished() {
  if (out_.points.empty()) {
    failPoints(path_, out_.dropped > 0 ? "none of its points has a place (all are NaN or infinite)"
                                       : "has no points");
  }
  return std::move(out_);
}

std::array<const PointField*, 3> placeFields(const std::vector<PointField>& fields,
                                             const std::filesystem::path& path) {
  std::array<const PointField*, 3> place{};
  for (const PointField& field : fields) {
    for (int k = 0; k < 3; ++k) {
      if (field.name != std::string(1, "xyz"[k])) continue;
      // Twice would leave open which one counts.
      if (place[k] != nullptr || field.count != 1) {
        failPoints(path, "the field '" + field.name + "' must be there once");
      }
      place[k] = &field;
    }
  }
  for (int k = 0; k < 3; ++k) {
    if (place[k] == nullptr) {
      failPoints(path, std::string("the field '") + "xyz"[k] + "' is missing");
    }
  }
  return place;
}

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> out;
  for (std::string_view word = takeWord(&text); !word.empty(); word = takeWord(&text)) {
    out.emplace_back(word);
  }
  return out;
}

namespace {

PointFile parseXyz(std::string_view content, const std::filesystem::path& path) {
  ByteReader bytes(content);
  PointCollector points(path, content.size());
  StopSteps steps;
  while (const auto line = bytes.nextLine()) {
    std::string_view rest = trimmed(*line);
    if (rest.empty() || rest.starts_with('#') || rest.starts_with("//")) continue;
    Vec3 p = Vec3::Zero();
    int count = 0;
    for (std::string_view word = takeWord(&rest); !word.empty(); word = takeWord(&rest), ++count) {
      steps.step();
      const auto value = numberOf<double>(word);
      if (!value) failPoints(path, "is no number", bytes.line(), word);
      if (count < 3) p[count] = *value;
    }
    // Colours or normals may follow.
    if (count < 3) failPoints(path, "a point needs three numbers", bytes.line());
    points.add(p, bytes.line());
  }
  return points.finished();
}

}  // namespace

PointFile parsePoints(std::string_view content, const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  for (char& c : suffix) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (suffix == ".pcd") return parsePcd(content, path);
  if (suffix == ".ply") return parsePly(content, path);
  if (suffix == ".xyz") return parseXyz(content, path);
  failPoints(path, "is no file of points: its name ends in neither .pcd, .ply nor .xyz");
}

}  // namespace allclear
