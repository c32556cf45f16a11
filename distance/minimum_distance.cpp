#include "allclear/distance/minimum_distance.h"

#include <cmath>
#include <utility>
#include <vector>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/capsule/motion.h"
#include "allclear/distance/minimum/convex/certified.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/minimum/reference/searches.h"
#include "allclear/distance/minimum/refine.h"

namespace allclear {
namespace {

using mcd::CapsuleMotion;
using mcd::ConvexMotion;
using mcd::Found;

bool isCapsule(const Shape& shape) {
  return std::holds_alternative<Capsule>(shape) || std::holds_alternative<Sphere>(shape);
}

bool isHalfSpace(const Shape& shape) { return std::holds_alternative<HalfSpace>(shape); }

template <class Motion>
Found searchByThesis(const Motion& motion, const McdOptions& options) {
  mcd::Searcher<Motion> searcher(motion, options);
  switch (options.algorithm) {
    case McdAlgorithm::kGolden:
      return searcher.golden();
    case McdAlgorithm::kAdvancement:
      return searcher.advancement(true);
    case McdAlgorithm::kAdvancementIsotropic:
      return searcher.advancement(false);
    case McdAlgorithm::kHybrid:
      return searcher.hybrid();
    case McdAlgorithm::kSampling:
      return searcher.sampling();
    default:
      throw InputError(std::string("the algorithm '") + mcdAlgorithmName(options.algorithm) +
                       "' is for triangle meshes");
  }
}

/// The true motion's bracket from what was found of the polynomial one.
template <class Motion>
DistanceBracket bracketOf(const Motion& motion, Found found, const McdOptions& options) {
  DistanceBracket bracket;
  if (options.refine && found.evaluated) {
    bracket.unique = mcd::Refinement<Motion>(motion, &found).run(options.tolerance);
  }
  bracket.lower = std::min(found.lower, found.best.ceiling) - motion.error();
  bracket.upper = found.best.ceiling + motion.error();
  bracket.t_star = found.best.t;
  bracket.evaluated = found.evaluated;
  bracket.witness_A = found.best.witness_A;
  bracket.witness_B = found.best.witness_B;
  bracket.normal = found.best.normal;
  bracket.distance_evaluations = found.evaluations;
  bracket.bound_evaluations = found.bound_evaluations;
  const double threshold = options.threshold.value_or(-std::numeric_limits<double>::infinity());
  if (options.threshold && isSound(options.algorithm) &&
      (found.above_threshold || bracket.lower >= threshold)) {
    bracket.lower = std::max(bracket.lower, threshold);
    bracket.status = McdStatus::kCertifiedAbove;
  } else if (bracket.upper < threshold) {
    bracket.status = McdStatus::kBelow;
  } else {
    const double width =
        std::max(options.tolerance, 0.5 * options.tolerance + 2.0 * motion.error());
    const bool within = bracket.upper - bracket.lower <= width * (1.0 + 1e-9);
    bracket.status =
        within && !found.out_of_evaluations ? McdStatus::kBracketed : McdStatus::kUndecided;
  }
  return bracket;
}

Found certifiedCapsules(const CapsuleMotion& motion, std::span<const CapsuleCurve> a,
                        std::span<const CapsuleCurve> b, const McdOptions& options) {
  CapsuleQuery query;
  query.tolerance = options.tolerance;
  if (options.threshold) query.threshold = *options.threshold;
  query.decide_only = options.decide_only;
  query.max_evaluations = options.max_evaluations;
  const CapsuleBracket kernel = capsuleMinimum(a, b, query);
  Found found;
  found.evaluated = kernel.cell >= 0;
  if (found.evaluated) {
    found.best = motion.at({kernel.cell, kernel.s});
  } else {
    found.best.t = motion.cellTime(0).lower;
  }
  found.best.ceiling = kernel.upper - motion.error();
  found.lower = kernel.lower + motion.error();
  found.above_threshold = kernel.status == McdStatus::kCertifiedAbove;
  found.out_of_evaluations = kernel.status == McdStatus::kUndecided;
  found.evaluations = kernel.distance_evaluations;
  found.bound_evaluations = kernel.bound_evaluations;
  return found;
}

void checkOptions(const McdOptions& options) {
  if (!(options.tolerance > 0.0 && std::isfinite(options.tolerance))) {
    throw InputError("the tolerance of a minimum distance must be positive");
  }
  if (options.threshold && std::isnan(*options.threshold)) {
    throw InputError("the threshold of a minimum distance is not a number");
  }
  if (options.max_evaluations < 1) {
    throw InputError("a minimum distance needs at least one evaluation");
  }
}

DistanceBracket swapped(DistanceBracket bracket) {
  std::swap(bracket.witness_A, bracket.witness_B);
  bracket.normal = -bracket.normal;
  return bracket;
}

bool isAtRest(const BodyCurve& curve) {
  return curve.bounds.linear[0] == 0.0 && curve.bounds.angular[0] == 0.0;
}

/// Both bodies' curves must be cells of the same times, or one of them a single still curve.
void checkCurves(const MovingShape& a, const MovingShape& b) {
  if (a.shape == nullptr || b.shape == nullptr || a.curves.empty() || b.curves.empty()) {
    throw InputError("a moving shape needs a shape and at least one body curve");
  }
  if (a.curves.size() == b.curves.size()) {
    for (std::size_t i = 0; i < a.curves.size(); ++i) {
      const Interval &x = a.curves[i].time, &y = b.curves[i].time;
      const bool still = a.curves.size() == 1 && (isAtRest(a.curves[0]) || isAtRest(b.curves[0]));
      if (!still && (x.lower != y.lower || x.upper != y.upper)) {
        throw InputError("the body curves of two shapes have different cells of time");
      }
    }
    return;
  }
  const BodyCurve& single = a.curves.size() == 1 ? a.curves[0] : b.curves[0];
  if ((a.curves.size() != 1 && b.curves.size() != 1) || !isAtRest(single)) {
    throw InputError("two shapes have different numbers of body curves, and neither is still");
  }
}

bool isMesh(const Shape& shape) { return std::holds_alternative<TriangleMesh>(shape); }

DistanceBracket meshMinimum(MovingShape a, MovingShape b, const McdOptions& options) {
  checkOptions(options);
  if (isHalfSpace(*a.shape) || isHalfSpace(*b.shape)) {
    a.shape = &mesh::meshHull(*a.shape);
    b.shape = &mesh::meshHull(*b.shape);
    return minimumDistance(a, b, options);
  }
  return minimumDistance(*bodyOf(*a.shape), a, *bodyOf(*b.shape), b, options);
}

template <class Curve, class Make>
std::vector<Curve> curvesOf(const MovingShape& moving, const Make& make) {
  std::vector<Curve> curves(moving.curves.size());
  make(moving, std::span<Curve>(curves));
  return curves;
}

}  // namespace

DistanceBracket minimumDistance(std::span<const CapsuleCurve> a, std::span<const CapsuleCurve> b,
                                const McdOptions& options) {
  checkOptions(options);
  const CapsuleMotion motion(a, b);
  const Found found = options.algorithm == McdAlgorithm::kCertified
                          ? certifiedCapsules(motion, a, b, options)
                          : searchByThesis(motion, options);
  return bracketOf(motion, found, options);
}

DistanceBracket minimumDistance(std::span<const ConvexCurve> a, std::span<const ConvexCurve> b,
                                const McdOptions& options) {
  checkOptions(options);
  ALLCLEAR_ASSERT(!a.empty() && !b.empty());
  if (isHalfSpace(*b[0].shape)) {
    if (isHalfSpace(*a[0].shape)) throw InputError("the distance of two half-spaces is unbounded");
    return swapped(minimumDistance(b, a, options));
  }
  const ConvexMotion motion(a, b);
  const Found found = options.algorithm == McdAlgorithm::kCertified
                          ? mcd::certifiedConvex(motion, options)
                          : searchByThesis(motion, options);
  return bracketOf(motion, found, options);
}

DistanceBracket minimumDistance(const MovingShape& a, const MovingShape& b,
                                const McdOptions& options) {
  checkCurves(a, b);
  if (isMesh(*a.shape) || isMesh(*b.shape)) return meshMinimum(a, b, options);
  if (isCapsule(*a.shape) && isCapsule(*b.shape)) {
    const auto make = [](const MovingShape& moving, std::span<CapsuleCurve> curves) {
      capsuleCurves(moving.curves, capsuleAxis(*moving.shape, moving.X_BG), curves);
    };
    return minimumDistance(curvesOf<CapsuleCurve>(a, make), curvesOf<CapsuleCurve>(b, make),
                           options);
  }
  const auto make = [](const MovingShape& moving, std::span<ConvexCurve> curves) {
    convexCurves(moving.curves, *moving.shape, moving.X_BG, curves);
  };
  return minimumDistance(curvesOf<ConvexCurve>(a, make), curvesOf<ConvexCurve>(b, make), options);
}

WitnessGradient witnessGradient(const MovingShape& a, const MovingShape& b,
                                const DistanceBracket& bracket) {
  const auto curveAt = [&](const MovingShape& moving) -> const BodyCurve& {
    for (const BodyCurve& curve : moving.curves) {
      if (curve.time.contains(bracket.t_star)) return curve;
    }
    return moving.curves.front();
  };
  const auto inBody = [&](const MovingShape& moving, const Vec3& witness) -> Vec3 {
    const Pose X = curveAt(moving).pose(bracket.t_star);
    return X.R.partialPivLu().solve(witness - X.p);
  };
  WitnessGradient gradient;
  gradient.t_star = bracket.t_star;
  gradient.p_A = inBody(a, bracket.witness_A);
  gradient.p_B = inBody(b, bracket.witness_B);
  gradient.normal = bracket.normal;
  gradient.unique = bracket.unique;
  return gradient;
}

const char* mcdAlgorithmName(McdAlgorithm algorithm) {
  switch (algorithm) {
    case McdAlgorithm::kCertified:
      return "certified";
    case McdAlgorithm::kGolden:
      return "golden";
    case McdAlgorithm::kAdvancement:
      return "advancement";
    case McdAlgorithm::kAdvancementIsotropic:
      return "advancement-isotropic";
    case McdAlgorithm::kHybrid:
      return "hybrid";
    case McdAlgorithm::kSampling:
      return "sampling";
    case McdAlgorithm::kSubdivision:
      return "subdivision";
    case McdAlgorithm::kSubdivisionExtrema:
      return "subdivision-extrema";
  }
  return "unknown";
}

bool isSound(McdAlgorithm algorithm) {
  return algorithm != McdAlgorithm::kGolden && algorithm != McdAlgorithm::kHybrid &&
         algorithm != McdAlgorithm::kSubdivisionExtrema;
}

const char* mcdStatusName(McdStatus status) {
  switch (status) {
    case McdStatus::kBracketed:
      return "bracketed";
    case McdStatus::kCertifiedAbove:
      return "certified above";
    case McdStatus::kBelow:
      return "below";
    case McdStatus::kUndecided:
      return "undecided";
  }
  return "unknown";
}

}  // namespace allclear
