// Shapes of a URDF to geometry. A collision mesh that is missing or broken is an error: the robot
// would have a hole. A visual one is only left out, with a warning: it shows in reports alone.
#include "allclear/robot_models/files/link_geometry.h"

#include <algorithm>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/solid_and_shell.h"
#include "allclear/robot_models/files/mesh_file.h"

namespace allclear {
namespace {

constexpr std::size_t kLargestMeshFile = std::size_t{1} << 29;
// [m] Larger or smaller meshes are read, but millimetres were probably taken for metres: a warning.
constexpr double kUsualLargestLink = 50.0;
constexpr double kUsualSmallestLink = 5e-4;

}  // namespace

std::vector<Geometry> GeometryLoader::collision(const UrdfLink& link) {
  std::vector<Geometry> out;
  for (const UrdfShape& shape : link.collision) out.push_back(geometry(link, shape, true));
  return out;
}

std::vector<Geometry> GeometryLoader::visualAsCollision(const UrdfLink& link) {
  std::vector<Geometry> out;
  for (const UrdfShape& shape : link.visual) out.push_back(geometry(link, shape, true));
  return out;
}

std::vector<Geometry> GeometryLoader::visual(const UrdfLink& link) {
  std::vector<Geometry> out;
  for (const UrdfShape& shape : link.visual) {
    try {
      out.push_back(geometry(link, shape, false));
    } catch (const InputError& error) {
      warnings_.push_back(std::string("visual left out: ") + error.what());
    }
  }
  return out;
}

Geometry GeometryLoader::geometry(const UrdfLink& link, const UrdfShape& shape, bool is_collision) {
  if (shape.shape) return {*shape.shape, shape.X_LG};
  return {mesh(link, shape, is_collision), shape.X_LG};
}

TriangleMesh GeometryLoader::read(const std::string& path, const Vec3& scale,
                                  const InputPlace& user, bool is_collision) {
  try {
    const std::string content = readFile(path, kLargestMeshFile);
    if (files_read_ != nullptr) files_read_->push_back(path);
    if (is_collision) files_.add(user.value, content);
    MeshOptions options;
    options.scale = scale;
    const TriangleMesh mesh = parseMesh(content, path, options);
    return is_collision ? withRule(mesh, path) : mesh;
  } catch (const InputError& error) {
    // Name both files: the mesh that is broken and the link that uses it.
    throw InputError(error.place(), error.message() + " (" + user.key + " in " + user.file + ":" +
                                        std::to_string(user.line) + ")");
  }
}

/// The mesh with the rule for its open parts.
TriangleMesh GeometryLoader::withRule(const TriangleMesh& mesh, const std::string& path) const {
  if (open_meshes_ == OpenMeshes::kShell) return mesh;
  if (open_meshes_ == OpenMeshes::kFill) return mesh.withOpen(open_meshes_);
  const SolidAndShell& parts = solidAndShellOf(mesh);
  if (parts.open_parts > 0) {
    throw InputError({path, 0, "", ""},
                     "the mesh is not closed: " + closednessText(parts) +
                         "; close it, or choose 'shell' or 'fill' for open meshes");
  }
  return mesh;
}

TriangleMesh GeometryLoader::mesh(const UrdfLink& link, const UrdfShape& shape, bool is_collision) {
  const InputPlace place{file_, shape.line, "link '" + link.name + "': mesh", shape.mesh_uri};
  const std::string path = paths_.find(shape.mesh_uri, place).string();
  std::vector<LoadedMesh>& loaded = is_collision ? collision_meshes_ : visual_meshes_;
  // The mesh is read once per scale, so that links share it and what is derived from it.
  for (const LoadedMesh& known : loaded) {
    if (known.uri == shape.mesh_uri && known.scale == shape.mesh_scale) return known.mesh;
  }
  const TriangleMesh result = read(path, shape.mesh_scale, place, is_collision);
  const double size = extent(result);
  if (is_collision && (size > kUsualLargestLink || size < kUsualSmallestLink)) {
    warnings_.push_back(path + ": is " + std::to_string(size) + " m wide: wrong scale?");
  }
  if (is_collision && covers_) keepCovers(result, covers_);
  loaded.push_back({shape.mesh_uri, shape.mesh_scale, result});
  return result;
}

}  // namespace allclear
