#pragma once

#include "allclear/distance/convex/normal_refinement.h"

namespace allclear {

/// Best of the 15 axes of two boxes (a segment is a box with two zero edges): the largest
/// separation over all normals when the boxes overlap; else a lower bound of their distance.
/// Pre: both cores are segments or boxes.
NormalCandidate bestBoxAxis(const CorePair& pair);

}  // namespace allclear
