#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "allclear/core/sha256.h"
#include "allclear/core/text/value.h"
#include "allclear/distance/shape.h"
#include "allclear/robot_models/package_paths.h"

namespace allclear {

/// Finds and reads the files that a task or a scene names, and hashes what was read, each file by
/// the name that it is given there; for a file that a scene names, after "SCENE: ".
class InputFiles {
 public:
  InputFiles(PackageMap package_map, const std::filesystem::path& description_file)
      : package_map_(package_map), paths_(std::move(package_map), description_file) {}

  /// From now on packages are looked for in these folders, for names in that description.
  void usePackages(PackageMap package_map, const std::filesystem::path& description_file);

  /// From now on names are relative to another description, such as a scene that a task names, and
  /// hashed with `prefix` before them.
  void moveTo(const std::filesystem::path& description_file, const std::string& prefix = "");

  const PackageMap& packageMap() const { return package_map_; }
  /// The rule for open parts of meshes that have none of their own; `kShell` at first.
  void useOpenMeshes(OpenMeshes open) { open_meshes_ = open; }
  OpenMeshes openMeshes() const { return open_meshes_; }
  /// Adds a file that was read elsewhere.
  void hash(const std::string& name, std::string_view content) {
    files_.add(prefix_ + name, content);
  }
  std::string sha256() const { return files_.hex(); }

  /// The path of the file that `name` names; an error at `name` when there is none.
  std::filesystem::path find(const Value& name) const;
  /// Reads a YAML document. It goes into the hash by `name`, as all that is read here.
  Value document(const std::filesystem::path& path, const std::string& name);
  /// The same of text that stands for such a file.
  Value parsed(std::string_view text, const std::filesystem::path& path, const std::string& name);
  std::string content(const Value& name);
  TriangleMesh mesh(const Value& name, const Vec3& scale);

 private:
  PackageMap package_map_;
  PackagePaths paths_;
  std::string prefix_;
  OpenMeshes open_meshes_ = OpenMeshes::kShell;
  FilesSha256 files_;
};

}  // namespace allclear
