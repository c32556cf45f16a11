#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

/// A small hole of a mesh that triangles close.
struct ClosedHole {
  int edges = 0;              ///< of its rim
  double across = 0.0;        ///< [m] greatest distance of two corners of its rim
  double area = 0.0;          ///< [m^2] of the triangles that close it; about 0 of a seam
  Vec3 place = Vec3::Zero();  ///< the middle of its rim
};

/// What of a mesh bounds solids, and what is only a surface. Each connected part is one or the
/// other:
/// - a part that is closed is a solid; flipped and repeated triangles do not matter, parts that
///   face inward are turned, but for cavities (mesh/topology.h);
/// - small holes are closed first, by triangles that are added: those through which no disc of more
///   than 5 % of the part's diagonal passes (by area), and that are less than 5 % of its surface. A
///   seam where a vertex of one triangle lies on an edge of another is such a hole, without area;
/// - walls inside of a solid and sheets that stand on it are set aside: surfaces;
/// - what is still open, and closed parts without volume (sheets with two sides), are surfaces.
///
/// Every triangle of the mesh is one of `solid` or `shell`, but for repeated ones and those without
/// area that others hold; `solid` has more triangles only where holes were closed.
struct SolidAndShell {
  bool is_solid = false;              ///< the mesh as it is bounds solids: no part of it is open
  bool is_shell = false;              ///< the mesh as it is bounds none
  std::optional<TriangleMesh> solid;  ///< closed, faces outward; when neither of the above holds
  std::optional<TriangleMesh> shell;  ///< the rest
  std::vector<ClosedHole> closed_holes;
  int parts = 0;       ///< connected parts of the mesh
  int open_parts = 0;  ///< that are surfaces
  int open_edges = 0;  ///< of the surfaces: edges that an odd number of their triangles have
};

/// O(n log n), and O(parts that face inward * triangles).
SolidAndShell solidAndShell(const TriangleMesh& mesh);

/// The same, made once and kept with the mesh.
const SolidAndShell& solidAndShellOf(const TriangleMesh& mesh);

/// Whether parts of the mesh are open and count as filled.
bool isFilled(const TriangleMesh& mesh);

/// In a few words: "closed", "closed but for 2 holes, up to 3.1 mm across, that count as closed",
/// "1 of 3 parts open (12 open edges)".
std::string closednessText(const SolidAndShell& mesh);

/// What stands for the mesh in searches between exact bodies: "a solid", "a surface: its triangles
/// alone", "solids, and a surface for the open parts", "convex pieces that fill it".
std::string stanceText(const SolidAndShell& mesh, OpenMeshes open);

}  // namespace allclear
