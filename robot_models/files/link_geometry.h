#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/core/sha256.h"
#include "allclear/robot_models/files/urdf_reader.h"
#include "allclear/robot_models/package_paths.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Turns the shapes of a URDF into geometry; each mesh file is read once per scale.
class GeometryLoader {
 public:
  /// `hash` takes the content of every collision mesh, in the order read; warnings are appended.
  GeometryLoader(PackagePaths paths, std::string urdf_file, Sha256& hash,
                 std::vector<std::string>& warnings)
      : paths_(std::move(paths)), file_(std::move(urdf_file)), hash_(hash), warnings_(warnings) {}

  /// Throws `InputError` on a mesh that is missing or broken.
  std::vector<Geometry> collision(const UrdfLink& link);

  /// Leaves out meshes that are missing or broken, with a warning.
  std::vector<Geometry> visual(const UrdfLink& link);

 private:
  struct LoadedMesh {
    std::string path;
    Vec3 scale;
    TriangleMesh mesh;
  };

  Geometry geometry(const UrdfLink& link, const UrdfShape& shape, bool is_collision);
  TriangleMesh mesh(const UrdfLink& link, const UrdfShape& shape, bool is_collision);

  TriangleMesh read(const std::string& path, const Vec3& scale, const InputPlace& user,
                    bool is_hashed);

  PackagePaths paths_;
  std::string file_;
  Sha256& hash_;
  std::vector<std::string>& warnings_;
  std::vector<LoadedMesh> collision_meshes_;
  std::vector<LoadedMesh> visual_meshes_;
};

}  // namespace allclear
