#pragma once

#include "allclear/distance/minimum/mesh/motion.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear {

/// What a query did, for benches.
struct MeshMcdCounts {
  long node_tests = 0;      ///< pairs of volumes looked at
  long triangle_tests = 0;  ///< triangle pairs, distance and bound
  long intervals = 0;       ///< of time
};

/// `minimumDistance` of two bodies of which at least one has triangles (mesh_body.h).
/// Branch and bound in space and time. `cache` keeps the best time and triangles for the next query
/// of the pair (warm start), and memory.
///
/// Where the bodies meet (surfaces, or one within a closed part of the other) the bracket is
/// penetrating, and of the signed distance (mesh_depth.h): t_star is the deepest of a few instants,
/// `witness_B - witness_A` there is the translation back of B that would free it, `upper` what is
/// proven of the depth there, `lower` what no instant is below. It is then seldom narrower than the
/// tolerance (`kUndecided`). A threshold that the contact alone decides leaves it at that: `upper`
/// is the error of the motion (about 0), `lower` what the bodies' balls allow.
DistanceBracket minimumDistance(const MeshBody& A, const MovingShape& a, const MeshBody& B,
                                const MovingShape& b, const McdOptions& options,
                                MeshCache* cache = nullptr, MeshMcdCounts* counts = nullptr);

namespace mcd {

/// What a search of two moving bodies' surfaces knows; distances of the true motion.
struct MeshSearchResult {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool contact = false;
  bool evaluated = false;
  bool spent = false;  ///< out of evaluations
  TimePoint when;
  mesh::LeafDistance leaf{};  ///< core surfaces, in the frame of B's centre
  Instant instant;            ///< instead of `leaf`, for the static searches
  bool is_instant = false;
  int evaluations = 0;
  int bound_evaluations = 0;
};

MeshSearchResult spaceTime(const MeshMotion& motion, const McdOptions& options, MeshCache* cache,
                           MeshMcdCounts* counts);

/// Options for a search that knows surfaces only: surfaces that stay apart can prove a threshold of
/// 0 at most, whatever depth the query allows.
McdOptions optionsOfSurfaces(const McdOptions& options);

/// The query's bracket from a search of the surfaces: looks for containment, and in contact for the
/// depth. `is_proved`: `result.lower` is a bound, not a guess, so that it may decide a threshold.
DistanceBracket bracketOf(const MeshMotion& motion, MeshSearchResult result,
                          const McdOptions& options, bool is_proved);

}  // namespace mcd
}  // namespace allclear
