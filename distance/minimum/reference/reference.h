#pragma once

#include <span>

#include "allclear/distance/minimum/capsule/capsule.h"
#include "allclear/distance/minimum/convex/convex.h"
#include "allclear/distance/minimum/mesh/mesh.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear {

/// The thesis's searches for the minimum of the continuous distance: rivals of the certified search
/// in tests and benches, no part of the product.
enum class ReferenceAlgorithm {
  kGolden,                ///< golden-section search: `upper` is sound, `lower` is only a guess
  kAdvancement,           ///< conservative advancement, directional motion bound: sound
  kAdvancementIsotropic,  ///< conservative advancement, lever-arm motion bound: sound
  kHybrid,                ///< advancement from both ends, then golden section: `lower` a guess
  kSampling,              ///< equidistant samples, as many as the tolerance needs: sound
  kSubdivision,           ///< meshes only: adaptive subdivision of time: sound
  kSubdivisionExtrema,    ///< meshes only: with the extrema bound of the thesis: `lower` a guess
};

const char* referenceAlgorithmName(ReferenceAlgorithm algorithm);

/// True when `lower` of that algorithm's bracket is proved rather than guessed.
bool isSound(ReferenceAlgorithm algorithm);

/// As `minimumDistance` of the same arguments, by another algorithm. Throws `InputError` for one
/// that is not for the pair: meshes have kSampling, kSubdivision and kSubdivisionExtrema, other
/// pairs all but the last two.
DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, const MovingShape& a,
                                 const MovingShape& b, const McdOptions& options);
DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, std::span<const CapsuleCurve> a,
                                 std::span<const CapsuleCurve> b, const McdOptions& options);
DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, std::span<const ConvexCurve> a,
                                 std::span<const ConvexCurve> b, const McdOptions& options);
DistanceBracket referenceMinimum(ReferenceAlgorithm algorithm, const MeshBody& A,
                                 const MovingShape& a, const MeshBody& B, const MovingShape& b,
                                 const McdOptions& options, MeshMcdCounts* counts = nullptr);

}  // namespace allclear
