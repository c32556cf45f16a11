#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/core/stop_scope.h"
#include "allclear/robot_models/files/point_file.h"

namespace allclear {

// What the readers of PCD and PLY files share.

/// A header of more lines is none.
inline constexpr int kMostHeaderLines = 1000;
/// Of one point. Every one is passed over at every point: this bounds the time.
inline constexpr std::size_t kMostFields = 1000;

[[noreturn]] void failPoints(const std::filesystem::path& path, const std::string& message,
                             int line = 0, std::string_view value = {});

/// Collects points, and counts those without a place.
class PointCollector {
 public:
  /// `bytes` of the content: a header that promises more points than that gets no room for them.
  PointCollector(const std::filesystem::path& path, std::size_t bytes)
      : path_(path), bytes_(bytes) {}

  void reserve(std::size_t count);
  /// `line`: of text.
  void add(const Vec3& p, int line = 0);
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  PointFile finished();

 private:
  const std::filesystem::path& path_;
  std::size_t bytes_;
  PointFile out_;
  StopSteps steps_;
};

/// One number of each point.
struct PointField {
  std::string name;
  int size = 4;
  char type = 'F';
  std::size_t count = 1;
  std::size_t offset = 0;  ///< [bytes] in a point
};

/// The fields x, y, z among others; an error where one is missing or there twice.
std::array<const PointField*, 3> placeFields(const std::vector<PointField>& fields,
                                             const std::filesystem::path& path);

/// The words of a line.
std::vector<std::string> wordsOf(std::string_view text);

/// By one kind of file each (`parsePoints`).
PointFile parsePcd(std::string_view content, const std::filesystem::path& path);
PointFile parsePly(std::string_view content, const std::filesystem::path& path);

}  // namespace allclear
