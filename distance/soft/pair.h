#pragma once

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

/// Two pieces at their world poses, and a lower bound of their soft distance.
struct SoftPiecePair {
  double lower = 0.0;
  const SoftPiece* a = nullptr;
  const SoftPiece* b = nullptr;
  Pose X_WA, X_WB;  ///< of the pieces' cores
};

/// Buffers of `softDistance`, reused from query to query. One per thread; holds no result.
struct SoftWorkspace {
  Columns turned;
  std::vector<double> supports_of_other[2];
  std::vector<double> gaps[2];
  std::vector<SoftGap> active;
  std::vector<SoftPiecePair> pairs;
};

/// Soft distance of two convex pieces.
struct SoftPairDistance {
  double value = 0.0;
  Vec3 widest_normal = Vec3::UnitX();  ///< the direction with the largest hard gap
  SoftSums mean;                       ///< weights sum to 1
};

/// Pre: not two half-spaces.
SoftPairDistance softPairDistance(const SoftPiece& A, const Pose& X_WA, const SoftPiece& B,
                                  const Pose& X_WB, double softness, SoftWorkspace* workspace);

/// Cheap lower bound of the above, from the pieces' distance alone; -infinity with a half-space.
double lowerSoftPairDistance(const SoftPiece& A, const Pose& X_WA, const SoftPiece& B,
                             const Pose& X_WB, double softness);

}  // namespace allclear
