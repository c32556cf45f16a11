// Distances over one span of a trajectory, pair by pair, from the cheapest test to the exact one:
//
// 1. Balls. A body's ball sweeps, over a cell of time, a set inside of another ball: about the
//    middle of the control points of its centre's curve. Most pairs are far apart by these.
// 2. Hulls. The least distance over time of the bodies' convex hulls, only to decide.
// 3. The pair's own fidelity: pieces or exact meshes, where hulls do not decide.
//
// Bounds are `lower <= min distance <= upper`; `lower` is proved (minimum_distance.h), padded for
// the curves' error. Obstacles that move bend at instants of their own: the span is cut into parts
// there, and on each part every body's motion is one polynomial per cell.
#include "allclear/planner/clearance/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "allclear/core/stop_scope.h"
#include "allclear/distance/minimum_distance.h"
#include "allclear/distance/support.h"
#include "allclear/planner/clearance/cloud_clearance.h"
#include "allclear/planner/clearance/deforming_clearance.h"
#include "allclear/planner/clearance/fidelity.h"

namespace allclear {
namespace {

/// The stray on a span is the most at its ends and its middle, times this: it changes little
/// between them, and the certificate's bound is a few percent above it.
constexpr double kStrayReserve = 1.05;

/// Two configurations are one when no joint differs by more [rad or m]: rounding of splines.
constexpr double kSamePlace = 1e-9;

/// Pairs that may touch near an end come to their margin in so long [of the duration]: what the
/// certificate allows (`kLongestRelief`).
constexpr double kShareOfTouch = 0.25;
/// Relative: ends of spans are sums of roundings.
constexpr double kRoundingOfTime = 1e-9;

/// What curves keep beyond their demand [tolerances].
constexpr double kAboveDemand = 2.0;

/// Ranges for reach: coordinates that are not planned stay where they are, even outside of their
/// limits.
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

/// A ball that contains the body's ball at every instant of the cell: Bernstein control points
/// contain the curve of the centre, and the curve's error counts for the farthest point.
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

/// The velocity along n [m/s] of the obstacle's point p_W, which may be displaced: as far against n
/// as its spread reaches. A spread along the world's axes does not turn with the obstacle, but it
/// grows.
double obstacleRate(const Obstacle& obstacle, double t, const Vec3& n, const Vec3& p_W) {
  if (obstacle.spread.isEmpty()) return n.dot(obstacle.pointVelocity(t, p_W));
  const Mat3 K = obstacle.spreadAt(t);
  const double reach = displacementReach(K, n);
  Vec3 p = p_W;
  if (!obstacle.spread.in_obstacle) p += farthestDisplacement(K, n);
  double rate = n.dot(obstacle.pointVelocity(t, p));
  if (obstacle.spread.changes()) {
    // Linear but for its knots: any short difference is the derivative.
    constexpr double kStep = 1e-6;  // [s]
    const Mat3 R = obstacle.spread.in_obstacle ? obstacle.pose(t).R : Mat3::Identity();
    const Mat3 slope = (obstacle.spread.at(t + kStep) - obstacle.spread.at(t)) / kStep;
    // Out of nothing a spread grows infinitely fast: its first millimetre counts as slower.
    constexpr double kLeastReach = 1e-3;  // [m]
    rate -= 0.5 * n.dot(R * slope * R.transpose() * n) / std::max(reach, kLeastReach);
  }
  return rate;
}

}  // namespace

ClearanceEvaluator::ClearanceEvaluator(const Problem& problem, FidelityPolicy policy, int threads)
    : problem_(problem),
      model_(collisionModel(problem, policy, threads)),
      stray_(problem_, model_),
      builder_(*problem.robot, builderOptions(problem, model_)),
      is_relaxed_(std::any_of(model_.pairs.begin(), model_.pairs.end(),
                              [](const CollisionPair& pair) { return pair.isRelaxed(); })) {
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

void ClearanceEvaluator::buildCurves(const BernsteinSpan& planned, double tolerance, Workspace& w,
                                     double duration) const {
  // Cut the span wherever the motion of some obstacle bends.
  std::vector<double> breaks{planned.time().lower, planned.time().upper};
  for (const Obstacle& obstacle : problem_.obstacles) {
    if (!obstacle.moves()) continue;
    const auto inside = obstacle.breaks(planned.time(), tolerance);
    breaks.insert(breaks.end(), inside.begin(), inside.end());
  }
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  w.parts.resize(breaks.size() - 1);
  const BernsteinSpan whole = wholeRobot(planned);
  w.at_start = is_relaxed_ && isAtStart(planned.value(planned.time().lower));
  w.at_goal = is_relaxed_ && isAtGoal(planned.value(planned.time().upper));
  // By time, whatever the goal is: only a joint goal has a configuration to compare with.
  const double end = duration > 0.0 ? duration : std::numeric_limits<double>::quiet_NaN();
  const Interval time = planned.time();
  w.near_start = w.at_start || time.upper <= kShareOfTouch * end;
  w.near_goal = w.at_goal || time.lower >= (1.0 - kShareOfTouch) * end ||
                time.upper >= (1.0 - kRoundingOfTime) * end;
  w.placements.clear();
  if (stray_.isNeeded()) {
    for (double t : {whole.time().lower, whole.time().middle(), whole.time().upper}) {
      w.placements.push_back(stray_.place(whole.value(t)));
    }
  }
  for (std::size_t i = 0; i < w.parts.size(); ++i) {
    throwIfStopped();
    Workspace::Part& part = w.parts[i];
    // A span without cuts is used as it is: restricting it would only add rounding.
    const bool only = w.parts.size() == 1;
    builder_.build(only ? whole : whole.restricted({breaks[i], breaks[i + 1]}), tolerance, w.curves,
                   &part.links);
    part.obstacles.resize(problem_.obstacles.size());
    part.spreads.assign(problem_.obstacles.size(), std::nullopt);
    for (std::size_t o = 0; o < problem_.obstacles.size(); ++o) {
      const Obstacle& obstacle = problem_.obstacles[o];
      part.obstacles[o].clear();
      if (!obstacle.spread.isEmpty()) {
        part.spreads[o] = Spread{obstacle.spreadAt(breaks[i]), obstacle.spreadAt(breaks[i + 1])};
      }
      if (!obstacle.moves()) {
        part.obstacles[o].push_back(BodyCurve::still(
            obstacle.X_WO, {part.links.cells.front().lower, part.links.cells.back().upper}));
        continue;
      }
      for (const Interval& cell : part.links.cells) {
        part.obstacles[o].push_back(obstacle.curve(cell));
      }
    }
  }
}

std::span<const BodyCurve> ClearanceEvaluator::curvesOf(int body,
                                                        const Workspace::Part& part) const {
  const int obstacle = model_.bodies[body].obstacle;
  if (obstacle >= 0) return part.obstacles[obstacle];
  return part.links.of(curve_of_body_[body]);
}

/// Lowers `best` to the least distance of the pair's solids over the part.
void ClearanceEvaluator::measure(const Workspace::Part& part, MeshFidelity fidelity,
                                 double tolerance, bool refine, Clearance* best) const {
  const CollisionPair& pair = model_.pairs[best->pair];
  McdOptions options;
  options.tolerance = tolerance;
  options.refine = refine;
  options.check_unique = false;
  const int obstacle = model_.bodies[pair.b].obstacle;
  if (obstacle >= 0 && problem_.obstacles[obstacle].deforming != nullptr) {
    return measureDeforming(model_.bodies[pair.a].solids(fidelity), curvesOf(pair.a, part),
                            problem_.obstacles[obstacle], options, best);
  }
  if (model_.bodies[pair.b].cloud_node >= 0) {
    if (part.spreads[obstacle]) options.spread = &*part.spreads[obstacle];
    const MovingCloud cloud{problem_.obstacles[obstacle].cloud.get(), curvesOf(pair.b, part),
                            model_.bodies[pair.b].cloud_node};
    return measureCloud(model_.bodies[pair.a].solids(fidelity), curvesOf(pair.a, part), cloud,
                        options, best);
  }
  if (obstacle >= 0 && part.spreads[obstacle]) options.spread = &*part.spreads[obstacle];
  for (const Geometry& a : model_.bodies[pair.a].solids(fidelity)) {
    for (const Geometry& b : model_.bodies[pair.b].solids(fidelity)) {
      options.threshold = best->upper;  // larger distances of other solids do not matter
      const MovingShape moving_a{&a.shape, a.X_BG, curvesOf(pair.a, part)};
      const MovingShape moving_b{&b.shape, b.X_BG, curvesOf(pair.b, part)};
      const DistanceBracket bracket = minimumDistance(moving_a, moving_b, options);
      if (bracket.penetrating) {
        measure(part, kContactFidelity, tolerance, refine, best);
        return;
      }
      best->lower = std::min(best->lower, bracket.lower);
      if (!bracket.evaluated || bracket.upper >= best->upper) continue;
      const WitnessGradient witness = witnessGradient(moving_a, moving_b, bracket);
      best->upper = bracket.upper;
      best->t_star = bracket.t_star;
      best->p_A = witness.p_A;
      best->p_B = witness.p_B;
      best->normal = witness.normal;
    }
  }
}

double ClearanceEvaluator::demand(int pair, const Workspace& w) const {
  double most = 0.0;
  for (const auto& placement : w.placements) most = std::max(most, stray_.of(pair, placement));
  const Nearness near{w.at_start, w.at_goal, w.near_start, w.near_goal};
  return marginOf(model_.pairs[pair], near) + kStrayReserve * most;
}

bool ClearanceEvaluator::isAtStart(const VecX& q_planned) const {
  return (q_planned - problem_.plannedPart(problem_.start)).cwiseAbs().maxCoeff() <= kSamePlace;
}

/// Up to whole turns of joints that wrap.
bool ClearanceEvaluator::isAtGoal(const VecX& q_planned) const {
  const auto* goal = std::get_if<JointTarget>(&problem_.goal);
  if (goal == nullptr) return false;
  for (int k = 0; k < problem_.plannedCount(); ++k) {
    double off = q_planned[k] - goal->values[k];
    if (problem_.robot->coordinates()[problem_.planned[k]].wraps) {
      off = std::remainder(off, 2.0 * std::numbers::pi);
    }
    if (std::abs(off) > kSamePlace) return false;
  }
  return true;
}

/// Where two bodies may touch they keep what they have at that end: four tolerances beyond it.
/// A curve keeps two tolerances more than its demand (refinement.cpp). Where the pair has twice
/// what it is to keep (`marginAtEnd` of less than eight tolerances), that may be more than it has
/// at the end itself: there, so much less is asked for that three quarters of it are kept.
double ClearanceEvaluator::marginOf(const CollisionPair& pair, const Nearness& near) const {
  const EndMargins& ends = pair.ends;
  double least = pair.margin;
  if (near.near_start && ends.leaves) least = std::min(least, ends.start);
  if (near.near_goal && ends.lands) least = std::min(least, ends.goal);
  const auto relax = [&](double kept) {
    if (kept >= pair.margin) return;
    least = std::min({least, kept, 1.5 * kept - kAboveDemand * problem_.collision.tolerance});
  };
  if (near.at_start && !ends.leaves) relax(ends.start);
  if (near.at_goal && !ends.lands) relax(ends.goal);
  return least;
}

Clearance ClearanceEvaluator::pairClearance(int pair, int span, double ceiling, double tolerance,
                                            bool refine, Workspace& w) const {
  Clearance best;
  best.pair = pair;
  best.span = span;
  best.lower = best.upper = ceiling;
  best.demand = demand(pair, w);
  const MeshFidelity own = model_.pairs[pair].fidelity;
  for (const Workspace::Part& part : w.parts) {
    coarseToFine(measuringLevels(own), [&](MeshFidelity fidelity) {
      if (fidelity == own) {
        measure(part, own, tolerance, refine, &best);
        return true;
      }
      // A coarser level only decides: where it stays above the bound so far, the own level does.
      Clearance coarse = best;
      measure(part, fidelity, tolerance, false, &coarse);
      return coarse.lower >= best.lower;
    });
  }
  return best;
}

/// Balls about the volume that each body sweeps: by cell, then body.
std::vector<Ball> ClearanceEvaluator::sweptBalls(const Workspace& w) const {
  std::vector<Ball> balls;
  for (const Workspace::Part& part : w.parts) {
    for (int c = 0; c < part.links.cellCount(); ++c) {
      for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
        const auto curves = curvesOf(static_cast<int>(i), part);
        balls.push_back(sweptBall(model_.bodies[i], curves[curves.size() == 1 ? 0 : c]));
        const int obstacle = model_.bodies[i].obstacle;
        if (obstacle < 0 || !part.spreads[obstacle]) continue;
        // Wherever the obstacle may be.
        const Spread& spread = *part.spreads[obstacle];
        balls.back().radius +=
            std::max(displacementRadius(spread.start), displacementRadius(spread.end));
      }
    }
  }
  return balls;
}

void ClearanceEvaluator::nearPairs(const BernsteinSpan& planned, int span, double influence,
                                   double tolerance, Workspace& w, std::vector<Clearance>* out,
                                   double duration) const {
  buildCurves(planned, kCurveShare * tolerance, w, duration);
  const std::size_t bodies = model_.bodies.size();
  const std::vector<Ball> balls = sweptBalls(w);
  StopSteps steps;
  for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
    steps.step();
    const CollisionPair& pair = model_.pairs[p];
    const double ceiling = demand(p, w) + influence;
    bool near = false;
    for (std::size_t first = 0; first < balls.size() && !near; first += bodies) {
      const Ball& a = balls[first + pair.a];
      const Ball& b = balls[first + pair.b];
      // Negated, so that NaN counts as near.
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
    return a.upper - a.demand < b.upper - b.demand;
  });
  return false;
}

