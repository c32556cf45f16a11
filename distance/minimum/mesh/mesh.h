#pragma once

#include "allclear/distance/minimum/mesh/motion.h"
#include "allclear/distance/minimum_distance.h"

namespace allclear {

/// What a query did, for benches.
struct MeshMcdCounts {
  long node_tests = 0;      ///< pairs of volumes bounded
  long triangle_tests = 0;  ///< triangle pairs, distance and bound
  long intervals = 0;       ///< of time
};

/// `minimumDistance` of two bodies, of which at least one has triangles (mesh/body.h), by branch
/// and bound in space and time. `cache` keeps the best time and triangles for the next query of the
/// pair (warm start), and the memory of the search.
///
/// Where the bodies meet (surfaces, or one body within a closed part of the other) the bracket is
/// `penetrating` and holds the signed distance (mesh_depth/depth.h): t_star is the deepest of a few
/// instants, `witness_B - witness_A` there is the translation back of B that would free it, `upper`
/// is proved for the depth at t_star, `lower` for all instants. Such a bracket is seldom narrower
/// than the tolerance (`kUndecided`). When the contact alone decides the threshold, no depth is
/// computed: `upper` is the error of the motion (about 0), `lower` what the bodies' balls allow.
DistanceBracket minimumDistance(const MeshBody& A, const MovingShape& a, const MeshBody& B,
                                const MovingShape& b, const McdOptions& options,
                                MeshCache* cache = nullptr, MeshMcdCounts* counts = nullptr);

namespace mcd {

/// What a search of two moving bodies' surfaces knows when it ends; distances [m] of the true
/// motion.
struct MeshSearchResult {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool contact = false;    ///< the surfaces meet, to within the motion's error
  bool evaluated = false;  ///< else `upper` is a bound by balls, and there are no nearest points
  bool spent = false;      ///< out of evaluations
  TimePoint when;
  mesh::LeafDistance leaf{};  ///< nearest points on the core surfaces, in the frame of B's centre
  Instant instant;            ///< instead of `when` and `leaf`, for searches by static distances
  bool is_instant = false;
  int evaluations = 0;
  int bound_evaluations = 0;
};

/// Branch and bound over pairs of bounding volumes times intervals of time.
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
