#pragma once

#include <optional>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"

namespace allclear::mesh {

struct DepthSearchOptions {
  /// A translation that separated the pair at its last query, or nearly does. Other starts are then
  /// used only to find something shorter.
  std::optional<Vec3> warm_start;
  /// One more direction to begin with.
  std::optional<Vec3> hint;
  /// Number of directions tried all around.
  int fan_directions = 32;
  /// Number of starts, the best ones, that are improved by descent.
  int descents = 3;
  /// A start counts when its length is at most this many times that of the best one known.
  double start_ratio = 1.05;
};

/// A translation of A that frees it from B; none near it is shorter.
struct DepthSearchResult {
  bool found = false;
  Vec3 translation = Vec3::Zero();  ///< of A, in B's frame
  Vec3 middle = Vec3::Zero();       ///< of the contact there, relative to B's centre
  double lower = 0.0;               ///< certified lower bound of the depth
  bool unique_normal = true;        ///< no other direction was found to be as short
  long node_tests = 0;
  long triangle_tests = 0;
  int lines = 0;  ///< lines of translations that were searched for a contact
};

/// Searches the shortest translation of A that frees it from B, by iterative projection on the
/// contact space from several starts. Pre: A has triangles; the bodies meet.
DepthSearchResult searchDepth(const MeshBody& A, const MeshBody& B, const Pose& X_BA,
                              const DepthSearchOptions& options);

}  // namespace allclear::mesh
