#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "allclear/core/input_error.h"

namespace allclear {

/// Folders of ROS packages by name, as the user gives them.
using PackageMap = std::map<std::string, std::filesystem::path>;

/// Finds the files that a robot's description names.
///
/// `package://NAME/rest`, or Gazebo's `model://NAME/rest`, is looked for in `package_map`, in
/// ROS_PACKAGE_PATH and Gazebo's paths, in AMENT_PREFIX_PATH (`share/NAME`), then in the
/// description's folder and those above it, each when it is called NAME or holds NAME (which also
/// finds `package://meshes/..` beside the file, where `meshes` is no package at all). `file://PATH`
/// and plain paths are taken relative to the description's folder. The first regular file found
/// wins.
class PackagePaths {
 public:
  PackagePaths(PackageMap package_map, const std::filesystem::path& description_file);

  /// Throws `InputError` at `place` that names every place looked in.
  std::filesystem::path find(const std::string& uri, const InputPlace& place) const;

 private:
  std::vector<std::filesystem::path> candidates(const std::string& uri,
                                                const InputPlace& place) const;

  PackageMap package_map_;
  std::filesystem::path folder_;  ///< absolute, of the description
};

}  // namespace allclear
