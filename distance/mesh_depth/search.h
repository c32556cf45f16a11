#pragma once

#include <optional>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"

namespace allclear::mesh {

struct DepthSearchOptions {
  /// A translation known to have separated the pair, or nearly.
  std::optional<Vec3> warm;
  /// More directions to begin with.
  std::optional<Vec3> hint;
  /// Directions all around to try; descents from the best of all starts.
  int fan = 32;
  int descents = 3;
  /// A start counts when its way out is at most so many times the best one known.
  double promising = 1.05;
};

/// A translation of A that frees it from B: shortest among those near it.
struct DepthFound {
  bool found = false;
  Vec3 translation = Vec3::Zero();  ///< of A, in B's frame
  Vec3 middle = Vec3::Zero();       ///< of the contact then, relative to B's centre
  double lower = 0.0;               ///< certified lower bound of the depth
  bool unique_normal = true;
  long node_tests = 0;
  long triangle_tests = 0;
  int lines = 0;  ///< exits sought
};

/// Iterative contact-space projection from several starts. Pre: A has triangles; the bodies meet.
DepthFound searchDepth(const MeshBody& A, const MeshBody& B, const Pose& X_BA,
                       const DepthSearchOptions& options);

}  // namespace allclear::mesh
