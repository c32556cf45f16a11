#pragma once

#include <string>
#include <string_view>

namespace allclear {

/// Whether a text is UTF-8 without control characters: what a terminal only shows, and JSON can
/// hold.
bool isReadable(std::string_view text);

/// The text with a space for each control character, and a question mark for each byte that belongs
/// to no character of UTF-8.
std::string readable(std::string_view text);

}  // namespace allclear
