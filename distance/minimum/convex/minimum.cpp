// `minimumDistance` of two convex shapes.

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/bracket.h"
#include "allclear/distance/minimum/convex/certified.h"
#include "allclear/distance/minimum/convex/half_space.h"
#include "allclear/distance/minimum/query.h"

namespace allclear {
namespace {

/// Of a plane at rest.
DistanceBracket minimumAbove(std::span<const ConvexCurve> plane, std::span<const ConvexCurve> shape,
                             const McdOptions& options) {
  mcd::HalfSpaceMotion motion(plane, shape);
  return mcd::bracketOf(motion, mcd::certifiedHalfSpace(&motion, options), options,
                        /*is_proved=*/true);
}

}  // namespace

DistanceBracket minimumDistance(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b,
                                const McdOptions& options) {
  mcd::requireValid(options);
  ALLCLEAR_ASSERT(!a.empty() && !b.empty());
  if (mcd::isHalfSpace(*b[0].shape)) {  // `ConvexMotion` wants it first
    if (mcd::isHalfSpace(*a[0].shape)) {
      throw InputError("the distance of two half-spaces is unbounded");
    }
    return mcd::swapped(minimumDistance(b, a, options));
  }
  ALLCLEAR_ASSERT(options.spread == nullptr || !mcd::isHalfSpace(*a[0].shape));
  if (mcd::isAboveStillPlane(a, b)) return minimumAbove(a, b, options);
  mcd::ConvexMotion motion(a, b, options.spread);
  return mcd::bracketOf(motion, mcd::certifiedConvex(&motion, options), options,
                        /*is_proved=*/true);
}

}  // namespace allclear
