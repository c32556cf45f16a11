// Warnings about a robot's files, and which of them a claim about the robot rests on.
#include "allclear/robot_models/files/load_notes.h"

#include <algorithm>
#include <string_view>

namespace allclear {
namespace {

constexpr std::size_t kNamesShown = 5;
constexpr std::size_t kLongestNote = 1000;  // a name in a broken file may be a million letters

/// Bytes of the UTF-8 character that begins at `at`, 0 where none does (Unicode 15, table 3-7).
std::size_t characterSize(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xf0 && lead < 0xf5 ? 4
                                                         : 0;
  // The second byte has a range of its own after these: no long forms, no surrogates, no end
  // beyond.
  const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (size == 0 || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t k = 2; k < size; ++k) {
    if (byte(k) < 0x80 || byte(k) > 0xbf) return 0;
  }
  return size;
}

/// Names may hold anything: a note stays one line of a readable length, in UTF-8, as certificates
/// are.
std::string inOneLine(const std::string& message) {
  std::string out;
  for (std::size_t at = 0; at < message.size() && out.size() < kLongestNote;) {
    const std::size_t size = characterSize(message, at);
    const auto first = static_cast<unsigned char>(message[at]);
    if (size == 0) {
      out += '?';
    } else if (first < 0x20 || first == 0x7f) {
      out += ' ';
    } else {
      out.append(message, at, size);
    }
    at += std::max<std::size_t>(size, 1);
  }
  return message.size() > kLongestNote ? out + ".." : out;
}

}  // namespace

void LoadNotes::warn(const std::string& file, int line, const std::string& message) {
  warnings.push_back(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " +
                     inOneLine(message));
}

void LoadNotes::assume(const std::string& kind, const std::string& file, int line,
                       const std::string& message) {
  warn(file, line, message);
  assumptions.push_back(kind + (line > 0 ? " line " + std::to_string(line) : "") + ": " +
                        inOneLine(message));
}

void LoadNotes::forgive(const std::string& kind, const InputError& error,
                        const std::string& consequence) {
  // The place is printed by `assume`; what is left of the error is key, value and message.
  const InputPlace& place = error.place();
  const InputError said({"", 0, place.key, place.value}, error.message());
  assume(kind, place.file, place.line, std::string(said.what()) + "; " + consequence);
}

std::string someNames(const std::vector<std::string>& names) {
  std::string out;
  const std::size_t shown = std::min(names.size(), kNamesShown);
  for (std::size_t i = 0; i < shown; ++i) out += (i > 0 ? ", '" : "'") + names[i] + "'";
  if (names.size() > shown) out += " and " + std::to_string(names.size() - shown) + " more";
  return out;
}

}  // namespace allclear
