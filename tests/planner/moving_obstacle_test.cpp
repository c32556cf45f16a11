#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allclear/distance/signed_distance.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/program/trajectory_program.h"
#include "allclear/planner/scene.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "distance/minimum/mcd_methods.h"
#include "support/data.h"
#include "support/example_arm.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

const PlanOptions kPatient{.time_limit = 60.0};

using test::Random;

/// Knots at times apart by up to three orders, turns up to almost half a turn, rests in between.
Obstacle randomMotion(Random& random) {
  Obstacle obstacle;
  obstacle.id = "cart";
  const double size = random.logUniform(1e-2, 3.0);
  obstacle.geometry.push_back(
      {Box(size * Vec3(1.0, random.uniform(0.1, 1.0), 0.3)),
       {random.rotationOfNormals(), random.vector(random.chance(0.5) ? 1.0 : 0.0)}});
  double t = random.uniform(-1.0, 1.0);
  Pose X = random.pose(2.0);
  for (int k = random.integer(1, 6); k > 0; --k) {
    obstacle.motion.push_back({t, X});
    t += random.logUniform(1e-2, 10.0);
    if (random.chance(0.8)) X.p += random.vector(random.logUniform(1e-3, 2.0));
    if (random.chance(0.7)) {
      X.R = X.R * rotationAbout(random.directionOfNormals(), random.logUniform(1e-6, 3.1));
    }
  }
  return obstacle;
}

double reachOf(const Obstacle& obstacle) {
  const Geometry& part = obstacle.geometry[0];
  const Ball ball = boundingBall(part.shape);
  return (part.X_BG * ball.center).norm() + ball.radius;
}

/// The time between consecutive breaks.
std::vector<Interval> cellsOf(const Obstacle& obstacle, Interval time, double tolerance) {
  std::vector<double> ends{time.lower};
  for (double t : obstacle.breaks(time, tolerance)) ends.push_back(t);
  ends.push_back(time.upper);
  std::vector<Interval> cells;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) cells.push_back({ends[i], ends[i + 1]});
  return cells;
}

TEST(ObstacleCurve, IsTheMotionToTheToleranceBetweenBreaks) {
  for (int seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Obstacle obstacle = randomMotion(random);
    const double radius = reachOf(obstacle), tolerance = random.logUniform(1e-8, 1e-2);
    const double from = random.uniform(-2.0, 5.0);
    const auto cells = cellsOf(obstacle, {from, from + random.logUniform(1e-3, 20.0)}, tolerance);
    for (const Interval& cell : cells) {
      ASSERT_LT(cell.lower, cell.upper) << "seed " << seed;
      const BodyCurve curve = obstacle.curve(cell);
      EXPECT_EQ(curve.time.lower, cell.lower);
      EXPECT_EQ(curve.time.upper, cell.upper);
      EXPECT_LE(curve.error(radius), tolerance + 1e-11) << "seed " << seed;
      for (int i = 0; i <= 12; ++i) {
        const double t = cell.lower + cell.length() * i / 12;
        const Vec3 p = random.uniform(0.0, 1.0) * radius * random.directionOfNormals();
        EXPECT_LE((curve.pose(t) * p - obstacle.pose(t) * p).norm(), curve.error(p.norm()))
            << "seed " << seed << " at " << t;
      }
    }
  }
}

