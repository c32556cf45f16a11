#pragma once

#include <memory>

#include "allclear/distance/mesh_depth/depth.h"
#include "allclear/distance/phong/medial_balls.h"
#include "allclear/distance/phong/state.h"
#include "allclear/distance/phong/surface.h"
#include "allclear/distance/soft/result.h"

namespace allclear::phong {

/// What both Phong methods know about a pair's Euclidean signed distance, kept from query to query.
class PairMemory : public SmoothMemory {
 public:
  /// The Euclidean distance at these poses. A depth is searched from scratch, without the previous
  /// way out: that one may meanwhile be much longer than another.
  const SignedDistance& euclidean(const PhongBody& A, const Pose& X_WA, const PhongBody& B,
                                  const Pose& X_WB);

  enum class Verdict { kAccepted, kRefused, kUnknown };

  /// Whether a Phong distance `claim` with these witnesses (world) may be returned: its sign is
  /// proven to be that of the Euclidean distance d, and |claim| <= 1.6 |d| + 0.05 times the smaller
  /// size. The cheapest sufficient knowledge of d decides:
  /// - apart: d is at least the last proven bound less the motion since, else a new bound is
  ///   computed;
  /// - overlapping: balls inside the bodies prove a depth (`DepthProof`; besides, a ball about the
  ///   middle of the witnesses with radius r_A in A and r_B in B proves r_A + r_B);
  /// - else, after less motion than a tenth of the size since the last depth was computed: assumes
  ///   that the depth has not shrunk by more than the bodies have moved (plausible, not proven).
  /// Unknown when only computing the depth can decide.
  Verdict judge(double claim, const Vec3& witness_A, const Vec3& witness_B, const PhongBody& A,
                const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  /// `judge`, which computes the depth where nothing cheaper decides.
  bool accepts(double claim, const Vec3& witness_A, const Vec3& witness_B, const PhongBody& A,
               const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  /// The criterion of `judge` for a known Euclidean distance; `size` of the smaller body.
  static bool agrees(double claim, double euclidean, double size);

  /// Whether the bodies meet: by the last proven bound if that decides, else exactly.
  bool overlap(const PhongBody& A, const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  long euclidean_queries = 0;
  long distance_queries = 0;  ///< for bounds

 private:
  /// A lower bound of a distance or depth, computed at one pose and carried to others: it shrinks
  /// by what the bodies move.
  struct Bound {
    double lower = 0.0;
    Pose X_AB;  ///< where it was computed
    bool known = false;
    double at(const PhongBody& B, const Pose& X_AB_now) const;
    double motionSince(const PhongBody& B, const Pose& X_AB_now) const;
  };
  bool acceptsApart(double claim, double size, const PhongBody& A, const Pose& X_WA,
                    const PhongBody& B, const Pose& X_WB);
  bool isProvenByBallsAbout(const Vec3& middle, double claim, double size, const PhongBody& A,
                            const Pose& X_WA, const PhongBody& B, const Pose& X_WB);

  MeshDepthCache depth_cache_;
  MeshCache overlap_cache_;
  SignedDistance last_;
  Pose last_X_WA_, last_X_WB_;  ///< of `last_`
  bool last_known_ = false;
  Bound distance_bound_;
  Bound depth_bound_;
  DepthProof proof_;
  int nearest_in_A_ = -1, nearest_in_B_ = -1;  ///< triangles: starts of the next search
};

/// The Euclidean distance as the result of a smooth method, flagged as `fallback`.
SmoothDistance fallbackResult(const SignedDistance& euclidean, const Pose& X_WA, const Pose& X_WB);

/// The gradient from its part for motions of B alone. Moving both bodies together changes nothing,
/// which determines the part of A.
DistanceGradient gradientFromMotionOfB(const Vec3& translation_B, const Vec3& rotation_B,
                                       const Pose& X_WA, const Pose& X_WB);

}  // namespace allclear::phong
