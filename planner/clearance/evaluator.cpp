#include "allclear/planner/clearance/evaluator.h"

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

ClearanceEvaluator::ClearanceEvaluator(const Problem& problem, FidelityPolicy detail)
    : problem_(problem),
      model_(collisionModel(problem, detail)),
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
  std::vector<double> breaks{planned.time().lower, planned.time().upper};
  for (const Obstacle& obstacle : problem_.obstacles) {
    const auto inside = obstacle.breaks(planned.time(), tolerance);
    breaks.insert(breaks.end(), inside.begin(), inside.end());
  }
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  w.parts.resize(breaks.size() - 1);
  const BernsteinSpan whole = wholeRobot(planned);
  for (std::size_t i = 0; i < w.parts.size(); ++i) {
    Workspace::Part& part = w.parts[i];
    const bool only = w.parts.size() == 1;
    builder_.build(only ? whole : whole.restricted({breaks[i], breaks[i + 1]}), tolerance, w.curves,
                   &part.links);
    part.obstacles.resize(problem_.obstacles.size());
    for (std::size_t o = 0; o < problem_.obstacles.size(); ++o) {
      const Obstacle& obstacle = problem_.obstacles[o];
      part.obstacles[o].clear();
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

/// Lowers `best` by what the pair's solids do in the part.
void ClearanceEvaluator::measure(const Workspace::Part& part, MeshFidelity fidelity,
                                 double tolerance, bool refine, Clearance* best) const {
  const CollisionPair& pair = model_.pairs[best->pair];
  McdOptions options;
  options.tolerance = tolerance;
  options.refine = refine;
  for (const Geometry& a : model_.bodies[pair.a].solids(fidelity)) {
    for (const Geometry& b : model_.bodies[pair.b].solids(fidelity)) {
      options.threshold = best->upper;
      const MovingShape moving_a{&a.shape, a.X_BG, curvesOf(pair.a, part)};
      const MovingShape moving_b{&b.shape, b.X_BG, curvesOf(pair.b, part)};
      const DistanceBracket bracket = minimumDistance(moving_a, moving_b, options);
      if (bracket.penetrating) {
        // How deep meshes are, and which way is out, their convex pieces tell better: as closely
        // over the whole interval, and with directions that change steadily.
        measure(part, MeshFidelity::kManyPieces, tolerance, refine, best);
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

Clearance ClearanceEvaluator::pairClearance(int pair, int span, double ceiling, double tolerance,
                                            bool refine, Workspace& w) const {
  Clearance best;
  best.pair = pair;
  best.span = span;
  best.lower = best.upper = ceiling;
  const MeshFidelity fidelity = model_.pairs[pair].fidelity;
  for (const Workspace::Part& part : w.parts) {
    if (fidelity != MeshFidelity::kHull) {
      // Where the hulls keep the ceiling the pieces do.
      Clearance hulls = best;
      measure(part, MeshFidelity::kHull, tolerance, false, &hulls);
      if (hulls.lower >= best.lower) continue;
    }
    measure(part, fidelity, tolerance, refine, &best);
  }
  return best;
}

void ClearanceEvaluator::nearPairs(const BernsteinSpan& planned, int span, double influence,
                                   double tolerance, Workspace& w,
                                   std::vector<Clearance>* out) const {
  buildCurves(planned, kCurveShare * tolerance, w);
  const std::size_t bodies = model_.bodies.size();
  std::vector<Ball> balls;  // about what each body sweeps, by cell, then body
  for (const Workspace::Part& part : w.parts) {
    for (int c = 0; c < part.links.cellCount(); ++c) {
      for (std::size_t i = 0; i < bodies; ++i) {
        const auto curves = curvesOf(static_cast<int>(i), part);
        balls.push_back(sweptBall(model_.bodies[i], curves[curves.size() == 1 ? 0 : c]));
      }
    }
  }
  for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
    const CollisionPair& pair = model_.pairs[p];
    const double ceiling = pair.margin + influence;
    bool near = false;
    for (std::size_t first = 0; first < balls.size() && !near; first += bodies) {
      const Ball& a = balls[first + pair.a];
      const Ball& b = balls[first + pair.b];
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

Clearance ClearanceEvaluator::atRest(const VecX& q_planned, std::optional<double> t,
                                     Workspace& w) const {
  builder_.kinematics().linkPoses(problem_.configuration(q_planned), w.curves.kinematics, w.poses);
  Clearance worst;
  double least = std::numeric_limits<double>::infinity();
  for (int p = 0; p < static_cast<int>(model_.pairs.size()); ++p) {
    const CollisionPair& pair = model_.pairs[p];
    const CollisionBody& A = model_.bodies[pair.a];
    const CollisionBody& B = model_.bodies[pair.b];
    if (B.obstacle >= 0 && problem_.obstacles[B.obstacle].moves() && !t) continue;
    const Pose& X_WA = w.poses[A.link];
    const Pose X_WB =
        B.obstacle >= 0 ? problem_.obstacles[B.obstacle].pose(t.value_or(0.0)) : w.poses[B.link];
    const double apart =
        (X_WA * A.ball.center - X_WB * B.ball.center).norm() - A.ball.radius - B.ball.radius;
    if (apart - pair.margin >= least) continue;
    const auto look = [&](MeshFidelity fidelity) {
      for (const Geometry& a : A.solids(fidelity)) {
        for (const Geometry& b : B.solids(fidelity)) {
          const SignedDistance d = signedDistance(a.shape, X_WA * a.X_BG, b.shape, X_WB * b.X_BG);
          if (fidelity == MeshFidelity::kSurface && d.distance <= 0.0) return false;
          if (d.distance - pair.margin >= least) continue;
          least = d.distance - pair.margin;
          worst.pair = p;
          worst.lower = worst.upper = d.distance;
          worst.p_A = X_WA.inverse() * d.witness_A;
          worst.p_B = X_WB.inverse() * d.witness_B;
          worst.normal = d.normal;
        }
      }
      return true;
    };
    // Meshes in contact by their pieces, as in `measure`.
    if (!look(pair.fidelity)) look(MeshFidelity::kManyPieces);
  }
  return worst;
}

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
    *distance += sign * clearance.normal.dot(p_W);
    if (link < 0) {
      *rate += sign * clearance.normal.dot(problem_.obstacles[b.obstacle].pointVelocity(t, p_W));
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