TEST(ObstacleCurve, BoundsTheDerivativesOfTheMotion) {
  int moved = 0;
  for (int seed = 0; seed < 300; ++seed) {
    Random random(100 + seed);
    const Obstacle obstacle = randomMotion(random);
    const double last = obstacle.motion.back().time;
    for (const Interval& cell : cellsOf(obstacle, {-2.0, last + 1.0}, 1e-4)) {
      const DerivativeBounds bounds = obstacle.curve(cell).bounds;
      const Vec3 u = random.logUniform(1e-2, 3.0) * random.directionOfNormals();
      const double h = cell.length() / 8.0;
      const auto at = [&](int i) -> Vec3 { return obstacle.pose(cell.middle() + i * h) * u; };
      // Differences are means of the derivative over their stretch.
      const double first = (at(1) - at(-1)).norm() / (2.0 * h);
      const double second = (at(2) - 2.0 * at(0) + at(-2)).norm() / (4.0 * h * h);
      const double third = (at(3) - 3.0 * at(1) + 3.0 * at(-1) - at(-3)).norm() / (8.0 * h * h * h);
      const double noise = 1e-14 * (10.0 + u.norm());
      const double found[] = {first, second, third};
      for (int n = 0; n < 3; ++n) {
        EXPECT_LE(found[n],
                  bounds.linear[n] + bounds.angular[n] * u.norm() + noise / std::pow(h, n + 1))
            << "seed " << 100 + seed << " derivative " << n + 1;
      }
      moved += first > 0.2 * (bounds.linear[0] + bounds.angular[0] * u.norm()) && first > 0.0;
    }
  }
  EXPECT_GT(moved, 300) << "the bounds are far too wide";
}

TEST(ObstacleCurve, PointVelocityIsTheDerivativeOfThePose) {
  int turning = 0;
  for (int seed = 0; seed < 300; ++seed) {
    Random random(500 + seed);
    const Obstacle obstacle = randomMotion(random);
    for (int i = 0; i < 20; ++i) {
      const double t =
          random.uniform(obstacle.motion.front().time - 1.0, obstacle.motion.back().time + 1.0);
      double to_knot = HUGE_VAL;
      for (const PoseKnot& knot : obstacle.motion) {
        to_knot = std::min(to_knot, std::abs(knot.time - t));
      }
      const double h = std::min(1e-4, 0.5 * to_knot);
      if (h < 1e-6) continue;
      const Vec3 p = random.vector(2.0);
      const Vec3 expected = (obstacle.pose(t + h) * p - obstacle.pose(t - h) * p) / (2.0 * h);
      const Vec3 found = obstacle.pointVelocity(t, obstacle.pose(t) * p);
      // The third derivative is at most rate^3 |p|; rates reach 310 rad/s.
      const double rate = (found - obstacle.pointVelocity(t, obstacle.pose(t).p)).norm();
      EXPECT_LT((found - expected).norm(),
                1e-8 + 1e-5 * expected.norm() + h * h * std::pow(rate, 3))
          << "seed " << 500 + seed << " at " << t;
      turning += rate > 1e-3;
    }
  }
  EXPECT_GT(turning, 500);
}

TEST(ObstacleCurve, EverySoundSearchFindsTheSameLeastDistance) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(800 + seed);
    const Obstacle obstacle = randomMotion(random);
    const auto cells = cellsOf(obstacle, {0.0, 3.0}, 1e-6);
    std::vector<BodyCurve> moving, resting;
    const Pose X = random.pose(2.0);
    for (const Interval& cell : cells) {
      moving.push_back(obstacle.curve(cell));
      resting.push_back(BodyCurve::still(X, cell));
    }
    const Shape post = Capsule(0.1, 1.0);
    const Geometry& part = obstacle.geometry[0];
    double least = HUGE_VAL;
    for (int i = 0; i <= 3000; ++i) {
      const Pose X_WG = obstacle.pose(3.0 * i / 3000.0) * part.X_BG;
      least = std::min(least, signedDistance(part.shape, X_WG, post, X).distance);
    }
    for (const test::McdMethod method :
         {test::McdMethod(), test::McdMethod(ReferenceAlgorithm::kAdvancement),
          test::McdMethod(ReferenceAlgorithm::kAdvancementIsotropic)}) {
      McdOptions options;
      options.tolerance = 1e-3;
      const DistanceBracket found = test::minimumBy(method, {&part.shape, part.X_BG, moving},
                                                    {&post, Pose{}, resting}, options);
      EXPECT_LE(found.lower, least) << "seed " << 800 + seed << " " << test::methodName(method);
      if (found.status != McdStatus::kBracketed) continue;
      EXPECT_LE(found.upper - found.lower, 1.1e-3) << "seed " << 800 + seed;
    }
  }
}

