#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/core/types.h"
#include "allclear/distance/distance_result.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Which signed distance: all are positive apart and negative in penetration.
enum class SmoothMethod {
  kEuclidean,  ///< the distance itself; its direction jumps on edges and on medial surfaces
  kPhong,      ///< projection of the origin on the Minkowski sum's facets (the thesis's method)
  kDualPhong,  ///< common Phong normal of two surface points, found by a walk (meshes)
  kSoft,       ///< softened least support over directions (convex solids); never above the distance
  kAutomatic,  ///< `kDualPhong` where a body is a mesh that few convex pieces do not match, else
               ///< `kSoft`
};

const char* smoothMethodName(SmoothMethod method);

struct SmoothOptions {
  SmoothMethod method = SmoothMethod::kAutomatic;
  /// `kSoft`: tau [m]. The value is about 7 tau below the distance.
  double softness = 2e-3;
  /// `kPhong`, `kDualPhong`: radius over which surface normals are averaged [m]; 0 for the
  /// neighbouring facets alone, negative for one chosen by the pair.
  double smoothing = -1.0;
};

/// Where a pair's answer was found, to go on from there; of one pair and one method. Start with a
/// fresh one.
struct SmoothState {
  bool valid = false;
  /// Holds the branch: the same facets, not searched for anew, so that values and gradients of
  /// nearby poses belong to one smooth function.
  bool frozen = false;
  std::int32_t feature_A[3] = {-1, -1, -1};
  std::int32_t feature_B[3] = {-1, -1, -1};
  double weight_A[3] = {0.0, 0.0, 0.0};
  double weight_B[3] = {0.0, 0.0, 0.0};
  std::shared_ptr<void> memory;  ///< of a method that keeps more
};

/// A smooth signed distance with its derivative: `gradient` is that of `distance` (as a function of
/// both poses on the present branch), not of the true distance.
struct SmoothDistance {
  double distance = 0.0;
  Vec3 witness_A = Vec3::Zero();  ///< world; witness_B - witness_A is parallel to `normal`
  Vec3 witness_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< unit, from A to B: the direction that the method makes smooth
  DistanceGradient gradient;
  bool fallback = false;  ///< no answer of the method here: this is the Euclidean one
  bool tie = false;       ///< another answer is as good: the next query may give that one
};

class PhongBody;
class SoftBody;

/// A shape made ready for every method, each when it is first asked for; to be shared, also between
/// threads.
class SmoothBody {
 public:
  explicit SmoothBody(Shape shape);
  /// With convex solids, in its frame, that together enclose it (not looked at): instead of its
  /// cover.
  SmoothBody(Shape shape, std::vector<Geometry> pieces);
  ~SmoothBody();
  SmoothBody(const SmoothBody&) = delete;
  SmoothBody& operator=(const SmoothBody&) = delete;

  const Shape& shape() const { return shape_; }
  /// Its pieces, at most 16 of them, fill at most 10 % more than it does.
  bool isWellCovered() const;
  /// A mesh as its convex pieces: those given, or of its cover (`TriangleMesh::cover`).
  const SoftBody& soft() const;
  /// Pre: a mesh, a convex mesh or a box; else `InputError`.
  const PhongBody& phong() const;

 private:
  struct Made;
  Shape shape_;
  std::unique_ptr<Made> made_;
};

/// What `kAutomatic` means for the two.
SmoothMethod chosenMethod(const SmoothBody& A, const SmoothBody& B);

/// Signed distance of two bodies by `options.method`; what it promises is told where the method is:
/// signed_distance.h, mesh_depth.h, phong_sum.h, dual_phong.h, soft_distance.h. `state` goes from
/// query to query of one pair, null for none. A method that is not for the pair answers as `kSoft`,
/// which takes all, and says `fallback`.
SmoothDistance smoothDistance(const SmoothBody& A, const Pose& X_WA, const SmoothBody& B,
                              const Pose& X_WB, const SmoothOptions& options,
                              SmoothState* state = nullptr);

/// The Euclidean answer in this form.
SmoothDistance asSmooth(const SignedDistance& exact, const Pose& X_WA, const Pose& X_WB);

}  // namespace allclear
