#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace allclear {

/// Expands data of LZF (M. Lehmann's liblzf, which PCL's compressed files use) to exactly `size`
/// bytes; none when the data is no LZF of so many.
std::optional<std::string> lzfExpanded(std::string_view packed, std::size_t size);

}  // namespace allclear
