#pragma once

#include "allclear/distance/phong/options.h"
#include "allclear/distance/phong/state.h"
#include "allclear/distance/phong/surface.h"
#include "allclear/distance/soft/result.h"

namespace allclear {

/// The thesis's Phong distance (V, Algorithm 5.1; alpha 0.3, beta 2): the origin projected on the
/// boundary of the Minkowski sum A - B, of which only a ball about the last answer is made, with
/// planes that are continuous over the sum's facets. The reference for `dualPhongDistance`, which
/// is faster and smoother: under rotation the sum's facets come and go, and with them the planes.
///
/// Guards and fallback as of `dualPhongDistance`. `options.smoothing` is not looked at: the planes
/// at the sum's vertices are those of the facets around them. With `state->frozen` the facet is
/// kept; the gradient is that of the value on it.
SmoothDistance phongDistance(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                             const Pose& X_WB, const SmoothOptions& options, SmoothState* state);

}  // namespace allclear
