#pragma once

#include <span>

#include "allclear/distance/shape.h"

namespace allclear {

/// Volume [m^3] of a shape: exact; of a convex mesh: of its hull; of a triangle mesh: by the signed
/// volumes over its triangles, which means something for closed meshes only; infinite for
/// half-spaces.
double shapeVolume(const Shape& shape);

/// True when every edge of the mesh is used as often in one sense as in the other, vertices at
/// equal places counting as one: the mesh bounds a solid.
bool isClosed(const TriangleMesh& mesh);

/// The volume [m^3] that the solids fill, for comparison with a fit: the sum over the shapes, where
/// a mesh that is open or turned inside out counts as its convex hull. Overlaps count twice.
double solidVolume(std::span<const Geometry> solids);

/// Volume [m^3] of the union of capsules (shapes must be capsules), summed over a grid of `lines` x
/// `lines` parallel lines: 160 give about 1e-3 of itself. Exact for one capsule.
double capsuleUnionVolume(std::span<const Geometry> capsules, int lines = 160);

}  // namespace allclear
