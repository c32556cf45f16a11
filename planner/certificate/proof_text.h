#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "allclear/core/pose.h"

namespace allclear {

/// Lines of words. Numbers are the shortest that read back to the same bits.
class ProofText {
 public:
  ProofText& word(std::string_view word) {
    if (!text.empty() && text.back() != '\n') text += ' ';
    text += word;
    return *this;
  }
  ProofText& number(double x) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
    return word({buffer, static_cast<std::size_t>(end - buffer)});
  }
  ProofText& count(std::size_t n) { return word(std::to_string(n)); }
  ProofText& index(int i) { return word(std::to_string(i)); }
  ProofText& quoted(const std::string& value) {
    word("\"");
    for (char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      text += c == '\n' ? ' ' : c;
    }
    text += '"';
    return *this;
  }
  ProofText& vector(const Vec3& x) { return number(x[0]).number(x[1]).number(x[2]); }
  ProofText& pose(const Pose& X) {
    for (int row = 0; row < 3; ++row) vector(X.R.row(row));
    return vector(X.p);
  }
  void end() { text += '\n'; }

  std::string text;
};

}  // namespace allclear
