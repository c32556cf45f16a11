#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "allclear/core/stop_scope.h"

namespace allclear {

/// Reads lines and numbers one after the other from the bytes of a file; never beyond their end.
/// Lines are steps of this thread's scope (core/stop_scope.h).
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool atEnd() const { return position_ >= bytes_.size(); }
  std::size_t left() const { return bytes_.size() - position_; }
  int line() const { return line_; }  ///< of the line read last, from 1

  /// The next line without its end; none at the end of the bytes.
  std::optional<std::string_view> nextLine() {
    if (atEnd()) return std::nullopt;
    steps_.step();
    ++line_;
    const std::size_t end = std::min(bytes_.find('\n', position_), bytes_.size());
    std::string_view text = bytes_.substr(position_, end - position_);
    position_ = std::min(end + 1, bytes_.size());
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    return text;
  }
  /// So many bytes; none when there are fewer.
  std::optional<std::string_view> take(std::size_t count) {
    if (left() < count) return std::nullopt;
    const std::string_view taken = bytes_.substr(position_, count);
    position_ += count;
    return taken;
  }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
  int line_ = 0;
  StopSteps steps_;
};

/// Without blanks and tabs at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

/// Takes the next word (apart by blanks, tabs and commas) from the front of the text; empty when
/// there is none.
inline std::string_view takeWord(std::string_view* text) {
  constexpr std::string_view kBetween = " \t,";
  const std::size_t first = std::min(text->find_first_not_of(kBetween), text->size());
  text->remove_prefix(first);
  const std::string_view word = text->substr(0, text->find_first_of(kBetween));
  text->remove_prefix(word.size());
  return word;
}

/// The whole word as a number; NaN and infinities are numbers here. A leading + is allowed.
template <class Number>
std::optional<Number> numberOf(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// A binary number of `size` bytes: signed ('I'), unsigned ('U') or floating ('F'). Pre: so many
/// bytes at `at`, and such a type.
inline double binaryNumber(const char* at, char type, int size, bool big_endian) {
  unsigned char bytes[8] = {};
  for (int i = 0; i < size; ++i) {
    bytes[i] = static_cast<unsigned char>(at[big_endian ? size - 1 - i : i]);
  }
  std::uint64_t bits = 0;
  for (int i = 0; i < size; ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
  if (type == 'F' && size == 4) {
    const auto narrow = static_cast<std::uint32_t>(bits);
    float value = 0.0F;
    std::memcpy(&value, &narrow, sizeof value);
    return static_cast<double>(value);
  }
  if (type == 'F') {
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (type == 'U') return static_cast<double>(bits);
  const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  // In two's complement the highest bit counts negatively.
  const auto magnitude = static_cast<std::int64_t>((bits ^ sign) - sign);
  return static_cast<double>(magnitude);
}

}  // namespace allclear
