#pragma once

#include <vector>

#include "allclear/distance/shape.h"

namespace allclear {

/// Points of a shape, its lowest ones among them when it stands on a face or rolls on a round side:
/// down is -z of the frame in which the shape has the orientation `R_WG`. Of round shapes some
/// points, so that what they span is never larger than the shape.
std::vector<Vec3> standingPoints(const Shape& shape, const Mat3& R_WG);

}  // namespace allclear
