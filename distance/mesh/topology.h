#pragma once

#include <array>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// A triangle mesh cleaned for distance queries. It is the same set of points, but
/// - equal vertices are merged and unused ones dropped,
/// - triangles that repeat another one (either way round) are dropped, and so are those without
/// area
///   whose edge or corner belongs to another triangle,
/// - triangles of a part are turned to agree with their neighbours where possible, and closed parts
///   are turned to face outward, except cavities: closed parts inside another one, facing inward.
struct MeshTopology {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<int> source;                     ///< number of each triangle in the given mesh
  std::vector<std::array<int, 3>> neighbours;  ///< across the edge from corner i; -1: none or many
  std::vector<int> part;                       ///< of each triangle; edges connect a part
  std::vector<char> part_closed;               ///< the part has no rim, so it has an inside
  bool closed = false;                         ///< all parts are
  double volume = 0.0;                         ///< [m^3] within the closed parts, cavities excluded
};

/// O(n log n), except that finding cavities is O(inward parts * triangles).
MeshTopology cleaned(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);

/// How often the closed parts wind about p: 1 inside, 0 outside, 2 where two parts overlap, any
/// value between for p on the surface. By solid angles, O(triangles).
double windingNumber(const MeshTopology& mesh, const Vec3& p);

}  // namespace allclear
