#pragma once

#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Vertices of the patches that stand for a mesh that bends, at a fidelity: at most 16, 128 or
/// 1024. Distances are to the hulls of the patches' vertices, which enclose all triangles. (There
/// is no finer level: `kSurface` has the patches of `kManyPieces`.)
std::vector<std::vector<std::int32_t>> patchesOf(const DeformingMesh& mesh, MeshFidelity fidelity);

/// One box for each patch, in the mesh's frame, that holds it at every instant.
std::vector<Geometry> sweptBoxes(const DeformingMesh& mesh,
                                 const std::vector<std::vector<std::int32_t>>& patches);

/// A box that holds all of the mesh at every instant.
Geometry sweptBox(const DeformingMesh& mesh);

/// The hull of a patch at t, in the mesh's frame.
Geometry hullAt(const DeformingMesh& mesh, const std::vector<std::int32_t>& patch, double t);

/// The hulls of all patches at t.
std::vector<Geometry> hullsAt(const DeformingMesh& mesh, MeshFidelity fidelity, double t);

}  // namespace allclear
