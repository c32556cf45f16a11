// The softened distance of a pair along a curve, and its minimum over a span's time.
//
// Its gradient by the poses of both bodies (translation and rotation in the world) becomes one by
// the planned coordinates through the Jacobians of their links, and one by time through the
// velocity of an obstacle that moves.
#include "allclear/planner/clearance/soft_clearance.h"

#include <algorithm>
#include <cmath>

#include "allclear/distance/soft/descend.h"

namespace allclear {
namespace {

// What the optimiser needs of a row that leads it out of contact: steps far below its tolerances.
constexpr double kShareLeftOut = 1e-7;  // of the soft sums
/// Slope at the minimum over time, of the steepest: its value is then off by 1e-6 of some
/// centimetres.
constexpr double kLevel = 1e-3;

/// Angular velocity of the obstacle [rad/s], from the velocities of three points: the difference of
/// two points' velocities is spin x (their difference).
Vec3 spinOf(const Obstacle& obstacle, double t, const Vec3& p) {
  const Vec3 v = obstacle.pointVelocity(t, p);
  const Vec3 x = obstacle.pointVelocity(t, p + Vec3::UnitX()) - v;  // spin x UnitX
  const Vec3 y = obstacle.pointVelocity(t, p + Vec3::UnitY()) - v;
  return {y.z(), -x.z(), x.y()};
}

}  // namespace

SoftClearance::SoftClearance(const ClearanceEvaluator& evaluator)
    : evaluator_(evaluator),
      bodies_(std::make_unique<Body[]>(kMeshFidelityCount * evaluator.model().bodies.size())) {}

const SoftClearance::Body& SoftClearance::body(int index, MeshFidelity fidelity) const {
  Body& body = bodies_[kMeshFidelityCount * index + static_cast<int>(fidelity)];
  std::call_once(body.made, [&] {
    const std::vector<Geometry>& solids = evaluator_.model().bodies[index].solids(fidelity);
    body.ellipsoid = asEllipsoid(solids);
    body.soft.emplace(solids);
  });
  return body;
}

bool SoftClearance::hasGauge(int pair) const {
  const CollisionPair& bodies = evaluator_.model().pairs[pair];
  return body(bodies.a, bodies.fidelity).ellipsoid.has_value() &&
         body(bodies.b, bodies.fidelity).ellipsoid.has_value();
}

bool SoftClearance::isKnown(int pair) const {
  const int obstacle = evaluator_.model().bodies[evaluator_.model().pairs[pair].b].obstacle;
  if (obstacle < 0) return true;
  const Obstacle& body = evaluator_.problem().obstacles[obstacle];
  return body.spread.isEmpty() && body.deforming == nullptr && body.cloud == nullptr;
}

SmoothDistance SoftClearance::distance(const CollisionPair& pair, const Pose& X_WA,
                                       const Pose& X_WB, double softness,
                                       SoftWorkspace* workspace) const {
  const Body &A = body(pair.a, pair.fidelity), &B = body(pair.b, pair.fidelity);
  if (A.ellipsoid && B.ellipsoid) return gaugeDistance(*A.ellipsoid, X_WA, *B.ellipsoid, X_WB);
  return softDistance(*A.soft, X_WA, *B.soft, X_WB, softness, workspace, kShareLeftOut);
}

double SoftClearance::pairSize(int pair) const {
  const CollisionPair& bodies = evaluator_.model().pairs[pair];
  return std::min(evaluator_.model().bodies[bodies.a].ball.radius,
                  evaluator_.model().bodies[bodies.b].ball.radius);
}

SoftClearance::Value SoftClearance::at(int index, const BSpline& curve, double t, double softness,
                                       ClearanceEvaluator::Workspace& w) const {
  const Problem& problem = evaluator_.problem();
  const Kinematics& kinematics = evaluator_.builder().kinematics();
  const CollisionPair& pair = evaluator_.model().pairs[index];
  const CollisionBody& A = evaluator_.model().bodies[pair.a];
  const CollisionBody& B = evaluator_.model().bodies[pair.b];
  kinematics.linkPoses(problem.configuration(curve.value(t)), w.curves.kinematics, w.poses);
  const auto poseOf = [&](const CollisionBody& body) {
    return body.link < 0 ? problem.obstacles[body.obstacle].pose(t) : w.poses[body.link];
  };
  const Pose X_WA = poseOf(A), X_WB = poseOf(B);
  const SmoothDistance soft = distance(pair, X_WA, X_WB, softness, &w.soft);
  // Chain rule: pose gradients times Jacobians, or times the obstacle's velocity and spin.
  Value out;
  out.distance = soft.distance;
  out.t_star = t;
  VecX whole = VecX::Zero(problem.robot->dimension());
  Jacobian J;
  const auto add = [&](const CollisionBody& body, const Pose& X, const Vec3& translation,
                       const Vec3& rotation) {
    if (body.link >= 0) {
      kinematics.pointJacobian(w.curves.kinematics, body.link, X.p, J);
      whole += J.topRows<3>().transpose() * translation + J.bottomRows<3>().transpose() * rotation;
    } else if (problem.obstacles[body.obstacle].moves()) {
      const Obstacle& obstacle = problem.obstacles[body.obstacle];
      out.rate +=
          translation.dot(obstacle.pointVelocity(t, X.p)) + rotation.dot(spinOf(obstacle, t, X.p));
    }
  };
  add(A, X_WA, soft.gradient.translation_A, soft.gradient.rotation_A);
  add(B, X_WB, soft.gradient.translation_B, soft.gradient.rotation_B);
  out.gradient = problem.plannedPart(whole);
  return out;
}

SoftClearance::Value SoftClearance::minimum(const Clearance& from, const BSpline& curve,
                                            double softness,
                                            ClearanceEvaluator::Workspace& workspace) const {
  // The slope by time along the curve is that of the robot's motion plus the obstacles'.
  Value best;
  best.distance = HUGE_VAL;
  const auto slope = [&](double t) {
    Value here = at(from.pair, curve, t, softness, workspace);
    const double slope_here = here.gradient.dot(curve.value(t, 1)) + here.rate;
    if (here.distance < best.distance) best = std::move(here);
    return slope_here;
  };
  descend(curve.spanTime(from.span), from.t_star, slope, kLevel);
  return best;
}

}  // namespace allclear
