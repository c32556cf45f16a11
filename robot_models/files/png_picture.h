#pragma once

#include <filesystem>
#include <string_view>

#include "allclear/robot_models/files/height_file.h"

namespace allclear {

/// A grey PNG picture. Throws `InputError` when it is broken, has colours, a palette or
/// transparency, or when the build has no libpng.
NumberGrid parsePng(std::string_view content, const std::filesystem::path& path);

}  // namespace allclear
