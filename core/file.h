#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace allclear {

/// The whole file. Throws `InputError` naming the file when it cannot be read or is larger than
/// `limit_bytes`.
std::string readFile(const std::filesystem::path& path,
                     std::size_t limit_bytes = std::size_t{1} << 30);

/// Writes to a temporary name beside `path` and renames: readers see the old file or the new one,
/// never half of it. Throws `InputError` naming the file when it cannot be written.
void writeFileAtomically(const std::filesystem::path& path, std::string_view content);

}  // namespace allclear
