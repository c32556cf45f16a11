#pragma once

#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Bodies that together enclose the geometry: `fidelity` says by what a mesh is replaced; any other
/// shape stays. All of them are convex, except with `kSurface`: there a mesh becomes its closed
/// parts, a solid, and its open ones, a surface (solid_and_shell.h); one whose open parts are to
/// be filled (`OpenMeshes::kFill`) is replaced by many pieces then.
std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry, MeshFidelity fidelity);

/// Corners of a polytope that holds the mesh's hull, of the order of fifty whatever the mesh, and a
/// few percent larger at the most; made once and kept with the mesh.
const std::vector<Vec3>& fewCornersOf(const TriangleMesh& mesh);

}  // namespace allclear
