#pragma once

#include "allclear/distance/mcd_convex.h"
#include "allclear/distance/mcd_found.h"

namespace allclear::mcd {

/// Branch and bound: `lower` is proved for all times.
Found certifiedConvex(const ConvexMotion& motion, const McdOptions& options);

}  // namespace allclear::mcd
