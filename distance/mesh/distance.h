#pragma once

#include <limits>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/mesh/volume_bounds.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Distance of two bodies of which the surfaces may have any shape. Metres, world frame.
struct MeshDistance {
  /// Distance of the surfaces; 0 in contact.
  double distance = 0.0;
  /// The surfaces meet, or one body is within a closed part of the other.
  bool contact = false;
  bool contained = false;  ///< contact without surfaces that meet
  /// False when the search ended early because the distance is at least `enough`: `distance` is
  /// then a lower bound, and witnesses and normal mean nothing.
  bool evaluated = true;
  Vec3 witness_A = Vec3::Zero();  ///< nearest points, on the surfaces; equal where they meet
  Vec3 witness_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, from A to B; in contact any
  int triangle_A = 0;           ///< of the witnesses, in the bodies' BVHs
  int triangle_B = 0;
  long node_tests = 0;  ///< pairs of volumes looked at
  long triangle_tests = 0;
};

struct MeshDistanceOptions {
  /// The exact distance matters only below this [m]: ends early when it is at least so much.
  double enough = std::numeric_limits<double>::infinity();
  /// Counts a body inside of a closed part as contact. Else only surfaces count.
  bool inside = true;
};

/// What one query of a pair leaves for the next one of the same pair, memory for its search
/// included. Not to be shared between threads. Start with a fresh one.
struct MeshCache {
  struct Item {
    double lower;
    float n[3];
    std::int32_t a, b;
    std::int32_t time;
  };
  int triangle_A = -1;
  int triangle_B = -1;
  double t = 0.0;
  std::vector<Item> stack;
};

/// Distance of A and B at the world poses given, with points that realise it. Error 1e-14 of the
/// size of the pair between triangles, spheres and capsules, 1e-8 with a curved core.
MeshDistance meshDistance(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                          const MeshDistanceOptions& options = {}, MeshCache* cache = nullptr);

/// Whether the bodies meet, or one is within a closed part of the other.
bool meshesOverlap(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB,
                   MeshCache* cache = nullptr);

/// The same for shapes of which at least one is a triangle mesh. With a half-space the distance is
/// that of the mesh's convex hull (all that a plane sees): in contact `contained` is false and the
/// witness of the mesh is its deepest vertex.
MeshDistance meshDistance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                          const MeshDistanceOptions& options = {}, MeshCache* cache = nullptr);

namespace mesh {

/// Two leaves, A's placed by the affine map `X` into B's frame: distance of the surfaces, less the
/// thicknesses (negative when the insides overlap by those alone), and the points of the core
/// surfaces.
struct LeafDistance {
  double distance = 0.0;
  double a[3];  ///< B's frame
  double b[3];
};
LeafDistance leafDistance(const MeshBody& A, int leaf_A, const Affine& X, const MeshBody& B,
                          int leaf_B);

/// X_BA between the centres of the bodies.
Pose centred(const MeshBody& A, const Pose& X_WA, const MeshBody& B, const Pose& X_WB);
Affine affine(const Pose& X);

/// A triangle mesh's convex hull; other shapes as they are.
const Shape& meshHull(const Shape& shape);

/// One body has a part within a closed part of the other (surfaces apart, else either answer).
bool isInside(const MeshBody& A, const Pose& X_BA, const MeshBody& B);

}  // namespace mesh
}  // namespace allclear
