#pragma once

#include <array>
#include <utility>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/phong/mesh.h"
#include "allclear/distance/phong/tree.h"

namespace allclear::phong {

/// Balls inside of a body, about points of its medial surface: every point of a ball is in the
/// body, proven. Few of them fill most of it. None of a body without an inside.
struct MedialBalls {
  std::vector<double> x, y, z, radius;  ///< in the body's frame [m]

  MedialBalls() = default;
  MedialBalls(const MeshBody& body, const PhongMesh& mesh, const SphereTree& tree, double size);

  std::size_t count() const { return radius.size(); }
  Vec3 center(int i) const { return {x[i], y[i], z[i]}; }
};

/// Proofs that the depth of a pair is at least some number. A ball of radius r about p in A and one
/// of radius s about q in B share a point as long as B is translated by a t within r + s of p - q.
/// So the depth is at least h when such balls of translations, of all pairs of inner balls, cover
/// the ball of radius h about 0. Remembers which of them did: from one query to the next those
/// alone usually prove it again.
class DepthProof {
 public:
  /// The depth at this pose of B in A is at least `depth` (0: the bodies meet). False: not known.
  bool atLeast(double depth, const MedialBalls& A, const MedialBalls& B, const Pose& X_AB);

 private:
  /// Translations at which a pair of balls meets.
  struct Cover {
    Vec3 center;
    double radius;
    std::array<int, 2> pair;
  };
  struct Cell {
    Vec3 center;
    double half;
    int first, count;  ///< of its balls in `near_`
    int level;
  };

  Cover coverOf(const std::array<int, 2>& pair, const MedialBalls& A, const MedialBalls& B,
                const Pose& X_AB) const;
  bool collect(double depth, const MedialBalls& A, const MedialBalls& B, const Pose& X_AB);
  bool covered(double depth);
  void keepBest(int first);
  bool coveredCell(const Cell& cell, double depth, std::vector<Cell>* children);

  std::vector<std::array<int, 2>> known_;  ///< pairs that proved the last depth
  std::vector<Cover> covers_;
  std::vector<int> near_, used_;
  std::vector<Cell> cells_;
  std::vector<double> rooms_, turned_[3], slack_;
};

}  // namespace allclear::phong
