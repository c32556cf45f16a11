#pragma once

#include <vector>

#include "allclear/distance/convex_cover.h"
#include "allclear/distance/fit/surface.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Convex solids whose union contains every triangle of the mesh, as a surface: what it surrounds
/// is not filled. At most `options.most_pieces`; fewer when joining two costs less than
/// `options.least_gain` of the volume of the mesh's hull. Flat panels, as of a cupboard, become
/// flat pieces when there are enough for all. Deterministic. Rounding: about 1e-11 of the mesh's
/// size. Pre: triangles share their corners and agree with their neighbours (mesh/topology.h).
/// `cuts` gets the planes that cut triangles.
std::vector<ConvexMesh> shellCover(const TriangleMesh& mesh, const ConvexCoverOptions& options,
                                   std::vector<fitting::Plane>* cuts = nullptr);

}  // namespace allclear
