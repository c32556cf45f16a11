#pragma once

#include <array>
#include <utility>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/mesh/body.h"
#include "allclear/distance/phong/mesh.h"
#include "allclear/distance/phong/tree.h"

namespace allclear::phong {

/// Balls inside a body, about points of its medial surface: every point of a ball is in the body
/// (measured, and padded for rounding). A few of them fill most of it. A body without an inside has
/// none.
struct MedialBalls {
  std::vector<double> x, y, z, radius;  ///< in the body's frame [m]

  MedialBalls() = default;
  MedialBalls(const MeshBody& body, const PhongMesh& mesh, const SphereTree& tree, double size);

  std::size_t count() const { return radius.size(); }
  Vec3 center(int i) const { return {x[i], y[i], z[i]}; }
};

/// Proofs that the depth of a pair is at least some number h. A ball of radius r about p in A and
/// one of radius s about q in B share a point when B is translated by any t within r + s of p - q.
/// If such balls of translations, of all pairs of medial balls, cover the ball of radius h about 0,
/// no translation shorter than h separates the bodies. Remembers the pairs that covered it: in the
/// next query these alone usually do so again.
class DepthProof {
 public:
  /// True: the depth at this pose of B in A is at least `depth` (0: the bodies meet). False:
  /// unknown.
  bool atLeast(double depth, const MedialBalls& A, const MedialBalls& B, const Pose& X_AB);

 private:
  /// The ball of translations of B at which a pair of balls meets.
  struct MeetingBall {
    Vec3 center;
    double radius;
    std::array<int, 2> pair;
  };
  /// A cube of translations that is still to be covered.
  struct Cell {
    Vec3 center;
    double half;       ///< edge
    int first, count;  ///< of the balls that may reach it, in `reaching_`
    int level;
  };

  MeetingBall meetingBall(const std::array<int, 2>& pair, const MedialBalls& A,
                          const MedialBalls& B, const Pose& X_AB) const;
  bool collectBalls(double depth, const MedialBalls& A, const MedialBalls& B, const Pose& X_AB);
  bool ballsCover(double depth);
  void keepDeepest(int first);
  bool coverOrSplit(const Cell& cell, double depth, std::vector<Cell>* children);

  std::vector<std::array<int, 2>> known_;  ///< pairs that proved the last depth
  // Buffers.
  std::vector<MeetingBall> balls_;
  std::vector<int> reaching_;          ///< indices into `balls_`, per cell
  std::vector<int> used_;              ///< of the balls that cover a cell each
  std::vector<Cell> cells_;            ///< stack
  std::vector<double> depth_in_ball_;  ///< of the current cell's centre, per ball
  std::vector<double> turned_[3];      ///< centres of B's balls in A's frame
  std::vector<double> overlaps_;
};

}  // namespace allclear::phong
