#include "allclear/planner/clearance.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/signed_distance.h"

namespace allclear {
namespace {

/// Ranges for reach: what is not planned stays where it is, even outside its limits.
std::vector<Interval> reachRanges(const Problem& problem) {
  std::vector<Interval> ranges = coordinateRanges(*problem.robot);
  for (int k = 0; k < problem.robot->dimension(); ++k) {
    if (!std::binary_search(problem.planned.begin(), problem.planned.end(), k)) {
      ranges[k] = {problem.start[k], problem.start[k]};
    }
  }
  return ranges;
}

LinkCurveBuilder::Options builderOptions(const Problem& problem, const CollisionModel& model) {
  LinkCurveBuilder::Options options;
  for (const CollisionBody& body : model.bodies) {
    if (body.link >= 0) options.links.push_back(body.link);
  }
  std::sort(options.links.begin(), options.links.end());
  options.links.erase(std::unique(options.links.begin(), options.links.end()), options.links.end());
  options.ranges = reachRanges(problem);
  return options;
}

/// Middle and radius of the ball that a body sweeps on one cell.
Ball sweptBall(const CollisionBody& body, const BodyCurve& curve) {
  Ball swept;
  const auto points = curve.pointCurve(body.ball.center);
  const Vec3 lower = points.rowwise().minCoeff();
  const Vec3 upper = points.rowwise().maxCoeff();
  swept.center = 0.5 * (lower + upper);
  for (int i = 0; i < points.cols(); ++i) {
    swept.radius = std::max(swept.radius, (points.col(i) - swept.center).norm());
  }
  swept.radius += body.ball.radius +
                  curve.error((body.ball.center - curve.reference_B).norm() + body.ball.radius);
  return swept;
}

}  // namespace

/// One body of a query: its pieces' curves.
struct ClearanceEvaluator::Side {
  const CollisionBody* body;
  std::span<const BodyCurve> curves;
};

ClearanceEvaluator::ClearanceEvaluator(const Problem& problem)
    : problem_(problem),
      model_(collisionModel(problem)),
      builder_(*problem.robot, builderOptions(problem, model_)) {
  for (const CollisionBody& body : model_.bodies) {
    const auto& links = builder_.links();
    const auto it = std::find(links.begin(), links.end(), body.link);
    curve_of_body_.push_back(body.link < 0 ? -1 : static_cast<int>(it - links.begin()));
  }
}

ClearanceEvaluator::Workspace::Workspace(const ClearanceEvaluator& evaluator)
    : curves(evaluator.builder_) {}

BernsteinSpan ClearanceEvaluator::wholeRobot(const BernsteinSpan& planned) const {
  MatX control = problem_.start.replicate(1, planned.control().cols());
  for (int i = 0; i < planned.dimension(); ++i) {
    control.row(problem_.planned[i]) = planned.control().row(i);
  }
  return {planned.time(), std::move(control)};
}

void ClearanceEvaluator::buildCurves(const BernsteinSpan& planned, double tolerance,
                                     Workspace& w) const {
  builder_.build(wholeRobot(planned), tolerance, w.curves, &w.span_curves);
  w.obstacle_curves.clear();
  for (const CollisionBody& body : model_.bodies) {
    if (body.obstacle < 0) continue;
    const Obstacle& obstacle = problem_.obstacles[body.obstacle];
    w.obstacle_curves.push_back(BodyCurve::still(obstacle.X_WO, planned.time()));
  }
}

Clearance ClearanceEvaluator::pairClearance(int pair, int span, double ceiling, double tolerance,
                                            bool refine, Workspace& w) const {
  const CollisionPair& p = model_.pairs[pair];
  const auto side = [&](int body) -> Side {
    const CollisionBody& b = model_.bodies[body];
    if (b.obstacle >= 0) return {&b, {&w.obstacle_curves[b.obstacle], 1}};
    return {&b, w.span_curves.of(curve_of_body_[body])};
  };
  const Side A = side(p.a);
  const Side B = side(p.b);
  Clearance best;
  best.pair = pair;
  best.span = span;
  best.lower = best.upper = ceiling;
  McdOptions options;
  options.tolerance = tolerance;
  options.refine = refine;
  for (const Geometry& a : A.body->pieces) {
    for (const Geometry& b : B.body->pieces) {
      options.threshold = best.upper;
      const MovingShape moving_a{&a.shape, a.X_BG, A.curves};
      const MovingShape moving_b{&b.shape, b.X_BG, B.curves};
      const DistanceBracket bracket = minimumDistance(moving_a, moving_b, options);
      best.lower = std::min(best.lower, bracket.lower);
      if (!bracket.evaluated || bracket.upper >= best.upper) continue;
      const WitnessGradient witness = witnessGradient(moving_a, moving_b, bracket);
      best.upper = bracket.upper;
      best.t_star = bracket.t_star;
      best.p_A = witness.p_A;
      best.p_B = witness.p_B;
      best.normal = witness.normal;
    }
  }
  return best;
}

void ClearanceEvaluator::nearPairs(const BernsteinSpan& planned, int span, double influence,
                                   double tolerance, Workspace& w,
                                   std::vector<Clearance>* out) const {
  buildCurves(planned, tolerance / 20.0, w);
  const int cells = w.span_curves.cellCount();
  // Balls about what each body sweeps, cell by cell.
  std::vector<Ball> balls(model_.bodies.size() * cells);
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const CollisionBody& body = model_.bodies[i];
    for (int c = 0; c < cells; ++c) {
      balls[i * cells + c] = body.obstacle >= 0
                                 ? sweptBall(body, w.obstacle_curves[body.obstacle])
                                 : sweptBall(body, w.span_curves.of(curve_of_body_[i])[c]);
    }
  }
  for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
    const CollisionPair& pair = model_.pairs[p];
    const double ceiling = pair.margin + influence;
    bool near = false;
    for (int c = 0; c < cells && !near; ++c) {
      const Ball& a = balls[pair.a * cells + c];
      const Ball& b = balls[pair.b * cells + c];
      near = !((a.center - b.center).norm() - a.radius - b.radius >= ceiling);
    }
    if (!near) continue;
    const Clearance clearance = pairClearance(p, span, ceiling, tolerance, false, w);
    if (clearance.upper < ceiling || clearance.lower < ceiling) out->push_back(clearance);
  }
}

