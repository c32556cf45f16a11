#pragma once

#include <span>

#include "allclear/distance/shape.h"

namespace allclear {

/// Volume of a shape [m^3]: exact; of a convex mesh that of its hull; of a triangle mesh the sum of
/// signed tetrahedra, which is meaningful for closed meshes only; of a half-space infinity.
double shapeVolume(const Shape& shape);

/// Whether the mesh bounds a solid: every edge is used as often in one sense as in the other, where
/// vertices at equal places count as one.
bool isClosed(const TriangleMesh& mesh);

/// The volume that the solids fill [m^3], to compare a fit with: the sum over the shapes, overlaps
/// counted twice. A mesh that is open or turned inside out counts as its convex hull.
double solidVolume(std::span<const Geometry> solids);

/// Volume of the union of capsules [m^3], by a grid of `lines` x `lines` parallel lines: 160 give
/// it to about 1e-3. Exact for one capsule. Pre: all shapes are capsules.
double capsuleUnionVolume(std::span<const Geometry> capsules, int lines = 160);

}  // namespace allclear
