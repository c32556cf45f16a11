#pragma once

#include <filesystem>
#include <string>

#include "allclear/core/sha256.h"
#include "allclear/core/text/value.h"
#include "allclear/distance/shape.h"
#include "allclear/robot_models/package_paths.h"

namespace allclear {

/// Finds and reads the files that a task or a scene names, and hashes what was read.
class InputFiles {
 public:
  InputFiles(PackageMap package_map, const std::filesystem::path& description_file)
      : package_map_(package_map), paths_(std::move(package_map), description_file) {}

  /// From now on names are relative to another description, such as a scene that a task names.
  void moveTo(const std::filesystem::path& description_file);

  const PackageMap& packageMap() const { return package_map_; }
  void hash(std::string_view content) { hash_.update(content); }
  std::string sha256() const { return hash_.hex(); }

  /// The path of the file that `name` names; an error at `name` when there is none.
  std::filesystem::path find(const Value& name) const;
  /// Reads a YAML document. Its content goes into the hash, as that of all that is read here.
  Value document(const std::filesystem::path& path);
  std::string content(const Value& name);
  TriangleMesh mesh(const Value& name, const Vec3& scale);

 private:
  PackageMap package_map_;
  PackagePaths paths_;
  Sha256 hash_;
};

}  // namespace allclear
