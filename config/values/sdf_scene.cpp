// The models of an SDF world as obstacles: one for each link that has collision geometry.
//
// All that the reader of the format opens goes through the files of the task, so that hashes,
// batches and caches know of it.
#include "allclear/config/values/sdf_scene.h"

#include <algorithm>

#include "allclear/core/file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/solid_and_shell.h"
#include "allclear/robot_models/files/sdf_world.h"

namespace allclear {

bool isSdfWorld(const std::filesystem::path& path) {
  return path.extension() == ".sdf" || path.extension() == ".world";
}

void readSdfScene(const std::string& content, const std::filesystem::path& path, const Pose& X_WS,
                  SceneContext& context) {
  InputFiles& files = context.files;
  SdfFiles others;
  // URIs are looked for from the file that has them: an included model has its own folder.
  others.find = [&](const std::string& uri, const std::filesystem::path& base) {
    return PackagePaths(files.packageMap(), base).find(uri, {base.string(), 0, "uri", uri});
  };
  others.read = [&](const std::filesystem::path& file) {
    return files.contentOf(file, file.filename().string());
  };
  others.mesh = [&](const std::filesystem::path& file, const Vec3& scale) {
    TriangleMesh mesh = files.meshOf(file, scale);
    // As of meshes that a task names: by the rule for open parts, and with covers kept.
    if (files.openMeshes() == OpenMeshes::kError && solidAndShellOf(mesh).open_parts > 0) {
      throw InputError({file.string(), 0, "", ""},
                       "the mesh is not closed: " + closednessText(solidAndShellOf(mesh)));
    }
    if (files.openMeshes() == OpenMeshes::kFill) mesh = mesh.withOpen(OpenMeshes::kFill);
    if (files.covers()) keepCovers(mesh, files.covers());
    return mesh;
  };
  SdfWorld world = parseSdfWorld(content, path, others);
  for (SdfBody& body : world.bodies) {
    const bool is_taken =
        std::any_of(context.scene.obstacles.begin(), context.scene.obstacles.end(),
                    [&](const Obstacle& obstacle) { return obstacle.id == body.name; });
    if (is_taken) {
      throw InputError({path.string(), 0, "", body.name}, "there is an object of this id already");
    }
    Obstacle obstacle;
    obstacle.id = body.name;
    obstacle.X_WO = X_WS * body.X_WO;
    obstacle.geometry = std::move(body.geometry);
    context.scene.obstacles.push_back(std::move(obstacle));
  }
  // A warning of the world as a whole stands with its last body, for certificates to repeat.
  for (std::string& warning : world.warnings) {
    if (!context.scene.obstacles.empty()) context.scene.obstacles.back().notes.push_back(warning);
    context.scene.warnings.push_back(path.filename().string() + ": " + warning);
  }
}

}  // namespace allclear
