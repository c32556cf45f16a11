#pragma once

#include <filesystem>
#include <string>

#include "allclear/distance/shape.h"

namespace allclear {

struct MeshOptions {
  Vec3 scale = Vec3::Ones();  ///< of the file's coordinates; negative mirrors and keeps outside out
  /// Extents (longest edge of the bounding box, scaled) [m] beyond which the scale must be wrong.
  double largest_extent = 1e3;
  double smallest_extent = 1e-6;  ///< a micrometre: no part of a robot is smaller
};

/// Reads an STL, COLLADA (.dae) or Wavefront (.obj) file: node transforms and the file's length
/// unit applied, its up axis kept as it is, polygons cut into triangles, vertices at the same place
/// merged, nothing else changed (triangles without area are kept). Throws `InputError` naming the
/// file when it is unreadable, holds no triangle, has a vertex that is not finite, or an extent
/// out of range.
TriangleMesh loadMesh(const std::filesystem::path& path, const MeshOptions& options = {});

/// The same from the file's content, which a caller has read before; `path` gives the format.
TriangleMesh parseMesh(const std::string& content, const std::filesystem::path& path,
                       const MeshOptions& options = {});

/// Longest edge [m] of the axis-aligned bounding box.
double extent(const TriangleMesh& mesh);

}  // namespace allclear
