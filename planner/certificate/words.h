#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

namespace allclear {

/// In an assumption's one line, more names than this are counted.
inline constexpr std::size_t kNamedInBrief = 3;

/// The shortest text that reads back to the same number.
inline std::string shown(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// "1 joint", "2 joints".
inline std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// "a, b, c".
inline std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all;
}

}  // namespace allclear