/// The arm swings from side to side; nothing is in its way yet.
Problem swingProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0;
  VecX goal(7);
  goal << 1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0;
  problem.goal = JointTarget{problem.planned, goal};
  return problem;
}

PoseKnot knotAt(double t, const Vec3& p, double turn = 0.0) {
  return {t, {rotationAbout(Vec3::UnitZ(), turn), p}};
}

BSpline straightLine(const Problem& problem, double duration, int spans) {
  const VecX start = problem.plannedPart(problem.start);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const int count = spans + 5;
  MatX control(start.size(), count);
  for (int l = 0; l < count; ++l) {
    const double s = std::clamp((l - 2.0) / (count - 5.0), 0.0, 1.0);
    control.col(l) = start + s * (goal - start);
  }
  return BSpline(control, duration);
}

/// Jacobian of the clearance rows beside differences of five points, in all variables, wherever the
/// rows are smooth. Returns how many entries were compared; `by_duration` those of the duration.
int probeClearanceRows(TrajectoryProgram& program, const VecX& x, int* by_duration) {
  const int n = static_cast<int>(x.size()), rows = static_cast<int>(program.rows().size());
  const int m = static_cast<int>(program.bounds().g_lower.size());
  const auto entries = program.jacobianEntries();
  VecX values(static_cast<Eigen::Index>(entries.size()));
  program.setPoint(x);
  program.jacobian(values);
  MatX J = MatX::Zero(m, n);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    J(entries[e].row, entries[e].column) += values[static_cast<Eigen::Index>(e)];
  }
  // The duration is the column that every row has and that is not a control point's: the last.
  const int duration = n - 1;
  // In penetration the deepest instant may be where two normals are as good as each other: one of
  // them alone is not the gradient there.
  std::vector<bool> apart;
  for (const Clearance& c : program.rowClearances()) apart.push_back(c.upper > 0.0);
  int compared = 0;
  constexpr double kStep = 1e-5;
  for (int i = 0; i < n; ++i) {
    VecX g[5];
    for (int k = -2; k <= 2; ++k) {
      VecX y = x;
      y[i] += k * kStep;
      program.setPoint(y);
      g[k + 2].resize(m);
      program.constraints(g[k + 2]);
    }
    for (int r = m - rows; r < m; ++r) {
      const double left = (g[1][r] - g[0][r]) / kStep, right = (g[4][r] - g[3][r]) / kStep;
      if (!apart[r - (m - rows)]) continue;
      if (std::abs(left - right) > 1e-3) continue;  // t_star or the witness jumps here
      const double slope = (8.0 * (g[3][r] - g[1][r]) - (g[4][r] - g[0][r])) / (12.0 * kStep);
      EXPECT_NEAR(J(r, i), slope, 1e-6 * (1.0 + std::abs(slope)))
          << "row " << r - (m - rows) << " of " << rows << ", variable " << i << " of " << n
          << ", t* = " << program.rowClearances()[r - (m - rows)].t_star;
      compared += slope != 0.0;
      if (i == duration) *by_duration += slope != 0.0;
    }
  }
  return compared;
}

/// Rows of the pairs with moving obstacles that are near somewhere.
void setMovingRows(const ClearanceEvaluator& evaluator, const BSpline& curve,
                   TrajectoryProgram* program) {
  ClearanceEvaluator::Workspace workspace(evaluator);
  std::vector<Clearance> near;
  for (int s = 0; s < curve.spanCount(); ++s) {
    evaluator.nearPairs(curve.span(s), s, 0.3, 1e-4, workspace, &near);
  }
  std::vector<ClearanceRow> rows;
  for (const Clearance& c : near) {
    if (evaluator.model().bodies[evaluator.model().pairs[c.pair].b].obstacle < 0) continue;
    rows.push_back({c.pair, c.span});
  }
  program->setRows(rows);
}

