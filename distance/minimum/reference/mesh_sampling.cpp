// Static distances along a motion of two meshes, and equidistant samples of them.

#include "allclear/distance/minimum/reference/mesh_searches.h"

#include "allclear/distance/minimum/reference/searches.h"

namespace allclear::mcd {
namespace {

/// The rotation nearest to a matrix that is one up to an error e: each step of Newton's iteration
/// for the polar factor makes it e^2.
Mat3 nearestRotation(Mat3 R) {
  for (int i = 0; i < 3; ++i) {
    const Mat3 excess = R.transpose() * R - Mat3::Identity();
    R -= 0.5 * R * excess;
  }
  return R;
}

}  // namespace

SampledMeshMotion::SampledMeshMotion(const MeshMotion& motion)
    : motion_(motion), curves_(motion.relativeCurves()), error_(motion.error(curves_)) {}

Instant SampledMeshMotion::at(TimePoint when) {
  const MeshBody &A = motion_.A(), &B = motion_.B();
  Pose X_BA = poseOf(curves_[when.cell].at(2.0 * when.s - 1.0));
  X_BA.R = nearestRotation(X_BA.R);
  // `meshDistance` works from the geometry frames.
  const Pose X_A{X_BA.R, X_BA.p - X_BA.R * A.center()}, X_B{Mat3::Identity(), -B.center()};
  MeshDistanceOptions surfaces;
  surfaces.inside = false;
  const MeshDistance found = meshDistance(A, X_A, B, X_B, surfaces, &cache_);
  node_tests_ += found.node_tests;
  triangle_tests_ += found.triangle_tests;
  const Pose X_WC = motion_.frameOfB(when);
  Instant instant;
  instant.when = when;
  instant.t = motion_.timeAt(when);
  instant.distance = instant.ceiling = found.distance;
  instant.witness_A = X_WC * found.witness_A;
  instant.witness_B = X_WC * found.witness_B;
  instant.normal = (X_WC.R * found.normal).normalized();
  instant.unique = false;
  return instant;
}

MeshSearchResult meshSampling(SampledMeshMotion* motion, const McdOptions& options) {
  const SearchResult found = ReferenceSearch<SampledMeshMotion>(motion, options).sampling();
  MeshSearchResult result;
  // A `MeshSearchResult` is of the true motion.
  const double error = motion->error();
  result.is_instant = result.evaluated = true;
  result.instant = found.best;
  result.lower = std::min(found.lower, found.best.distance) - error;
  result.upper = found.best.distance + error;
  result.contact = found.best.distance <= error;
  result.spent = found.out_of_evaluations;
  result.evaluations = found.evaluations;
  return result;
}

}  // namespace allclear::mcd
