// Grids of numbers: pictures of grey values, and tables.
#include "allclear/robot_models/files/height_file.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/input_error.h"
#include "allclear/core/stop_scope.h"
#include "allclear/distance/cloud.h"
#include "allclear/robot_models/files/byte_reader.h"
#include "allclear/robot_models/files/png_picture.h"

namespace allclear {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message, int line = 0,
                       std::string_view value = {}) {
  throw InputError({path.string(), line, "", std::string(value)}, message);
}

/// As of clouds, in the unit of the file.
constexpr double kGreatestHeight = 1e9;

[[noreturn]] void failSize(const std::filesystem::path& path) {
  fail(path, "has more than " + std::to_string(Cloud::kMostElements) + " values");
}

void requireSize(const NumberGrid& grid, const std::filesystem::path& path) {
  if (grid.columns == 0 || grid.rows == 0) fail(path, "has no values");
  if (grid.columns > Cloud::kMostElements || grid.rows > Cloud::kMostElements / grid.columns) {
    failSize(path);
  }
}

/// The next number of a PGM header or of its plain values: words apart by blanks, with comments
/// from # to the end of the line.
std::size_t nextNumber(std::string_view content, std::size_t* at,
                       const std::filesystem::path& path) {
  constexpr std::string_view kBlank = " \t\r\n";
  while (*at < content.size()) {
    if (content[*at] == '#') {
      *at = std::min(content.find('\n', *at), content.size());
    } else if (kBlank.find(content[*at]) != std::string_view::npos) {
      ++*at;
    } else {
      break;
    }
  }
  // A word ends at a blank or where a comment begins.
  const std::size_t end = std::min(content.find_first_of(" \t\r\n#", *at), content.size());
  const std::string_view word = content.substr(*at, end - *at);
  *at = end;
  const auto value = numberOf<std::size_t>(word);
  if (!value) fail(path, word.empty() ? "is cut short" : "is no whole number", 0, word);
  return *value;
}

NumberGrid parsePgm(std::string_view content, const std::filesystem::path& path) {
  const bool is_plain = content.starts_with("P2");
  if (!is_plain && !content.starts_with("P5")) {
    fail(path, "is no PGM picture: it begins with neither P2 nor P5");
  }
  std::size_t at = 2;
  NumberGrid grid;
  grid.columns = nextNumber(content, &at, path);
  grid.rows = nextNumber(content, &at, path);
  const std::size_t most = nextNumber(content, &at, path);
  requireSize(grid, path);
  if (most == 0 || most > 65535) fail(path, "its greatest value must be between 1 and 65535");
  const std::size_t count = grid.columns * grid.rows;
  if (is_plain) {
    if (content.size() - at < count) fail(path, "is cut short");
    grid.values.reserve(count);
    StopSteps steps;
    for (std::size_t i = 0; i < count; ++i) {
      steps.step();
      grid.values.push_back(static_cast<double>(nextNumber(content, &at, path)));
    }
  } else {
    ++at;  // one blank ends the header
    const std::size_t bytes = most > 255 ? 2 : 1;
    if (at > content.size() || content.size() - at < count * bytes) fail(path, "is cut short");
    grid.values.reserve(count);
    StopSteps steps;
    for (std::size_t i = 0; i < count; ++i) {
      steps.step();
      grid.values.push_back(
          binaryNumber(content.data() + at + i * bytes, 'U', static_cast<int>(bytes), true));
    }
  }
  for (const double value : grid.values) {
    if (value > static_cast<double>(most)) fail(path, "a value is greater than the greatest");
  }
  return grid;
}

}  // namespace

NumberGrid parseGreyPicture(std::string_view content, const std::filesystem::path& path) {
  constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";
  if (content.starts_with(kPng)) return parsePng(content, path);
  return parsePgm(content, path);
}

NumberGrid parseNumberGrid(std::string_view content, const std::filesystem::path& path) {
  ByteReader bytes(content);
  NumberGrid grid;
  StopSteps steps;
  while (const auto line = bytes.nextLine()) {
    std::string_view rest = trimmed(*line);
    if (rest.empty() || rest.starts_with('#')) continue;
    // One row: as many numbers as the rows before.
    std::size_t columns = 0;
    for (std::string_view word = takeWord(&rest); !word.empty(); word = takeWord(&rest)) {
      steps.step();
      const auto value = numberOf<double>(word);
      if (!value) fail(path, "is no number", bytes.line(), word);
      if (!std::isfinite(*value)) {
        fail(path, "is not finite: every cell needs a height", bytes.line(), word);
      }
      if (!(std::abs(*value) <= kGreatestHeight)) {
        fail(path, "is beyond 1e9", bytes.line(), word);
      }
      if (grid.values.size() >= Cloud::kMostElements) failSize(path);
      grid.values.push_back(*value);
      ++columns;
    }
    if (grid.rows > 0 && columns != grid.columns) {
      fail(path,
           "has " + std::to_string(columns) + " numbers, the lines before " +
               std::to_string(grid.columns),
           bytes.line());
    }
    grid.columns = columns;
    ++grid.rows;
  }
  requireSize(grid, path);
  return grid;
}

}  // namespace allclear
