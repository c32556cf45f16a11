// `minimumDistance` of two capsules: the kernel's bare result completed by witnesses and a normal.

#include "allclear/distance/minimum/bracket.h"
#include "allclear/distance/minimum/capsule/motion.h"
#include "allclear/distance/minimum/query.h"

namespace allclear {
namespace {

/// The kernel's bracket is of the true motion; a `SearchResult` is of the polynomial one.
mcd::SearchResult certifiedCapsules(const mcd::CapsuleMotion& motion,
                                    std::span<const CapsuleCurve> a,
                                    std::span<const CapsuleCurve> b, const McdOptions& options) {
  CapsuleQuery query;
  query.tolerance = options.tolerance;
  if (options.threshold) query.threshold = *options.threshold;
  query.decide_only = options.decide_only;
  query.max_evaluations = options.max_evaluations;
  const CapsuleBracket kernel = capsuleMinimum(a, b, query);
  mcd::SearchResult result;
  result.evaluated = kernel.cell >= 0;
  if (result.evaluated) {
    // Once more at the kernel's instant, now with witnesses, normal and slope.
    result.best = motion.at({kernel.cell, kernel.s});
  } else {
    result.best.t = motion.cellTime(0).lower;
  }
  // `bracketOf` adds the error again.
  result.best.ceiling = kernel.upper - motion.error();
  result.lower = kernel.lower + motion.error();
  result.above_threshold = kernel.status == McdStatus::kCertifiedAbove;
  result.out_of_evaluations = kernel.status == McdStatus::kUndecided;
  result.evaluations = kernel.distance_evaluations;
  result.bound_evaluations = kernel.bound_evaluations;
  return result;
}

}  // namespace

DistanceBracket minimumDistance(std::span<const CapsuleCurve> a, std::span<const CapsuleCurve> b,
                                const McdOptions& options) {
  mcd::requireValid(options);
  const mcd::CapsuleMotion motion(a, b);
  return mcd::bracketOf(motion, certifiedCapsules(motion, a, b, options), options, true);
}

}  // namespace allclear
