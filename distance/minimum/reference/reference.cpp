// The thesis's searches behind the signature of `minimumDistance`: the same curves, motions and
// brackets, so that only the search differs.

#include "allclear/distance/minimum/reference/reference.h"

#include <string>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/mesh/prepared.h"
#include "allclear/distance/minimum/bracket.h"
#include "allclear/distance/minimum/query.h"
#include "allclear/distance/minimum/reference/approach_speed.h"
#include "allclear/distance/minimum/reference/mesh_searches.h"
#include "allclear/distance/minimum/reference/searches.h"

namespace allclear {
namespace {

[[noreturn]] void refuse(ReferenceAlgorithm algorithm, const char* what_it_is_for) {
  throw InputError(std::string("the algorithm '") + referenceAlgorithmName(algorithm) +
                   "' is for " + what_it_is_for);
}

template <class Motion>
mcd::SearchResult search(ReferenceAlgorithm algorithm, Motion& motion, const McdOptions& options) {
  mcd::ReferenceSearch<Motion> search(&motion, options);
  switch (algorithm) {
    case ReferenceAlgorithm::kGolden:
      return search.golden();
    case ReferenceAlgorithm::kAdvancement:
      return search.advancement(true);
    case ReferenceAlgorithm::kAdvancementIsotropic:
      return search.advancement(false);
    case ReferenceAlgorithm::kHybrid:
      return search.hybrid();
    case ReferenceAlgorithm::kSampling:
      return search.sampling();
    default:
      refuse(algorithm, "triangle meshes");
  }
}

mcd::MeshSearchResult search(ReferenceAlgorithm algorithm, mcd::SampledMeshMotion* motion,
                             const McdOptions& options) {
  switch (algorithm) {
    case ReferenceAlgorithm::kSampling:
      return mcd::meshSampling(motion, options);
    case ReferenceAlgorithm::kSubdivision:
      return mcd::meshSubdivision(motion, options, false);
    case ReferenceAlgorithm::kSubdivisionExtrema:
      return mcd::meshSubdivision(motion, options, true);
    default:
      refuse(algorithm, "convex shapes, not for meshes");
  }
}

// What is deepest in a half-space is a corner of the hull: a mesh against a plane is its hull
// against it, exactly, and the searches of convex shapes can take it.
DistanceBracket meshReference(ReferenceAlgorithm algorithm, MovingShape a, MovingShape b,
                              const McdOptions& options) {
  mcd::requireValid(options);
  if (mcd::isHalfSpace(*a.shape) || mcd::isHalfSpace(*b.shape)) {
    a.shape = &mesh::meshHull(*a.shape);
    b.shape = &mesh::meshHull(*b.shape);
    return referenceMinimum(algorithm, a, b, options);
  }
  return referenceMinimum(algorithm, *bodyOf(*a.shape), a, *bodyOf(*b.shape), b, options);
}

}  // namespace

DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, const MovingShape& a,
                                 const MovingShape& b, const McdOptions& options) {
  mcd::requireMatchingCurves(a, b);
  if (mcd::isMesh(*a.shape) || mcd::isMesh(*b.shape)) {
    return meshReference(algorithm, a, b, options);
  }
  if (mcd::isCapsule(*a.shape) && mcd::isCapsule(*b.shape)) {
    return referenceMinimum(algorithm, capsuleCurves(a), capsuleCurves(b), options);
  }
  return referenceMinimum(algorithm, convexCurves(a), convexCurves(b), options);
}

DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, std::span<const CapsuleCurve> a,
                                 std::span<const CapsuleCurve> b, const McdOptions& options) {
  mcd::requireValid(options);
  const mcd::CapsuleMotion motion(a, b);
  // A guessed lower end must not decide a threshold: a rival that is fast by claiming too much
  // would win every comparison.
  return mcd::bracketOf(motion, search(algorithm, motion, options), options, isSound(algorithm));
}

DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, std::span<const ConvexCurve> a,
                                 std::span<const ConvexCurve> b, const McdOptions& options) {
  mcd::requireValid(options);
  ALLCLEAR_ASSERT(!a.empty() && !b.empty());
  if (mcd::isHalfSpace(*b[0].shape)) {  // `ConvexMotion` wants it first
    if (mcd::isHalfSpace(*a[0].shape)) {
      throw InputError("the distance of two half-spaces is unbounded");
    }
    return mcd::swapped(referenceMinimum(algorithm, b, a, options));
  }
  mcd::ConvexMotion motion(a, b);
  return mcd::bracketOf(motion, search(algorithm, motion, options), options, isSound(algorithm));
}

DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, const MeshBody& A,
                                 const MovingShape& a, const MeshBody& B, const MovingShape& b,
                                 const McdOptions& options, MeshMcdCounts* counts) {
  // `MeshMotion` has the body with the tree of triangles first; the answer is turned back.
  if (A.bvh() == nullptr) {
    return mcd::swapped(referenceMinimum(algorithm, B, b, A, a, options, counts));
  }
  const mcd::MeshMotion motion(A, a, B, b);
  mcd::SampledMeshMotion sampled(motion);
  const mcd::MeshSearchResult result = search(algorithm, &sampled, mcd::optionsOfSurfaces(options));
  if (counts != nullptr) {
    counts->node_tests += sampled.node_tests();
    counts->triangle_tests += sampled.triangle_tests();
  }
  return mcd::bracketOf(motion, result, options, isSound(algorithm));
}

const char* referenceAlgorithmName(ReferenceAlgorithm algorithm) {
  switch (algorithm) {
    case ReferenceAlgorithm::kGolden:
      return "golden";
    case ReferenceAlgorithm::kAdvancement:
      return "advancement";
    case ReferenceAlgorithm::kAdvancementIsotropic:
      return "advancement-isotropic";
    case ReferenceAlgorithm::kHybrid:
      return "hybrid";
    case ReferenceAlgorithm::kSampling:
      return "sampling";
    case ReferenceAlgorithm::kSubdivision:
      return "subdivision";
    case ReferenceAlgorithm::kSubdivisionExtrema:
      return "subdivision-extrema";
  }
  return "unknown";
}

/// Golden section and what ends in it find a local minimum, which may not be the least; the extrema
/// bound of the thesis has a counterexample (docs/algorithms/mesh-distance.md).
bool isSound(ReferenceAlgorithm algorithm) {
  return algorithm != ReferenceAlgorithm::kGolden && algorithm != ReferenceAlgorithm::kHybrid &&
         algorithm != ReferenceAlgorithm::kSubdivisionExtrema;
}

}  // namespace allclear
