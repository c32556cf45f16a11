#pragma once

#include "allclear/distance/phong/options.h"
#include "allclear/distance/phong/state.h"
#include "allclear/distance/phong/surface.h"
#include "allclear/distance/soft/result.h"

namespace allclear {

/// The thesis's Phong distance (V, Algorithm 5.1; alpha 0.3, beta 2): projects the origin on the
/// boundary of the Minkowski sum A - B along planes that are continuous over the sum's facets. Only
/// the part of the sum in a ball about the last result is built. The reference for
/// `dualPhongDistance`, which is faster and smoother: under rotation the facets of the sum come and
/// go, and with them the planes.
///
/// Guard and fallback as in `dualPhongDistance`. Ignores `options`: the plane at a vertex of the
/// sum is that of the facets around it. With `state->frozen` the query keeps the facet, and the
/// gradient is that of the value on it. `state` may be null.
SmoothDistance phongDistance(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                             const Pose& X_WB, const SmoothOptions& options, SmoothState* state);

}  // namespace allclear
