#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

/// Triangles for the viewer, in the frame of a body.
struct ReportMesh {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
};

/// A shape as triangles: round ones by 32 sides, a half-space by a square of edge `plane_size` [m].
ReportMesh reportMesh(const Geometry& geometry, double plane_size);

/// Of several half-spaces (the walls of a cell) the square of number `i`, less what is inside of
/// the others.
ReportMesh reportPlane(const std::vector<Geometry>& planes, std::size_t i, double plane_size);

/// The mesh with at most `most_triangles` triangles: vertices within a cell of a grid become one,
/// and triangles that lose their area are dropped. Unchanged when it has no more than that.
ReportMesh simplified(const ReportMesh& mesh, int most_triangles);

/// A mesh in few bytes: vertices as 16 bit fractions of their bounding box (`lower`, `size`), then
/// triangles as indices of 16 bits, or of 32 where there are more than 65536 vertices.
struct PackedMesh {
  int vertex_count = 0;
  int triangle_count = 0;
  Vec3 lower = Vec3::Zero();
  Vec3 size = Vec3::Zero();
  std::string vertices;   ///< base64, little endian
  std::string triangles;  ///< base64, little endian
};
PackedMesh packed(const ReportMesh& mesh);

/// RFC 4648, with padding.
std::string base64(const void* data, std::size_t bytes);

/// The values as 32 bit floating point numbers, little endian, base64.
std::string packedFloats(const std::vector<double>& values);

}  // namespace allclear
