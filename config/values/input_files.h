#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "allclear/core/sha256.h"
#include "allclear/core/text/value.h"
#include "allclear/distance/cover_cache.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/shape.h"
#include "allclear/robot_models/load_robot.h"

namespace allclear {

class InputCache;

/// Finds and reads the files that a task or a scene names, and hashes what was read, each file by
/// the name that it is given there; for a file that a scene names, after "SCENE: ".
class InputFiles {
 public:
  InputFiles(PackageMap package_map, const std::filesystem::path& description_file)
      : package_map_(package_map),
        paths_(std::move(package_map), description_file),
        folder_(std::filesystem::absolute(description_file).parent_path()) {}

  /// From now on packages are looked for in these folders, for names in that description.
  void usePackages(PackageMap package_map, const std::filesystem::path& description_file);

  /// From now on names are relative to another description, such as a scene that a task names, and
  /// hashed with `prefix` before them.
  void moveTo(const std::filesystem::path& description_file, const std::string& prefix = "");

  /// Robots and meshes come from there where it has them.
  void useCache(InputCache* cache) { cache_ = cache; }
  /// The path of every file that is read from now on is added to the list.
  void recordFiles(std::vector<std::filesystem::path>* files_read) { files_read_ = files_read; }

  const PackageMap& packageMap() const { return package_map_; }
  /// The rule for open parts of meshes that have none of their own; `kShell` at first.
  void useOpenMeshes(OpenMeshes open) { open_meshes_ = open; }
  OpenMeshes openMeshes() const { return open_meshes_; }
  /// Where convex covers of meshes are kept; null, as at first: nowhere.
  void keepCoversIn(std::shared_ptr<const CoverCache> covers) { covers_ = std::move(covers); }
  const std::shared_ptr<const CoverCache>& covers() const { return covers_; }
  /// Adds a file that was read elsewhere.
  void hash(const std::string& name, std::string_view content) {
    files_.add(prefix_ + name, content);
  }
  std::string sha256() const { return files_.hex(); }

  /// The path of the file that `name` names; an error at `name` when there is none.
  std::filesystem::path find(const Value& name) const;
  /// Reads a YAML document. It goes into the hash by `name`, as all that is read here.
  Value document(const std::filesystem::path& path, const std::string& name);
  /// The same of a text that is there already, as if it were the file's.
  Value documentOf(const std::string& text, const std::filesystem::path& path,
                   const std::string& name);
  std::string content(const Value& name);
  /// The content of a file that no value names, which goes into the hash by `name`.
  std::string contentOf(const std::filesystem::path& path, const std::string& name);
  /// A mesh likewise, by its file's name.
  TriangleMesh meshOf(const std::filesystem::path& path, const Vec3& scale);
  TriangleMesh mesh(const Value& name, const Vec3& scale);
  /// The mesh that bends of a sequence of files ("curtain_%04d.obj"): `rate` frames a second, the
  /// first of them at `start` [s].
  DeformingMesh sequence(const Value& pattern, double rate, double start, double scale);
  std::shared_ptr<const RobotModel> robot(const RobotSource& source) const;

 private:
  PackageMap package_map_;
  PackagePaths paths_;
  std::filesystem::path folder_;  ///< absolute, of the description
  std::string prefix_;
  OpenMeshes open_meshes_ = OpenMeshes::kShell;
  std::shared_ptr<const CoverCache> covers_;
  FilesSha256 files_;
  InputCache* cache_ = nullptr;
  std::vector<std::filesystem::path>* files_read_ = nullptr;
};

}  // namespace allclear
