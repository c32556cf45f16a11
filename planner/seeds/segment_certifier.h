#pragma once

#include <vector>

#include "allclear/distance/signed_distance.h"
#include "allclear/planner/clearance/collision_model.h"
#include "allclear/planner/clearance/pair_stray.h"
#include "allclear/planner/seeds/cable_segments.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

/// Proves straight segments of the planned coordinates clear, of cables too, at every configuration
/// between their ends, with room for what may stray. Obstacles that move do not count: a segment
/// has no time. Pairs that are relaxed near an end (`EndMargin::kRelax`) are taken to be
/// everywhere; pairs that may touch there (`CollisionSettings::leaves`) only while the joints are
/// near the start, or near a joint goal: a stretch counts as near or not by its middle.
///
/// Let rho_k be the largest distance of a body's points from the axis of joint k at configuration
/// q. A step of the joints by d moves each point by at most sum_k rho_k |d_k|: moved from the base
/// outwards, each joint carries all that follows as one rigid body. So one distance at the middle
/// of a segment proves a stretch around it. The rest is halved, with the pairs that are not proved
/// yet.
///
/// Holds scratch and the results of earlier queries, to start the next one from: one per thread.
/// Answers do not depend on earlier queries, except for distances within rounding of a threshold.
class SegmentCertifier {
 public:
  struct Statistics {
    long segments = 0;        ///< asked about
    long certified = 0;       ///< proved clear
    long configurations = 0;  ///< placed
    long distances = 0;       ///< exact queries of two shapes

    void add(const Statistics& other) {
      segments += other.segments;
      certified += other.certified;
      configurations += other.configurations;
      distances += other.distances;
    }
    Statistics since(const Statistics& before) const {
      return {segments - before.segments, certified - before.certified,
              configurations - before.configurations, distances - before.distances};
    }
  };

  /// Problem and model must outlive the certifier.
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
    std::optional<Mat3> spread;  ///< of an obstacle that may be elsewhere [m^2], world
    const Shape* shape;
    int node;
    Pose X_NG;
    Vec3 center_N;  ///< of a ball about it
    double radius;
    std::vector<int> path;     ///< nodes that the plan moves, from the base
    Vec3 half = Vec3::Zero();  ///< of a box about it, used when it stands still
    Pose X_BoxW;
    const Cloud* cloud = nullptr;  ///< whose elements count, instead of the shape, which is about
                                   ///< all that `cloud_node` has; null for any other piece
    int cloud_node = 0;
    Pose X_WO;  ///< of the cloud
  };
  struct Pair {
    int a;
    int b;
    int of_model;   ///< index into the model's pairs
    double margin;  ///< the least of its margins
    int shared;     ///< nodes at the start of both paths
    bool still;     ///< b never moves
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
  double demand(const Pair& pair, double extra) const;
  void noteEnds(const VecX& q);
  bool ballsApart(const Pair& pair, double distance) const;
  bool apart(Pair& pair, double distance);
  int limitsKept(Pair& pair, double low, double high);
  const Pose& shapePose(int piece);
  void moveToFront(int position);
  bool prove(const Stretch& stretch, double extra);

  const Problem& problem_;
  PairStray stray_;
  CableSegments cables_;
  double stray_growth_;  ///< [m] of stray per metre that a body moves, at most
  MotionTree tree_;
  std::vector<int> planned_of_;  ///< by coordinate: index among the planned ones, or -1
  std::vector<int> moving_;      ///< nodes to place, in order
  std::vector<Piece> pieces_;
  std::vector<Pair> pairs_;
  std::vector<int> order_;  ///< of pairs: the last ones to collide come first

  // At the configuration placed last:
  std::vector<Pose> X_WN_;
  std::vector<Vec3> centers_;
  std::vector<double> strays_;  ///< [m] by pair of the model; empty where nothing strays
  bool near_start_ = false, near_goal_ = false;  ///< where pairs may touch
  std::vector<Pose> shape_poses_;
  std::vector<long> posed_at_;  ///< number of the configuration that `shape_poses_` belongs to
  std::vector<double> swept_;   ///< by piece, then path: summed motion per unit of the segment
  std::vector<double> rates_;   ///< by node, per unit of the segment
  std::vector<CollisionPair> touching_;  ///< by pair of the model; empty where none may touch
  VecX end_reach_;                       ///< `reach` at the start; of pairs that may touch
  int stride_ = 0;  ///< numbers per piece in `swept_`: the longest path and the leading 0

  std::vector<int> pending_;
  std::vector<Stretch> queue_;
  Statistics statistics_;
};

}  // namespace allclear
