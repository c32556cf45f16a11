#pragma once

#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Solids that together enclose the geometry: `fidelity` says by what a mesh is replaced; any other
/// shape stays. All of them are convex, except with `kSurface`: a closed mesh then stays itself.
/// An open mesh, whose inside is not defined, is replaced by many pieces then.
std::vector<Geometry> enclosingSolids(const std::vector<Geometry>& geometry, MeshFidelity fidelity);

}  // namespace allclear
