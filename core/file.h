#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace allclear {

/// The whole file. Of a pipe, what comes until its end. Throws `InputError` naming the file when it
/// cannot be read, is larger than `limit_bytes`, or is a pipe that nobody writes to.
std::string readFile(const std::filesystem::path& path,
                     std::size_t limit_bytes = std::size_t{1} << 30);

/// Paths with what is to stand in them.
using FileContents = std::vector<std::pair<std::filesystem::path, std::string>>;

/// Writes all of the files, or none. Each is written and synced under a temporary name beside its
/// final one, and renamed when all are there: readers see the old file or the new one, never half
/// of it. When one cannot be written, those that were renamed already become the old ones again.
/// Links are followed. What is no regular file (a device, a pipe) is written to directly, before
/// any file is renamed. Temporary files that a killed process has left of these names are removed.
/// Throws `InputError` naming the file that cannot be written.
void writeFiles(const FileContents& files);

/// The same for one file.
void writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// Throws `InputError` when `path` could not be written as things are now: it is a folder, its
/// folder is not there, or writing is not allowed. Writes nothing.
void requireWritable(const std::filesystem::path& path);

/// Whether both name the same file, or would if it were there. Never of devices and pipes.
bool isSameFile(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace allclear
