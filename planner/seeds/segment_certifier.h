#pragma once

#include <vector>

#include "allclear/distance/signed_distance.h"
#include "allclear/planner/clearance/collision_model.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// Proves straight segments of the planned coordinates clear, at every configuration between their
/// ends. Obstacles that move are left out: a segment has no time.
///
/// With joint k at an axis from which a body's points are at most rho_k away at configuration q, a
/// step of the joints by d moves each of them by at most sum_k rho_k |d_k|: taken from the base
/// outwards, each joint's turn carries all that follows rigidly. So one distance at the middle of
/// a segment proves a stretch around it; what is left is halved, with the pairs that are left.
///
/// Holds scratch and what the last queries left to start the next from: one per thread. Its answers
/// do not depend on what was asked before, but for distances within rounding of a threshold.
class SegmentCertifier {
 public:
  struct Statistics {
    long segments = 0;        ///< asked about
    long certified = 0;       ///< proved clear
    long configurations = 0;  ///< placed
    long distances = 0;       ///< exact queries of two shapes
  };

  /// Both are to outlive the certifier.
  SegmentCertifier(const Problem& problem, const CollisionModel& model);

  /// Whether all pairs keep margin + `extra` [m] at the planned coordinates `q`.
  bool isClear(const VecX& q, double extra);

  /// Whether they keep it on the whole segment, proved. False also when they keep it by less than
  /// `kResolution`.
  bool isClear(const VecX& from, const VecX& to, double extra);

  /// Metres that a unit of each planned coordinate moves the point farthest from its axis, at `q`.
  VecX reach(const VecX& q);

  const Statistics& statistics() const { return statistics_; }

  static constexpr double kResolution = 1e-5;  ///< [m]: two orders below usual margins

 private:
  /// A convex piece of a body that moves with a node of the tree (-1: the world).
  struct Piece {
    const Shape* shape;
    int node;
    Pose X_NG;
    Vec3 center_N;  ///< of a ball about it
    double radius;
    std::vector<int> path;     ///< nodes that the plan moves, from the base
    Vec3 half = Vec3::Zero();  ///< of a box about it, for what stands still
    Pose X_BoxW;
  };
  struct Pair {
    int a;
    int b;
    double margin;
    int shared;  ///< nodes at the start of both paths
    bool still;  ///< b never moves
    DistanceCache cache;
  };
  struct Stretch {
    double middle;
    double half;
    int first;  ///< of `pending_`
    int count;
  };

  /// The pieces' indices.
  std::vector<int> addPieces(const CollisionBody& body, const std::vector<Geometry>& geometry);
  void addPairs(const CollisionModel& model);
  void place(const VecX& q);
  void sweep();
  bool ballsApart(const Pair& pair, double distance) const;
  bool apart(Pair& pair, double distance);
  const Pose& shapePose(int piece);
  void moveToFront(int position);
  bool prove(const Stretch& stretch, double extra);

  const Problem& problem_;
  MotionTree tree_;
  std::vector<int> planned_of_;  ///< by coordinate: index among the planned ones, or -1
  std::vector<int> moving_;      ///< nodes to place, in order
  std::vector<Piece> pieces_;
  std::vector<Pair> pairs_;
  std::vector<int> order_;  ///< of pairs: those that collided last come first

  // At the configuration placed last:
  std::vector<Pose> X_WN_;
  std::vector<Vec3> centers_;
  std::vector<Pose> shape_poses_;
  std::vector<long> posed_at_;  ///< number of the configuration that `shape_poses_` is of
  std::vector<double> swept_;   ///< by piece, then path: summed motion per unit of the segment
  std::vector<double> rates_;   ///< by node, per unit of the segment
  int stride_ = 0;

  std::vector<int> pending_;
  std::vector<Stretch> queue_;
  Statistics statistics_;
};

}  // namespace allclear
