#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace allclear {

/// Whether a description is in xacro, ROS's macro language: it has elements `xacro:..`, or its name
/// ends in .xacro and it holds a substitution, `${..}` or `$(..)`.
bool isXacro(const std::filesystem::path& path, const std::string& content);

/// What the program `xacro` of the PATH makes of the file; it is run without a shell. Throws
/// `InputError`, saying how to get a URDF, when there is no such program, when it fails, or when it
/// prints more than `largest` bytes.
std::string expandedXacro(const std::filesystem::path& path, std::size_t largest);

}  // namespace allclear
