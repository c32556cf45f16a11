// Distances at single configurations: one placement of the robot, exact distances pair by pair.
#include <algorithm>
#include <cmath>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/distance/support.h"
#include "allclear/planner/clearance/cloud_clearance.h"
#include "allclear/planner/clearance/deforming_clearance.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/clearance/fidelity.h"

namespace allclear {

/// Lowers `least` (distance - demand) and `worst` to those of the pair's solids. False when exact
/// meshes are in contact: `depth` is lowered to their (negative) distance, and the direction is to
/// be measured at another fidelity.
bool ClearanceEvaluator::measureAtRest(int p, MeshFidelity fidelity, const Pose& X_WA,
                                       const Pose& X_WB, const Mat3* spread, double demand,
                                       double* least, Clearance* worst, double* depth) const {
  const CollisionPair& pair = model_.pairs[p];
  DistanceOptions options;
  options.spread = spread;
  for (const Geometry& a : model_.bodies[pair.a].solids(fidelity)) {
    for (const Geometry& b : model_.bodies[pair.b].solids(fidelity)) {
      // Worse only counts if it is nearer to (or deeper below) its demand than all before.
      const SignedDistance d =
          signedDistance(a.shape, X_WA * a.X_BG, b.shape, X_WB * b.X_BG, nullptr, options);
      if (fidelity == MeshFidelity::kSurface && d.distance <= 0.0) {
        *depth = std::min(*depth, d.distance);
        continue;
      }
      if (d.distance - demand >= *least) continue;
      *least = d.distance - demand;
      worst->demand = demand;
      worst->pair = p;
      worst->lower = worst->upper = d.distance;
      worst->p_A = X_WA.inverse() * d.witness_A;
      worst->p_B = X_WB.inverse() * d.witness_B;
      worst->normal = d.normal;
    }
  }
  return *depth == HUGE_VAL;
}

/// What all pairs share at one configuration.
struct ClearanceEvaluator::Rest {
  std::optional<double> t;
  bool at_start = false, at_goal = false;
  std::optional<StrayReach::Placement> placement;  ///< where something strays
};

ClearanceEvaluator::Rest ClearanceEvaluator::placeAtRest(const VecX& q_planned,
                                                         std::optional<double> t,
                                                         Workspace& w) const {
  const VecX q = problem_.configuration(q_planned);
  builder_.kinematics().linkPoses(q, w.curves.kinematics, w.poses);
  Rest rest{t, is_relaxed_ && isAtStart(q_planned), is_relaxed_ && isAtGoal(q_planned), {}};
  if (stray_.isNeeded()) rest.placement = stray_.place(q);
  return rest;
}

/// Lowers `least` (distance - demand) and `worst` to those of the pair. Pre: the workspace holds
/// the link poses.
void ClearanceEvaluator::pairAtRest(int p, const Rest& rest, const Workspace& w, double* least,
                                    Clearance* worst) const {
  const CollisionPair& pair = model_.pairs[p];
  const CollisionBody& A = model_.bodies[pair.a];
  const CollisionBody& B = model_.bodies[pair.b];
  if (B.obstacle >= 0 && problem_.obstacles[B.obstacle].moves() && !rest.t) return;
  const Pose& X_WA = w.poses[A.link];
  const Pose X_WB =
      B.obstacle >= 0 ? problem_.obstacles[B.obstacle].pose(rest.t.value_or(0.0)) : w.poses[B.link];
  const bool has_spread = B.obstacle >= 0 && !problem_.obstacles[B.obstacle].spread.isEmpty();
  const Mat3 K = has_spread ? problem_.obstacles[B.obstacle].spreadAt(rest.t.value_or(0.0))
                            : Mat3(Mat3::Zero());
  const Mat3* spread = has_spread ? &K : nullptr;
  // Balls contain the bodies: farther apart than the worst so far, they need no exact distance.
  const double between_balls = (X_WA * A.ball.center - X_WB * B.ball.center).norm() -
                               A.ball.radius - B.ball.radius - displacementRadius(K);
  const double margin = marginOf(pair, {rest.at_start, rest.at_goal, rest.at_start, rest.at_goal});
  const double demand = margin + (rest.placement ? stray_.of(p, *rest.placement) : 0.0);
  if (between_balls - demand >= *least) return;
  if (B.obstacle >= 0 && problem_.obstacles[B.obstacle].deforming != nullptr) {
    return measureDeformingAtRest(A.solids(pair.fidelity), X_WA, problem_.obstacles[B.obstacle],
                                  rest.t.value_or(0.0), p, demand, least, worst);
  }
  if (B.cloud_node >= 0) {
    return measureCloudAtRest(A.solids(pair.fidelity), X_WA, *problem_.obstacles[B.obstacle].cloud,
                              B.cloud_node, X_WB, spread, p, demand, least, worst);
  }
  double depth = HUGE_VAL;
  if (!measureAtRest(p, pair.fidelity, X_WA, X_WB, spread, demand, least, worst, &depth)) {
    measureAtRest(p, kContactFidelity, X_WA, X_WB, spread, demand, least, worst, &depth);
    // The pieces say which way out; how deep the meshes are, these say themselves.
    *least = std::min(*least, depth - demand);
    if (worst->pair == p) worst->lower = worst->upper = depth;
  }
}

Clearance ClearanceEvaluator::atRest(const VecX& q_planned, std::optional<double> t,
                                     Workspace& w) const {
  const Rest rest = placeAtRest(q_planned, t, w);
  Clearance worst;
  double least = std::numeric_limits<double>::infinity();
  StopSteps steps;
  for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
    steps.step();
    pairAtRest(p, rest, w, &least, &worst);
  }
  return worst;
}

void ClearanceEvaluator::pairsAtRest(const VecX& q_planned, std::optional<double> t,
                                     double influence, Workspace& w,
                                     std::vector<Clearance>* out) const {
  const Rest rest = placeAtRest(q_planned, t, w);
  StopSteps steps;
  for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
    steps.step();
    Clearance clearance;
    double least = influence;
    pairAtRest(p, rest, w, &least, &clearance);
    if (clearance.pair < 0) continue;
    clearance.t_star = t.value_or(0.0);
    out->push_back(clearance);
  }
}

}  // namespace allclear
