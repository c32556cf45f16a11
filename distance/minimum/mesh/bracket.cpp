#include "allclear/distance/minimum/bracket.h"

#include <cmath>
#include <optional>

#include "allclear/distance/minimum/mesh/depth.h"
#include "allclear/distance/minimum/mesh/mesh.h"

namespace allclear::mcd {
namespace {

/// The least signed distance that the bodies' balls allow during the motion.
double depthByBalls(const MeshMotion& motion) {
  double least = std::numeric_limits<double>::infinity();
  for (int cell = 0; cell < motion.cells(); ++cell) {
    least = std::min(least, motion.sweptBound(cell));
  }
  return std::max(least, -(motion.A().reach() + motion.B().reach()));
}

/// While surfaces stay apart a body is inside of the other always or never: one instant tells.
void checkInside(const MeshMotion& motion, const McdOptions& options, MeshSearchResult* found) {
  const double threshold = options.threshold.value_or(std::numeric_limits<double>::infinity());
  if (found->contact || !(motion.A().hasInside() || motion.B().hasInside())) return;
  if (!found->evaluated && found->lower >= threshold && motion.sweptBound(0) > 0.0) return;
  const Pose X_BA = poseOf(motion.relative(0).at(-1.0));
  if (!mesh::isInside(motion.A(), X_BA, motion.B())) return;
  found->contact = true;
  found->upper = 0.0;
}

void placeWitnesses(const MeshMotion& motion, const MeshSearchResult& found,
                    DistanceBracket* bracket) {
  if (found.is_instant) {
    bracket->t_star = found.instant.t;
    bracket->witness_A = found.instant.witness_A;
    bracket->witness_B = found.instant.witness_B;
    bracket->normal = found.instant.normal;
    return;
  }
  bracket->t_star = motion.timeAt(found.when);
  if (!found.evaluated) return;
  const Pose X_WC = motion.frameOfB(found.when);
  const Vec3 a(found.leaf.a[0], found.leaf.a[1], found.leaf.a[2]);
  const Vec3 b(found.leaf.b[0], found.leaf.b[1], found.leaf.b[2]);
  // Core surfaces to surfaces: outward by the thickness. In contact any normal does.
  const double length = (b - a).norm();
  const Vec3 normal = length > 0.0 ? Vec3((b - a) / length) : Vec3::UnitX();
  bracket->witness_A = X_WC * (a + motion.A().thickness() * normal);
  bracket->witness_B = X_WC * (b - motion.B().thickness() * normal);
  bracket->normal = (X_WC.R * normal).normalized();
}

/// Where the bodies meet: how deep, unless the contact alone decides the threshold.
std::optional<DeepestInstant> addDepth(const MeshMotion& motion, const McdOptions& options,
                                       MeshSearchResult* found) {
  found->lower = std::min(depthByBalls(motion), found->upper);
  const bool is_decided = options.threshold && found->upper < *options.threshold;
  if (is_decided || found->spent) return std::nullopt;
  DeepestInstant depth =
      deepestInstant(motion, found->is_instant ? found->instant.when : found->when);
  found->upper = std::min(found->upper, depth.upper);
  found->lower = std::min(std::max(found->lower, depth.lower), found->upper);
  found->evaluations += depth.evaluations;
  return depth;
}

}  // namespace

DistanceBracket bracketOf(const MeshMotion& motion, MeshSearchResult found,
                          const McdOptions& options, bool is_proved) {
  checkInside(motion, options, &found);
  std::optional<DeepestInstant> depth;
  if (found.contact) depth = addDepth(motion, options, &found);
  DistanceBracket bracket;
  bracket.lower = found.lower;
  bracket.upper = found.upper;
  bracket.evaluated = found.evaluated;
  bracket.penetrating = found.contact;
  bracket.distance_evaluations = found.evaluations;
  bracket.bound_evaluations = found.bound_evaluations;
  if (depth) {
    bracket.t_star = motion.timeAt(depth->when);
    bracket.witness_A = depth->there.witness_A;
    bracket.witness_B = depth->there.witness_B;
    bracket.normal = depth->there.normal;
  } else {
    placeWitnesses(motion, found, &bracket);
  }
  const double threshold = options.threshold.value_or(-std::numeric_limits<double>::infinity());
  if (options.threshold && is_proved && !found.contact && bracket.lower >= threshold) {
    bracket.status = McdStatus::kCertifiedAbove;
  } else if (bracket.upper < threshold) {
    bracket.status = McdStatus::kBelow;
  } else {
    // Both ends contain the error of two polynomial motions, nearest rotations included.
    const double error = depth ? depth->motion_error : motion.error(motion.relativeCurves());
    const bool narrow = isNarrow(bracket, options.tolerance, 4.0 * error);
    bracket.status = narrow && !found.spent ? McdStatus::kBracketed : McdStatus::kUndecided;
  }
  return bracket;
}

}  // namespace allclear::mcd