TEST(TrajectoryProgram, GradientsOfMovingObstaclesAgreeWithDifferences) {
  int compared = 0, by_duration = 0;
  for (int seed = 0; seed < 6; ++seed) {
    Random random(40 + seed);
    Problem problem = swingProblem();
    Obstacle ball{"ball", {}, {{Sphere(0.12), {Mat3::Identity(), {0.05, 0.0, 0.0}}}}, {}};
    // Towards the arm's way, across it, and away, turning; knots anywhere.
    for (int k = 0; k < 4; ++k) {
      const double t = -0.3 + 0.8 * k + random.uniform(0.0, 0.5);
      ball.motion.push_back(
          knotAt(t, Vec3(0.7, 0.9 - 0.6 * k, 0.6) + random.vector(0.15), 0.7 * k));
    }
    problem.obstacles.push_back(ball);
    const ClearanceEvaluator evaluator(problem);
    BSpline curve = straightLine(problem, random.uniform(1.5, 2.5), 8);
    MatX control = curve.control();
    for (int l = 3; l < control.cols() - 3; ++l) control.col(l) += random.vectorX(7, 0.1);
    curve = curve.withControl(control);
    // The gradients are exact for the curves followed; those are as good as the tolerance.
    TrajectoryProgram program(evaluator, curve,
                              {.clearance_target = 1e-4, .ceiling = 0.5, .tolerance = 1e-6});
    setMovingRows(evaluator, curve, &program);
    ASSERT_FALSE(program.rows().empty()) << "seed " << 40 + seed;
    SCOPED_TRACE("seed " + std::to_string(40 + seed));
    compared += probeClearanceRows(program, program.pointOf(curve), &by_duration);
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(by_duration, 20);
}

TEST(TrajectoryProgram, GradientsAgreeWhereAnObstacleTurnsBack) {
  // Straight at the arm and back at the very instant when it is nearest.
  int compared = 0, by_duration = 0;
  Problem problem = swingProblem();
  Obstacle ball{"ball", {}, {{Sphere(0.1), {}}}, {}};
  ball.motion = {knotAt(0.0, {0.75, 0.0, 1.4}), knotAt(0.93, {0.75, 0.1, 0.9}),
                 knotAt(2.0, {0.75, 0.0, 1.5})};
  problem.obstacles.push_back(ball);
  const ClearanceEvaluator evaluator(problem);
  const BSpline curve = straightLine(problem, 2.0, 8);
  TrajectoryProgram program(evaluator, curve,
                            {.clearance_target = 1e-4, .ceiling = 0.5, .tolerance = 1e-6});
  setMovingRows(evaluator, curve, &program);
  compared += probeClearanceRows(program, program.pointOf(curve), &by_duration);
  int at_the_knot = 0;
  for (const Clearance& c : program.rowClearances())
    at_the_knot += std::abs(c.t_star - 0.93) < 1e-3;
  EXPECT_GT(at_the_knot, 0);
  EXPECT_GT(compared, 50);
  EXPECT_GT(by_duration, 0);
}

TEST(ClearanceEvaluator, BracketsTheSampledDistanceToAMovingObstacle) {
  Problem problem = swingProblem();
  for (int seed = 0; seed < 20; ++seed) {
    Random random(70 + seed);
    Obstacle cart = randomMotion(random);
    for (PoseKnot& knot : cart.motion) knot.X_WO.p = 0.4 * knot.X_WO.p + Vec3(0.4, 0.0, 0.6);
    problem.obstacles = {cart};
    const ClearanceEvaluator evaluator(problem);
    const auto& model = evaluator.model();
    ClearanceEvaluator::Workspace workspace(evaluator);
    const Kinematics kinematics(*problem.robot);
    auto scratch = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    const BSpline curve = straightLine(problem, random.uniform(0.5, 3.0), 5);
    for (int s = 0; s < curve.spanCount(); ++s) {
      std::vector<Clearance> near;
      evaluator.nearPairs(curve.span(s), s, 10.0, 1e-4, workspace, &near);
      std::vector<double> sampled(model.pairs.size(), HUGE_VAL);
      const Interval time = curve.spanTime(s);
      for (int i = 0; i <= 100; ++i) {
        const double t = time.lower + time.length() * i / 100;
        kinematics.linkPoses(problem.configuration(curve.value(t)), scratch, X_WL);
        for (const Clearance& c : near) {
          const CollisionBody& A = model.bodies[model.pairs[c.pair].a];
          const CollisionBody& B = model.bodies[model.pairs[c.pair].b];
          if (B.obstacle < 0) continue;
          const auto between = [&](MeshFidelity fidelity) {
            double least = HUGE_VAL;
            for (const Geometry& a : A.solids(fidelity)) {
              for (const Geometry& b : B.solids(fidelity)) {
                const Pose X_WB = problem.obstacles[0].pose(t) * b.X_BG;
                least = std::min(
                    least, signedDistance(a.shape, X_WL[A.link] * a.X_BG, b.shape, X_WB).distance);
              }
            }
            return least;
          };
          const MeshFidelity fidelity = model.pairs[c.pair].fidelity;
          double d = between(fidelity);
          // In contact meshes are measured by their pieces.
          if (fidelity == MeshFidelity::kSurface && d <= 0.0)
            d = between(MeshFidelity::kManyPieces);
          sampled[c.pair] = std::min(sampled[c.pair], d);
        }
      }
      for (const Clearance& c : near) {
        if (sampled[c.pair] == HUGE_VAL) continue;
        EXPECT_LE(c.lower, sampled[c.pair]) << "seed " << 70 + seed << " span " << s;
        EXPECT_LE(c.upper - c.lower, 1.01e-4) << "seed " << 70 + seed << " span " << s;
        // A sample cannot be far above the least distance: everything moves smoothly.
        EXPECT_GE(c.upper + 0.5 * time.length(), sampled[c.pair]) << "seed " << 70 + seed;
      }
    }
  }
}

/// Least distance beyond the margin to the obstacles at many instants, by static distances alone.
double leastSampled(const Problem& problem, const Trajectory& trajectory, int samples) {
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kEverywhere);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  double least = HUGE_VAL;
  for (int i = 0; i <= samples; ++i) {
    const double t = trajectory.duration() * i / samples;
    kinematics.linkPoses(problem.configuration(trajectory.value(t)), workspace, X_WL);
    for (const CollisionPair& pair : model.pairs) {
      const CollisionBody &A = model.bodies[pair.a], &B = model.bodies[pair.b];
      const Pose X_WB = B.obstacle >= 0 ? problem.obstacles[B.obstacle].pose(t) : X_WL[B.link];
      for (const Geometry& a : A.solids(pair.fidelity)) {
        for (const Geometry& b : B.solids(pair.fidelity)) {
          const double d =
              signedDistance(a.shape, X_WL[A.link] * a.X_BG, b.shape, X_WB * b.X_BG).distance;
          least = std::min(least, d - pair.margin);
        }
      }
    }
  }
  return least;
}

TEST(Plan, LetsAnObstacleThatCrossesTheWayPass) {
  Problem problem = swingProblem();
  Obstacle cart{"cart", {}, {{Box({0.25, 0.25, 0.5}), {}}}, {}};
  // Through the middle of the arm's way while the arm would be there.
  cart.motion = {knotAt(0.0, {1.6, 0.0, 0.6}), knotAt(0.6, {0.75, 0.0, 0.6}, 0.4),
                 knotAt(2.4, {0.75, 0.1, 0.6}, 1.0), knotAt(3.2, {1.6, 0.2, 0.6}, 1.5)};
  problem.obstacles.push_back(cart);
  // The way that is free without the cart is not free with it.
  Problem empty = problem;
  empty.obstacles.clear();
  const Plan undisturbed = allclear::plan(empty, kPatient);
  ASSERT_EQ(undisturbed.status, PlanStatus::kCertified) << undisturbed.message;
  ASSERT_LT(leastSampled(problem, *undisturbed.trajectory, 500), -0.01);

  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_TRUE(verifyCertificate(problem, *plan.certificate).valid);
  EXPECT_GE(leastSampled(problem, *plan.trajectory, 2000), 0.0);
}

}  // namespace
}  // namespace allclear