// With n the normal from A to B and p_A, p_B the witnesses, fixed in their bodies, the distance
// changes as n . (v_B - v_A): the rotation of n does not count, as n is along p_B - p_A.
VecX ClearanceEvaluator::gradient(const Clearance& clearance, const VecX& q_planned, Workspace& w,
                                  double* distance, double* rate) const {
  const Kinematics& kinematics = builder_.kinematics();
  kinematics.linkPoses(problem_.configuration(q_planned), w.curves.kinematics, w.poses);
  const CollisionPair& pair = model_.pairs[clearance.pair];
  Jacobian J;
  VecX whole = VecX::Zero(problem_.robot->dimension());
  *distance = *rate = 0.0;
  const auto add = [&](int body, const Vec3& p, double sign) {
    const CollisionBody& b = model_.bodies[body];
    const int link = b.link;
    const double t = clearance.t_star;
    const Vec3 p_W = link < 0 ? problem_.obstacles[b.obstacle].pose(t) * p : w.poses[link] * p;
    // n . (p_B - p_A) is the distance; its derivative by q is n . (J_B - J_A).
    *distance += sign * clearance.normal.dot(p_W);
    if (link < 0) {
      const Obstacle& obstacle = problem_.obstacles[b.obstacle];
      *rate += sign * obstacleRate(obstacle, t, clearance.normal, p_W);
      return;
    }
    kinematics.pointJacobian(w.curves.kinematics, link, p_W, J);
    whole += sign * J.topRows<3>().transpose() * clearance.normal;
  };
  add(pair.a, clearance.p_A, -1.0);
  add(pair.b, clearance.p_B, 1.0);
  return problem_.plannedPart(whole);
}

}  // namespace allclear
