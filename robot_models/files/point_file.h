#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// The points of a file, as they stand there.
struct PointFile {
  std::vector<Vec3> points;
  std::size_t dropped = 0;         ///< without a place: a coordinate is NaN or infinite
  std::vector<std::string> notes;  ///< what the file says beside them and is not used
};

/// Reads the points of a cloud from the content of a file, by its suffix:
/// - `.pcd` (PCL's format 0.6 and 0.7): ascii, binary and binary_compressed; fields x, y, z.
/// - `.ply`: ascii, binary_little_endian and binary_big_endian; the vertices' x, y, z.
/// - `.xyz`: three numbers or more in each line, apart by blanks or commas; of each the first
///   three count. Lines that begin with # or // are comments.
/// Throws `InputError` naming the file (and the line, of text) when the content is not as its
/// header says, or has more than `Cloud::kMostElements` points or none.
PointFile parsePoints(std::string_view content, const std::filesystem::path& path);

}  // namespace allclear
