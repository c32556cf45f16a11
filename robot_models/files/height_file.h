#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace allclear {

/// A grid of numbers, row by row, the first row on top as in a picture.
struct NumberGrid {
  std::size_t columns = 0, rows = 0;
  std::vector<double> values;
  double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

/// A picture of grey values: `.pgm` (P2 and P5, up to 16 bits) and, where the build has libpng,
/// `.png` (grey, 1 to 16 bits, no palette). Values are whole numbers as the file has them. Throws
/// `InputError` naming the file when it is no such picture or has more than 20 million values.
NumberGrid parseGreyPicture(std::string_view content, const std::filesystem::path& path);

/// Lines of as many numbers, apart by commas or blanks (`.csv`). Lines that begin with # are
/// comments. Throws `InputError` naming file and line; every number is finite.
NumberGrid parseNumberGrid(std::string_view content, const std::filesystem::path& path);

}  // namespace allclear
