#pragma once

#include <limits>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/mesh/volume_bounds.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Distance of two bodies whose surfaces may have any shape. Metres, world frame.
struct MeshDistance {
  /// Distance of the surfaces; 0 in contact.
  double distance = 0.0;
  /// The surfaces meet, or a part of one body is within a closed part of the other.
  bool contact = false;
  bool contained = false;  ///< in contact although the surfaces are apart
  /// False when the search ended early because the distance is at least `enough`: `distance` is
  /// then a lower bound, and witnesses and normal mean nothing.
  bool evaluated = true;
  Vec3 witness_A = Vec3::Zero();  ///< nearest points, on the surfaces; equal where they meet
  Vec3 witness_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, from A to B; in contact any
  int triangle_A = 0;           ///< of the witnesses, in the bodies' BVHs
  int triangle_B = 0;
  long node_tests = 0;  ///< pairs of volumes bounded
  long triangle_tests = 0;
};

struct MeshDistanceOptions {
  /// The exact distance matters only below this [m]: the search ends early above it.
  double enough = std::numeric_limits<double>::infinity();
  /// Counts a body inside a closed part as contact; otherwise only surfaces that meet count.
  bool inside = true;
};

/// What one query of a pair leaves for the next query of the same pair: the nearest triangles, and
/// memory for the search. Start with a fresh one; not to be shared between threads.
struct MeshCache {
  /// A pair of volumes to be visited (tree_search.h).
  struct Item {
    double lower;       ///< bound of the distance [m]
    float n[3];         ///< direction of that bound, unit, B to A
    std::int32_t a, b;  ///< references of the volumes
    std::int32_t time;  ///< number of an interval, of bodies that move
  };
  int triangle_A = -1;  ///< nearest triangles of the last query; -1: none
  int triangle_B = -1;
  double t = 0.0;  ///< time at which they were nearest, of bodies that move
  std::vector<Item> stack;
};

/// Distance of A and B at the given world poses, with points that realise it. Error: 1e-14 of the
/// pair's size between triangles, spheres and capsules, 1e-8 of it with a curved core.
MeshDistance meshDistance(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                          const MeshDistanceOptions& options = {}, MeshCache* cache = nullptr);

/// Whether the bodies meet, or one is within a closed part of the other.
bool meshesOverlap(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                   MeshCache* cache = nullptr);

/// The same for shapes; at least one must be a triangle mesh (else throws `InputError`). Against a
/// half-space the mesh's convex hull is used, which is all that a plane can touch: in contact
/// `contained` is false then, and the witness on the mesh is its deepest vertex.
MeshDistance meshDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                          const MeshDistanceOptions& options = {}, MeshCache* cache = nullptr);

namespace mesh {

/// Distance of two leaves less the thicknesses (negative when only these overlap), and the nearest
/// points on the leaves' cores. `X` places A's leaf in B's frame.
struct LeafDistance {
  double distance = 0.0;
  double a[3];  ///< B's frame
  double b[3];
};
LeafDistance leafDistance(const MeshBody& A, int leaf_A, const Affine& X, const MeshBody& B,
                          int leaf_B);

/// X_BA from the centre of A to the centre of B.
Pose centred(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB);
Affine affine(const Pose& X);

/// The convex hull of a triangle mesh; any other shape itself.
const Shape& meshHull(const Shape& shape);

/// One body has a part within a closed part of the other. Pre: the surfaces are apart, else either
/// answer is possible.
bool isInside(const MeshBody& A, const Pose& X_BA, const MeshBody& B);

}  // namespace mesh
}  // namespace allclear
