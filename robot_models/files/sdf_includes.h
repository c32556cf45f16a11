#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "allclear/robot_models/files/sdf_world.h"

namespace allclear {

/// Looks through an SDF file and all that it includes, as plain XML, before the library reads them:
/// it follows a model that includes itself until memory ends, compares each attribute with all
/// others, and makes megabytes of a model. Returns the folders of included models by their URIs.
/// Throws `InputError` naming the file, and the line where there is one, when a file is no XML or
/// larger than 32 MiB, a model includes itself, a pose has a number beyond 1e9, the whole is too
/// large, or a model is not found.
std::map<std::string, std::filesystem::path> checkedIncludes(const std::string& content,
                                                             const std::filesystem::path& path,
                                                             const SdfFiles& files);

}  // namespace allclear
