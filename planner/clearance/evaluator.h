#pragma once

#include <optional>
#include <span>
#include <vector>

#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/soft/pair.h"
#include "allclear/planner/clearance/collision_model.h"
#include "allclear/planner/clearance/pair_stray.h"
#include "allclear/robot_models/motion/link_curves.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// The least distance of one pair of bodies over one span of a trajectory.
struct Clearance {
  int pair = -1;  ///< index into `CollisionModel::pairs`
  int span = -1;
  double lower = 0.0;   ///< [m] certified bound over the span
  double upper = 0.0;   ///< [m] distance at t_star
  double demand = 0.0;  ///< [m] what it is to be: the margin, and what may stray
  double t_star = 0.0;
  Vec3 p_A = Vec3::Zero();  ///< witnesses in the bodies' frames
  Vec3 p_B = Vec3::Zero();
  Vec3 normal = Vec3::UnitX();  ///< world, from A to B
};

/// Distances over time of all pairs of a problem, along trajectories of its planned coordinates.
/// Immutable after construction; each thread uses its own `Workspace`.
class ClearanceEvaluator {
 public:
  /// `threads` share the making of solids (`collisionModel`).
  explicit ClearanceEvaluator(const Problem& problem,
                              FidelityPolicy policy = FidelityPolicy::kWhereNeeded,
                              int threads = 1);

  struct Workspace {
    explicit Workspace(const ClearanceEvaluator& evaluator);
    /// A part of the span on which no obstacle's motion bends.
    struct Part {
      LinkCurves links;
      std::vector<std::vector<BodyCurve>> obstacles;  ///< one curve, or one per cell
      std::vector<std::optional<Spread>> spreads;     ///< where obstacles may be besides
    };
    LinkCurveBuilder::Workspace curves;
    std::vector<Part> parts;                        ///< of the span of the last `buildCurves`
    std::vector<StrayReach::Placement> placements;  ///< some of that span, where something strays
    std::vector<Pose> poses;
    SoftWorkspace soft;     ///< of `SoftClearance`
    bool at_start = false;  ///< that span begins at the problem's start, or ends at its goal: pairs
    bool at_goal = false;   ///< keep `CollisionPair::ends` then
    bool near_start = false;  ///< it is in the first quarter of the motion, or in the last: pairs
    bool near_goal = false;   ///< that may touch keep them there
  };

  const Problem& problem() const { return problem_; }
  const CollisionModel& model() const { return model_; }
  const LinkCurveBuilder& builder() const { return builder_; }

  /// What the distance of a pair is to be [m] on the span of the workspace's last `buildCurves`:
  /// its margin, and what may stray (at some instants of the span, and a little more: only the
  /// certificate bounds it).
  double demand(int pair, const Workspace& workspace) const;

  /// Everything nearer than `influence` beyond its demand, over one span: at most one entry per
  /// pair. A pair without an entry keeps at least demand + influence on the whole span, proved.
  /// `duration` [s] as of `buildCurves`.
  void nearPairs(const BernsteinSpan& planned, int span, double influence, double tolerance,
                 Workspace& workspace, std::vector<Clearance>* out, double duration = 0.0) const;

  /// One pair over one span: exact within the tolerance up to `ceiling`, coarse above; of a cloud
  /// also within a fifth of what the distance is beyond the demand. Pre: the workspace's last
  /// `buildCurves` or `nearPairs` was for that span.
  Clearance pairClearance(int pair, int span, double ceiling, double tolerance, bool refine,
                          Workspace& workspace) const;

  /// Builds the curves of all bodies over one span, to `tolerance` [m], into the workspace.
  /// `duration` [s] is that of the whole motion, which tells where pairs may touch; without it,
  /// only on spans at its ends.
  void buildCurves(const BernsteinSpan& planned, double tolerance, Workspace& workspace,
                   double duration = 0.0) const;

  /// True when every pair keeps its demand over the span, proved; else `worst` gets a pair that may
  /// not (its upper bound below the demand, or undecided).
  bool isClear(const BernsteinSpan& planned, double extra_margin, double tolerance,
               Workspace& workspace, Clearance* worst) const;

  /// The pair with the least (distance - demand) at one configuration of the planned coordinates,
  /// at time t [s]. Without a time, obstacles that move do not count.
  Clearance atRest(const VecX& q_planned, std::optional<double> t, Workspace& workspace) const;

  /// The same for every pair that is nearer than `influence` beyond its demand: one entry each, in
  /// the order of the pairs.
  void pairsAtRest(const VecX& q_planned, std::optional<double> t, double influence,
                   Workspace& workspace, std::vector<Clearance>* out) const;

  /// Gradient of the distance by the planned coordinates at time t_star, given q there. `distance`
  /// gets the distance there by kinematics: without the padding of `upper`, which moves with the
  /// curves. `rate` gets its derivative by time with the robot held: of obstacles that move.
  VecX gradient(const Clearance& clearance, const VecX& q_planned, Workspace& workspace,
                double* distance, double* rate) const;

  /// The polynomial of all coordinates: the planned ones' with the others held.
  BernsteinSpan wholeRobot(const BernsteinSpan& planned) const;

 private:
  /// Where a configuration or span is: at an end of the motion, or near it.
  struct Nearness {
    bool at_start = false, at_goal = false;
    bool near_start = false, near_goal = false;
  };
  std::span<const BodyCurve> curvesOf(int body, const Workspace::Part& part) const;
  std::vector<Ball> sweptBalls(const Workspace& w) const;
  bool isAtStart(const VecX& q_planned) const;
  bool isAtGoal(const VecX& q_planned) const;
  double marginOf(const CollisionPair& pair, const Nearness& near) const;
  struct Rest;
  Rest placeAtRest(const VecX& q_planned, std::optional<double> t, Workspace& workspace) const;
  void pairAtRest(int pair, const Rest& rest, const Workspace& workspace, double* least,
                  Clearance* worst) const;
  bool measureAtRest(int pair, MeshFidelity fidelity, const Pose& X_WA, const Pose& X_WB,
                     const Mat3* spread, double demand, double* least, Clearance* worst,
                     double* depth) const;
  void measure(const Workspace::Part& part, MeshFidelity fidelity, double tolerance, bool refine,
               Clearance* best) const;

  Problem problem_;
  CollisionModel model_;
  PairStray stray_;
  LinkCurveBuilder builder_;
  bool is_relaxed_;                 ///< some pair, near an end
  std::vector<int> curve_of_body_;  ///< index into the builder's links; -1 for obstacles
};

}  // namespace allclear
