#pragma once

#include <optional>
#include <vector>

#include "allclear/distance/mesh_depth/translation_space.h"

namespace allclear::mesh {

/// The point nearest to the origin that is `margin` beyond all planes, and the planes it lies on.
struct NearestBeyond {
  Vec3 point = Vec3::Zero();
  int active = 0;
  int plane[3];  ///< numbers of the `active` planes
};

/// Nothing when, to rounding, no point is beyond all planes. O(planes) per exchange.
std::optional<NearestBeyond> nearestBeyond(const std::vector<ContactPlane>& planes, double margin);

}  // namespace allclear::mesh
