#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/distance/cover_cache.h"
#include "allclear/robot_models/files/urdf_reader.h"
#include "allclear/robot_models/load_robot.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Turns the shapes of a URDF into geometry; each mesh file is read once per scale.
class GeometryLoader {
 public:
  /// `files` takes every mesh that becomes collision geometry, by its URI; warnings are appended.
  GeometryLoader(PackagePaths paths, std::string urdf_file, FilesSha256& files,
                 std::vector<std::string>& warnings)
      : paths_(std::move(paths)), file_(std::move(urdf_file)), files_(files), warnings_(warnings) {}

  /// The rule for open parts of collision meshes.
  void useOpenMeshes(OpenMeshes open) { open_meshes_ = open; }
  /// Where covers of collision meshes are kept; null: nowhere.
  void keepCoversIn(std::shared_ptr<const CoverCache> covers) { covers_ = std::move(covers); }

  /// The path of every mesh file that is read from now on is added to the list.
  void recordFiles(std::vector<std::filesystem::path>* files_read) { files_read_ = files_read; }

  /// Throws `InputError` on a mesh that is missing or broken, or open where that is refused.
  std::vector<Geometry> collision(const UrdfLink& link);

  /// Its visuals as collision geometry: every mesh counts. Throws as `collision`.
  std::vector<Geometry> visualAsCollision(const UrdfLink& link);

  /// Leaves out meshes that are missing or broken, with a warning.
  std::vector<Geometry> visual(const UrdfLink& link);

 private:
  struct LoadedMesh {
    std::string uri;
    Vec3 scale;
    TriangleMesh mesh;
  };

  Geometry geometry(const UrdfLink& link, const UrdfShape& shape, bool is_collision);
  TriangleMesh mesh(const UrdfLink& link, const UrdfShape& shape, bool is_collision);

  TriangleMesh withRule(const TriangleMesh& mesh, const std::string& path) const;
  TriangleMesh read(const std::string& path, const Vec3& scale, const InputPlace& user,
                    bool is_collision);

  PackagePaths paths_;
  std::string file_;
  FilesSha256& files_;
  std::vector<std::string>& warnings_;
  OpenMeshes open_meshes_ = OpenMeshes::kShell;
  std::shared_ptr<const CoverCache> covers_;
  std::vector<std::filesystem::path>* files_read_ = nullptr;
  std::vector<LoadedMesh> collision_meshes_;
  std::vector<LoadedMesh> visual_meshes_;
};

}  // namespace allclear
