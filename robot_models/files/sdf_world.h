#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

/// A link of a model in a world, with its collision geometry.
struct SdfBody {
  std::string name;  ///< "model", or "model::link" where the model has several; "outer::inner::..."
  Pose X_WO;         ///< of the link in the world
  std::vector<Geometry> geometry;
};

struct SdfWorld {
  std::vector<SdfBody> bodies;
  std::vector<std::string> warnings;  ///< what the file says and is not done
};

/// How other files are found and read.
struct SdfFiles {
  /// The path of a URI; `base` is the file that has it. Throws `InputError` when there is none.
  std::function<std::filesystem::path(const std::string& uri, const std::filesystem::path& base)>
      find;
  /// The content of each file of an included model, before the library reads it.
  std::function<std::string(const std::filesystem::path& file)> read;
  /// Reads a mesh.
  std::function<TriangleMesh(const std::filesystem::path& file, const Vec3& scale)> mesh;
};

/// Reads an SDF file with one world (or a single model), by libsdformat: the collision geometry of
/// all links of all models, at rest where the file puts them. Models that are not static stand
/// there too, with a warning; plugins are not run, with a warning. Throws `InputError` naming file
/// and line when the file is not valid, holds what may move or add bodies (actors, populations), or
/// has a collision of a kind that is not read (height maps, polylines, submeshes); and when the
/// build has no libsdformat. Worlds are bounded with all that they include, as the library takes
/// megabytes for a model: by 32 MiB, and some 800 models of one link.
SdfWorld parseSdfWorld(const std::string& content, const std::filesystem::path& path,
                       const SdfFiles& files);

}  // namespace allclear
