// Chooses, for each mesh, the solids of one fidelity; they are made once and kept with the mesh.

#include "allclear/distance/convex_cover.h"

#include "allclear/distance/mesh/prepared.h"

namespace allclear {

namespace {

/// The mesh itself, or its solid and its open parts.
void addExact(const Geometry& part, const TriangleMesh& mesh, std::vector<Geometry>* solids) {
  const SolidAndShell& told_apart = solidAndShellOf(mesh);
  if (told_apart.is_solid || told_apart.is_shell) {
    solids->push_back(part);
    return;
  }
  if (told_apart.solid) solids->push_back({*told_apart.solid, part.X_BG});
  if (told_apart.shell) solids->push_back({*told_apart.shell, part.X_BG});
}

}  // namespace

const std::vector<Vec3>& fewCornersOf(const TriangleMesh& mesh) {
  return PreparedMesh::of(mesh).fewCorners(mesh);
}

std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry,
                                      MeshFidelity fidelity) {
  std::vector<Geometry> solids;
  for (const Geometry& part : geometry) {
    const auto* mesh = std::get_if<TriangleMesh>(&part.shape);
    if (mesh == nullptr) {
      solids.push_back(part);
    } else if (fidelity == MeshFidelity::kHull) {
      solids.push_back({hullOf(*mesh), part.X_BG});
    } else if (fidelity == MeshFidelity::kSurface && !isFilled(*mesh)) {
      addExact(part, *mesh, &solids);
    } else {
      // The surface of a mesh that is to be filled does not bound it: its finest cover does.
      const bool exact = fidelity == MeshFidelity::kSurface;
      for (const ConvexMesh& piece : coverOf(*mesh, exact ? MeshFidelity::kManyPieces : fidelity)) {
        solids.push_back({piece, part.X_BG});
      }
    }
  }
  return solids;
}

}  // namespace allclear
