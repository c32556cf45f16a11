// Texts from files, which reach a terminal in messages: an escape character there would move its
// cursor, rename its window, or worse.
//
// UTF-8 after RFC 3629: no forms that are longer than needed, no surrogates, nothing above
// U+10FFFF. Control characters are U+0000..1F, 7F, and U+0080..9F, which terminals obey as well.
#include "allclear/core/readable.h"

namespace allclear {
namespace {

/// The bytes of the character that `text` begins with; 0 when it begins with none.
std::size_t lengthOfFirst(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool is_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_surrogate = first == 0xed && second > 0x9f;
  const bool is_beyond = first == 0xf4 && second > 0x8f;
  return is_long || is_surrogate || is_beyond ? 0 : length;
}

bool isControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

bool isReadable(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = lengthOfFirst(text);
    if (length == 0 || isControl(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string readable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = lengthOfFirst(text);
    if (length == 0) {
      out += '?';
    } else if (isControl(text.substr(0, length))) {
      out += ' ';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace allclear
