#pragma once

#include <memory>

#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/medial_balls.h"
#include "allclear/distance/phong/state.h"
#include "allclear/distance/phong/surface.h"
#include "allclear/distance/soft/result.h"

namespace allclear::phong {

/// What both Phong methods know of a pair's Euclidean signed distance, from one query to the next.
class PairMemory : public SmoothMemory {
 public:
  /// The Euclidean answer at these poses. The depth is sought without the way out known from
  /// before, which may have become a long one.
  const SignedDistance& euclidean(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                  const Pose& X_WB);

  enum class Verdict { kAccepted, kRefused, kUnknown };

  /// Whether a Phong distance `claim` with these witnesses (world) may be given out: it has the
  /// sign of the Euclidean distance d, proven, and |claim| <= 1.6 |d| + 0.05 times the smaller
  /// size. Of d as little is computed as that needs:
  /// - apart, d is at least what it was proven to be, less what the bodies have moved since;
  /// - overlapping, balls inside of the bodies prove a depth (`DepthProof`; a ball about the middle
  ///   of the witnesses of radius r_A in A and r_B in B proves r_A + r_B);
  /// - else, for a tenth of the size, of a depth sought anew it is taken for granted that it has
  ///   not become smaller by more than the bodies have moved since.
  /// Unknown when only the depth itself can say.
  Verdict judge(double claim, const Vec3& witness_A, const Vec3& witness_B, const PhongBody& A,
                const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  /// The same by the depth itself where nothing less says.
  bool accepts(double claim, const Vec3& witness_A, const Vec3& witness_B, const PhongBody& A,
               const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  /// The same by the Euclidean distance.
  static bool agrees(double claim, double euclidean, double size);

  /// Whether the bodies meet: by what is known of their distance, or exactly.
  bool overlap(const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  long euclidean_queries = 0;
  long distance_queries = 0;  ///< for bounds

 private:
  /// A lower bound of the distance for a pose, from one that is proven for another.
  struct Bound {
    double lower = 0.0;
    Pose X_AB;
    bool known = false;
    double at(const PhongBody& B, const Pose& X_AB_now) const;
    double moved(const PhongBody& B, const Pose& X_AB_now) const;
  };
  bool acceptsApart(double claim, double size, const PhongBody& A, const Pose& X_WA,
                    const PhongBody& B, const Pose& X_WB);
  bool withinBalls(double claim, double size, const Vec3& middle, const PhongBody& A,
                   const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  MeshDepthCache depth_cache_;
  MeshCache overlap_cache_;
  SignedDistance last_;
  Pose last_A_, last_B_;  ///< poses of `last_`
  bool last_known_ = false;
  Bound apart_;
  Bound deep_;  ///< of the depth
  DepthProof proof_;
  int near_A_ = -1, near_B_ = -1;  ///< triangles
};

/// The Euclidean answer as one of a smooth method, flagged as `fallback`.
SmoothDistance fallback(const SignedDistance& euclidean, const Pose& X_WA, const Pose& X_WB);

/// Completes a gradient: B moves as given, and moving both together changes nothing.
DistanceGradient gradientOfB(const Vec3& translation_B, const Vec3& rotation_B, const Pose& X_WA,
                             const Pose& X_WB);

}  // namespace allclear::phong
