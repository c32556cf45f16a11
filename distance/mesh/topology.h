#pragma once

#include <array>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A triangle mesh cleaned for distance queries: the same set of points, with
/// - equal vertices merged and unused ones dropped,
/// - triangles that repeat another one (either way round) dropped, and those without area whose
///   edge or corner another triangle has,
/// - the triangles of a part turned to agree with each other where they can, and closed parts
///   turned outside out, except cavities: closed parts inside of another one that face inward.
struct MeshTopology {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<int> source;                     ///< number of each triangle in the given mesh
  std::vector<std::array<int, 3>> neighbours;  ///< across the edge from corner i; -1: none or many
  std::vector<int> part;                       ///< of each triangle: parts are connected by edges
  std::vector<char> part_closed;               ///< the part has no rim: it has an inside
  bool closed = false;                         ///< all parts are
  double volume = 0.0;                         ///< [m^3] within the closed parts, cavities excluded
};

MeshTopology cleaned(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);

/// How often the closed parts wind about p: 1 inside, 0 outside, 2 where two parts overlap. By
/// solid angles, O(triangles): near p on the surface any value between.
double windingNumber(const MeshTopology& mesh, const Vec3& p);

}  // namespace allclear
