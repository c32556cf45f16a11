#pragma once

#include <span>

#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear {

/// `firstContact` of two convex shapes whose curves exist already.
FirstContact firstContact(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b,
                          double threshold, const FirstContactOptions& options);

}  // namespace allclear
