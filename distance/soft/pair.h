#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "allclear/distance/soft/body.h"

namespace allclear {

/// Weighted sums over directions, or over pairs of pieces, that make the gradient and the
/// witnesses. World coordinates.
struct SoftSums {
  Vec3 normal = Vec3::Zero();  ///< unit vectors from A to B
  Vec3 moment = Vec3::Zero();  ///< of the normals about the world's origin
  Vec3 on_A = Vec3::Zero();    ///< support points
  Vec3 on_B = Vec3::Zero();

  void add(double weight, const SoftSums& s) {
    normal += weight * s.normal;
    moment += weight * s.moment;
    on_A += weight * s.on_A;
    on_B += weight * s.on_B;
  }
};

/// The gap between two pieces along one direction, with softened supports.
struct SoftGap {
  double value = 0.0;                  ///< [m]
  Vec3 normal = Vec3::Zero();          ///< world, from A to B
  Vec3 point_of_owner = Vec3::Zero();  ///< world: soft support point of the direction's owner
  Vec3 point_of_other = Vec3::Zero();
};

/// Soft supports of one piece along its own directions, each computed when it is first asked for.
/// They depend on the softness alone, not on where the pieces are: all pairs of a query share them.
class OwnSupports {
 public:
  void reset(std::size_t directions) { known_.assign(directions, std::nullopt); }
  const SoftSupport& at(int k, const SoftCore& body, const Vec3& n, double softness, double hard) {
    if (!known_[k]) known_[k] = softSupport(body, n, softness, hard);
    return *known_[k];
  }

 private:
  std::vector<std::optional<SoftSupport>> known_;  ///< by direction
};

/// Two pieces at their world poses, and a lower bound of their soft distance.
struct SoftPiecePair {
  double lower = 0.0;
  const SoftPiece* a = nullptr;
  const SoftPiece* b = nullptr;
  Pose X_WA, X_WB;                   ///< of the pieces' cores
  OwnSupports* along_fan = nullptr;  ///< of a, along its fan
  OwnSupports* along_own = nullptr;  ///< of b, along its own normals
};

/// How soft, and what may be left out.
struct Softness {
  double softness = 0.0;  ///< [m]
  /// Terms of less than e^-negligible of all together are left out.
  double negligible = 0.0;
  /// The least value of other pairs, which outweighs this pair's when it is lower [m].
  double least = HUGE_VAL;
};

/// Buffers of `softDistance`, reused from query to query. One per thread; holds no result.
struct SoftWorkspace {
  Columns turned;
  std::vector<double> supports_of_other[2];
  std::vector<double> gaps[2];
  std::vector<SoftGap> active;
  std::vector<SoftPiecePair> pairs;
  std::vector<OwnSupports> supports_of_A, supports_of_B;  ///< by piece
};

/// Soft distance of two convex pieces.
struct SoftPairDistance {
  double value = 0.0;
  Vec3 widest_normal = Vec3::UnitX();  ///< the direction with the largest hard gap
  SoftSums mean;                       ///< weights sum to 1
};

/// Pre: not two half-spaces; the supports of `pair` are reset or of the same softness.
SoftPairDistance softPairDistance(const SoftPiecePair& pair, const Softness& how,
                                  SoftWorkspace* workspace);

/// Cheap lower bound of the above, from the pieces' distance alone; -infinity with a half-space.
double lowerSoftPairDistance(const SoftPiece& A, const Pose& X_WA, const SoftPiece& B,
                             const Pose& X_WB, double softness);

}  // namespace allclear
