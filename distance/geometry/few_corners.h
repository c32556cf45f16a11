#pragma once

#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// Fewer points whose hull holds all of these: a hull of a thousand corners becomes one of a
/// hundred that is larger by a millimetre or so. Those given, where they are few or no hull of some
/// of them, grown by 6 %, holds all (flat and needle-like ones). O(points * corners kept).
std::vector<Vec3> fewCorners(const std::vector<Vec3>& points);

}  // namespace allclear
