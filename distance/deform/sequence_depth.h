#pragma once

#include "allclear/distance/deforming_mesh.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/minimum/tree/rigid_shape.h"

namespace allclear::deform {

/// How deep the shape, at X_OG, is in the hulls of the mesh's leaves at t; where the mesh has
/// closed parts, in the hull of all of it. In the frame O; positive when it is in none.
SignedDistance depthAt(const tree::RigidShape& shape, const Pose& X_OG, const DeformingMesh& mesh,
                       double t);

}  // namespace allclear::deform