bool ClearanceEvaluator::isClear(const BernsteinSpan& planned, double extra_margin,
                                 double tolerance, Workspace& w, Clearance* worst) const {
  std::vector<Clearance> near;
  nearPairs(planned, 0, extra_margin, tolerance, w, &near);
  if (near.empty()) return true;
  *worst = *std::min_element(near.begin(), near.end(), [&](const Clearance& a, const Clearance& b) {
    return a.upper - model_.pairs[a.pair].margin < b.upper - model_.pairs[b.pair].margin;
  });
  return false;
}

Clearance ClearanceEvaluator::atRest(const VecX& q_planned, Workspace& w) const {
  builder_.kinematics().linkPoses(problem_.configuration(q_planned), w.curves.kinematics, w.poses);
  Clearance worst;
  double least = std::numeric_limits<double>::infinity();
  for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
    const CollisionPair& pair = model_.pairs[p];
    const CollisionBody& A = model_.bodies[pair.a];
    const CollisionBody& B = model_.bodies[pair.b];
    const Pose& X_WA = w.poses[A.link];
    const Pose& X_WB = B.obstacle >= 0 ? problem_.obstacles[B.obstacle].X_WO : w.poses[B.link];
    const double apart =
        (X_WA * A.ball.center - X_WB * B.ball.center).norm() - A.ball.radius - B.ball.radius;
    if (apart - pair.margin >= least) continue;
    for (const Geometry& a : A.pieces) {
      for (const Geometry& b : B.pieces) {
        const SignedDistance d = signedDistance(a.shape, X_WA * a.X_BG, b.shape, X_WB * b.X_BG);
        if (d.distance - pair.margin >= least) continue;
        least = d.distance - pair.margin;
        worst.pair = p;
        worst.lower = worst.upper = d.distance;
        worst.p_A = X_WA.inverse() * d.witness_A;
        worst.p_B = X_WB.inverse() * d.witness_B;
        worst.normal = d.normal;
      }
    }
  }
  return worst;
}

VecX ClearanceEvaluator::gradient(const Clearance& clearance, const VecX& q_planned, Workspace& w,
                                  double* distance) const {
  const Kinematics& kinematics = builder_.kinematics();
  kinematics.linkPoses(problem_.configuration(q_planned), w.curves.kinematics, w.poses);
  const CollisionPair& pair = model_.pairs[clearance.pair];
  Jacobian J;
  VecX whole = VecX::Zero(problem_.robot->dimension());
  *distance = 0.0;
  const auto add = [&](int body, const Vec3& p, double sign) {
    const CollisionBody& b = model_.bodies[body];
    const int link = b.link;
    const Vec3 p_W = link < 0 ? problem_.obstacles[b.obstacle].X_WO * p : w.poses[link] * p;
    *distance += sign * clearance.normal.dot(p_W);
    if (link < 0) return;
    kinematics.pointJacobian(w.curves.kinematics, link, p_W, J);
    whole += sign * J.topRows<3>().transpose() * clearance.normal;
  };
  add(pair.a, clearance.p_A, -1.0);
  add(pair.b, clearance.p_B, 1.0);
  return problem_.plannedPart(whole);
}

}  // namespace allclear
