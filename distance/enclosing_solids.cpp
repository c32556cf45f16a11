// Chooses, for each mesh, the solids of one fidelity; they are made once and kept with the mesh.

#include "allclear/distance/enclosing_solids.h"

#include "allclear/distance/mesh/prepared.h"

namespace allclear {

std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry,
                                      MeshFidelity fidelity) {
  std::vector<Geometry> solids;
  for (const Geometry& part : geometry) {
    const auto* mesh = std::get_if<TriangleMesh>(&part.shape);
    const bool exact = fidelity == MeshFidelity::kSurface;
    if (mesh == nullptr || (exact && bodyOf(*mesh)->topology().closed)) {
      solids.push_back(part);
    } else if (fidelity == MeshFidelity::kHull) {
      solids.push_back({hullOf(*mesh), part.X_BG});
    } else {
      // An open mesh has no inside that its surface could bound: its finest cover stands for it.
      for (const ConvexMesh& piece : coverOf(*mesh, exact ? MeshFidelity::kManyPieces : fidelity)) {
        solids.push_back({piece, part.X_BG});
      }
    }
  }
  return solids;
}

}  // namespace allclear
