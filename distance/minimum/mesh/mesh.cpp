#include "allclear/distance/minimum/mesh/mesh.h"

#include <cmath>
#include <optional>
#include <utility>

#include "allclear/core/input_error.h"
#include "allclear/distance/minimum/mesh/depth.h"
#include "allclear/distance/minimum/reference/searches.h"

namespace allclear {
namespace {

using mcd::MeshFound;
using mcd::MeshMotion;

MeshFound sampled(const MeshMotion& motion, const McdOptions& options) {
  mcd::Searcher<MeshMotion> searcher(motion, options);
  const mcd::Found found = searcher.sampling();
  MeshFound result;
  const double error = motion.error();
  result.is_instant = result.evaluated = true;
  result.instant = found.best;
  result.lower = std::min(found.lower, found.best.distance) - error;
  result.upper = found.best.distance + error;
  result.contact = found.best.distance <= error;
  result.spent = found.out_of_evaluations;
  result.evaluations = found.evaluations;
  return result;
}

MeshFound search(const MeshMotion& motion, const McdOptions& options, MeshCache* cache,
                 MeshMcdCounts* counts) {
  switch (options.algorithm) {
    case McdAlgorithm::kCertified:
      return mcd::spaceTime(motion, options, cache, counts);
    case McdAlgorithm::kSampling:
      return sampled(motion, options);
    case McdAlgorithm::kSubdivision:
      return mcd::subdivision(motion, options, false);
    case McdAlgorithm::kSubdivisionExtrema:
      return mcd::subdivision(motion, options, true);
    default:
      throw InputError(std::string("the algorithm '") + mcdAlgorithmName(options.algorithm) +
                       "' is for convex shapes, not for meshes");
  }
}

/// The least signed distance that the bodies' balls allow during the motion.
double deepest(const MeshMotion& motion) {
  double least = std::numeric_limits<double>::infinity();
  for (int cell = 0; cell < motion.cells(); ++cell) {
    least = std::min(least, motion.sweptBound(cell));
  }
  return std::max(least, -(motion.A().reach() + motion.B().reach()));
}

/// Surfaces that stay apart: a body is inside of the other always or never.
void checkInside(const MeshMotion& motion, const McdOptions& options, MeshFound* found) {
  const double threshold = options.threshold.value_or(std::numeric_limits<double>::infinity());
  if (found->contact || !(motion.A().hasInside() || motion.B().hasInside())) return;
  if (!found->evaluated && found->lower >= threshold && motion.sweptBound(0) > 0.0) return;
  const mesh::Affine X = motion.relative(0).at(-1.0);
  Pose X_BA;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) X_BA.R(i, k) = X.R[3 * i + k];
    X_BA.p[i] = X.T[i];
  }
  if (!mesh::isInside(motion.A(), X_BA, motion.B())) return;
  found->contact = true;
  found->upper = 0.0;
}

void placeWitnesses(const MeshMotion& motion, const MeshFound& found, DistanceBracket* bracket) {
  if (found.is_instant) {
    bracket->t_star = found.instant.t;
    bracket->witness_A = found.instant.witness_A;
    bracket->witness_B = found.instant.witness_B;
    bracket->normal = found.instant.normal;
    return;
  }
  bracket->t_star = motion.timeAt(found.place);
  if (!found.evaluated) return;
  const Pose X_WC = motion.frameOfB(found.place);
  const Vec3 a(found.leaf.a[0], found.leaf.a[1], found.leaf.a[2]);
  const Vec3 b(found.leaf.b[0], found.leaf.b[1], found.leaf.b[2]);
  const double length = (b - a).norm();
  const Vec3 normal = length > 0.0 ? Vec3((b - a) / length) : Vec3::UnitX();
  bracket->witness_A = X_WC * (a + motion.A().thickness() * normal);
  bracket->witness_B = X_WC * (b - motion.B().thickness() * normal);
  bracket->normal = (X_WC.R * normal).normalized();
}

DistanceBracket bracketOf(const MeshMotion& motion, MeshFound found, const McdOptions& options) {
  checkInside(motion, options, &found);
  std::optional<mcd::DeepestInstant> depth;
  if (found.contact) {
    found.lower = std::min(deepest(motion), found.upper);
    // A threshold above is decided by the contact.
    const bool decided = options.threshold && found.upper < *options.threshold;
    if (!decided && !found.spent) {
      depth = mcd::deepestInstant(motion, found.is_instant ? found.instant.place : found.place);
      found.upper = std::min(found.upper, depth->upper);
      found.lower = std::min(std::max(found.lower, depth->lower), found.upper);
      found.evaluations += depth->evaluations;
    }
  }
  DistanceBracket bracket;
  bracket.lower = found.lower;
  bracket.upper = found.upper;
  bracket.evaluated = found.evaluated;
  bracket.penetrating = found.contact;
  bracket.distance_evaluations = found.evaluations;
  bracket.bound_evaluations = found.bound_evaluations;
  if (depth) {
    bracket.t_star = motion.timeAt(depth->place);
    bracket.witness_A = depth->there.witness_A;
    bracket.witness_B = depth->there.witness_B;
    bracket.normal = depth->there.normal;
  } else {
    placeWitnesses(motion, found, &bracket);
  }
  const double threshold = options.threshold.value_or(-std::numeric_limits<double>::infinity());
  if (options.threshold && isSound(options.algorithm) && !found.contact &&
      bracket.lower >= threshold) {
    bracket.status = McdStatus::kCertifiedAbove;
  } else if (bracket.upper < threshold) {
    bracket.status = McdStatus::kBelow;
  } else {
    const double width =
        std::max(options.tolerance, 0.5 * options.tolerance + 4.0 * motion.error());
    const bool within = bracket.upper - bracket.lower <= width * (1.0 + 1e-9);
    bracket.status = within && !found.spent ? McdStatus::kBracketed : McdStatus::kUndecided;
  }
  return bracket;
}

}  // namespace

DistanceBracket minimumDistance(const MeshBody& A, const MovingShape& a, const MeshBody& B,
                                const MovingShape& b, const McdOptions& options, MeshCache* cache,
                                MeshMcdCounts* counts) {
  MeshCache fresh;
  MeshMcdCounts uncounted;
  if (cache == nullptr) cache = &fresh;
  if (counts == nullptr) counts = &uncounted;
  if (A.bvh() == nullptr) {
    std::swap(cache->triangle_A, cache->triangle_B);
    DistanceBracket bracket = minimumDistance(B, b, A, a, options, cache, counts);
    std::swap(cache->triangle_A, cache->triangle_B);
    std::swap(bracket.witness_A, bracket.witness_B);
    bracket.normal = -bracket.normal;
    return bracket;
  }
  const MeshMotion motion(A, a, B, b);
  // Surfaces that stay apart say nothing of a threshold of penetration but that it is kept.
  McdOptions of_surfaces = options;
  if (options.threshold) of_surfaces.threshold = std::max(*options.threshold, 0.0);
  MeshFound found = search(motion, of_surfaces, cache, counts);
  counts->node_tests += motion.node_tests;
  counts->triangle_tests += motion.triangle_tests;
  return bracketOf(motion, found, options);
}

}  // namespace allclear
