#pragma once

#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/search_result.h"

namespace allclear::mcd {

/// Branch and bound: `lower` is proved for all times.
SearchResult certifiedConvex(ConvexMotion* motion, const McdOptions& options);

}  // namespace allclear::mcd
