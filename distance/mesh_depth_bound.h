#pragma once

#include "allclear/distance/mesh_body.h"

namespace allclear::mesh {

/// How far p, relative to the body's centre, is below its surface (negative: above), rounded down;
/// -infinity for a convex core (not sought).
double depthBelowSurface(const MeshBody& body, const Vec3& p);

/// Lower bound of the depth of A and B; 0 when c gives none. c: relative to B's centre. A ball
/// about c within A and one within B share a point until one of the bodies has moved by the sum of
/// their radii. Above the surface of one of them the point of that surface nearest to c serves
/// instead of a ball.
double ballDepth(const MeshBody& A, const Pose& X_BA, const MeshBody& B, const Vec3& c);

}  // namespace allclear::mesh
