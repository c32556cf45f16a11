// Rows of the optimiser to obstacles of which only a distribution is known: their distances against
// sampling, and their gradients against differences.
#include <gtest/gtest.h>

#include "allclear/distance/signed_distance.h"
#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/clearance/soft_clearance.h"
#include "allclear/planner/seeds/segment_certifier.h"
#include "allclear/robot_models/kinematics.h"
#include "config/task_fixture.h"
#include "support/random_robot.h"

namespace allclear {
namespace {

using test::Random;

constexpr double kTolerance = 1e-4;

Problem problemWith(const PositionSpread& spread, Random& random) {
  Problem problem = test::loadText(
      "robot: {urdf: arm.urdf, srdf: arm.srdf}\ngroup_name: arm\n"
      "start_state: {group_state: ready}\ngoal: {joint_constraints: {elbow: 0}}\n"
      "scene: {collision_objects: [\n"
      "  {id: body, type: ellipsoid, dimensions: [0.1, 0.15, 0.2], pose: {position: [1.3, 0.5, "
      "0.6]}}]}\n");
  problem.obstacles[0].X_WO.R = random.rotation();
  problem.obstacles[0].spread = spread;
  return problem;
}

/// Puts the obstacle beside the robot's last links at q.
void placeBeside(const VecX& q_planned, Random& random, Problem* problem) {
  const Kinematics kinematics(*problem->robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem->configuration(q_planned), workspace, X_WL);
  problem->obstacles[0].X_WO.p =
      X_WL[problem->robot->findLink("hand")].p + random.uniform(0.2, 0.6) * random.direction();
}

Mat3 drawCovariance(Random& random, double size) {
  const Mat3 R = random.rotation();
  const Vec3 sigma(random.uniform(0.3, 1.0), random.uniform(0.3, 1.0), random.uniform(0.3, 1.0));
  return size * size * R * sigma.cwiseAbs2().asDiagonal() * R.transpose();
}

PositionSpread drawSpread(Random& random) {
  PositionSpread spread;
  spread.knots = {{0.0, drawCovariance(random, 0.03)}};
  if (random.chance(0.5)) spread.growth = drawCovariance(random, 0.03);
  if (random.chance(0.3)) spread.knots.push_back({1.2, drawCovariance(random, 0.04)});
  spread.in_obstacle = random.chance(0.4);
  return spread;
}

double exactDistance(const Problem& problem, const Geometry& solid, const VecX& q_planned, int link,
                     double t) {
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.configuration(q_planned), workspace, X_WL);
  const Obstacle& body = problem.obstacles[0];
  const Mat3 K = body.spreadAt(t);
  DistanceOptions options;
  options.spread = &K;
  return signedDistance(solid.shape, X_WL[link] * solid.X_BG, body.geometry[0].shape,
                        body.pose(t) * body.geometry[0].X_BG, nullptr, options)
      .distance;
}

TEST(SpreadRows, AreTheLeastDistanceToAllPlaces) {
  int near = 0;
  for (int seed = 0; seed < 25; ++seed) {
    Random random(100 + seed);
    Problem problem = problemWith(drawSpread(random), random);
    const VecX from = problem.plannedPart(test::randomConfiguration(random, *problem.robot));
    placeBeside(from, random, &problem);
    if (random.chance(0.5)) {
      const Pose start = problem.obstacles[0].X_WO;
      problem.obstacles[0].motion = {{0.2, start},
                                     {1.8, {random.rotation(), start.p + random.vector(0.3)}}};
    }
    const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
    ClearanceEvaluator::Workspace workspace(evaluator);
    const VecX to = from + random.vectorX(static_cast<int>(from.size()), 0.3);
    MatX control(from.size(), 2);
    control << from, to;
    const Interval time{0.5, 1.5};
    const BernsteinSpan span(time, control);
    std::vector<Clearance> found;
    evaluator.nearPairs(span, 0, 0.3, kTolerance, workspace, &found);
    for (const Clearance& clearance : found) {
      const CollisionPair& pair = evaluator.model().pairs[clearance.pair];
      const CollisionBody &a = evaluator.model().bodies[pair.a],
                          &b = evaluator.model().bodies[pair.b];
      if (b.obstacle < 0) continue;
      ++near;
      double least = HUGE_VAL;
      for (int i = 0; i <= 200; ++i) {
        const double t = time.lower + time.length() * i / 200;
        for (const Geometry& solid : a.solids(MeshFidelity::kHull)) {
          least = std::min(least, exactDistance(problem, solid, span.value(t), a.link, t));
        }
      }
      // An interpolated turn of the spread is off by a ten-thousandth of it.
      EXPECT_LE(clearance.lower, least + 1e-4) << "seed " << seed;
      EXPECT_GE(clearance.upper, least - 2.0 * kTolerance) << "seed " << seed;
      EXPECT_LE(clearance.upper, least + 1e-3) << "seed " << seed;
    }
  }
  EXPECT_GT(near, 10);
}

TEST(SpreadRows, GradientIsTheDifference) {
  int probed = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Random random(300 + seed);
    Problem problem = problemWith(drawSpread(random), random);
    const Pose at = problem.obstacles[0].X_WO;
    const bool turns = random.chance(0.5);
    problem.obstacles[0].motion = {
        {0.0, at},
        {2.0,
         {turns ? Mat3(at.R * rotationAbout(random.direction(), 1.0)) : at.R,
          at.p + random.vector(0.3)}}};
    const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
    ClearanceEvaluator::Workspace workspace(evaluator);
    const VecX q = problem.plannedPart(test::randomConfiguration(random, *problem.robot));
    const double t = random.uniform(0.3, 0.9), h = 1e-5;
    std::vector<Clearance> found;
    evaluator.pairsAtRest(q, t, 0.5, workspace, &found);
    for (const Clearance& clearance : found) {
      const CollisionPair& pair = evaluator.model().pairs[clearance.pair];
      if (evaluator.model().bodies[pair.b].obstacle < 0 || clearance.upper < 0.01) continue;
      const auto distance = [&](const VecX& x, double time) {
        std::vector<Clearance> others;
        evaluator.pairsAtRest(x, time, 1.0, workspace, &others);
        for (const Clearance& other : others) {
          if (other.pair == clearance.pair) return other.upper;
        }
        return std::nan("");
      };
      double value = 0.0, rate = 0.0;
      const VecX gradient = evaluator.gradient(clearance, q, workspace, &value, &rate);
      EXPECT_NEAR(value, clearance.upper, 1e-9);
      // A kink of the link's hull would show in the two one-sided differences.
      bool smooth = true;
      for (int k = 0; k < q.size(); ++k) {
        const VecX step = h * VecX::Unit(q.size(), k);
        const double up = (distance(q + step, t) - value) / h,
                     down = (value - distance(q - step, t)) / h;
        smooth = smooth && std::abs(up - down) < 1e-3;
        if (!smooth) break;
        EXPECT_NEAR(gradient[k], 0.5 * (up + down), 1e-5) << "seed " << seed;
      }
      const double up = (distance(q, t + h) - value) / h, down = (value - distance(q, t - h)) / h;
      if (std::abs(up - down) > 1e-3) continue;
      ++probed;
      EXPECT_NEAR(rate, 0.5 * (up + down), 1e-4) << "seed " << seed << (turns ? " turns" : "");
    }
  }
  EXPECT_GT(probed, 20);
}

/// A straight segment that the certifier finds clear is clear for every place of the obstacle.
TEST(SpreadRows, SegmentsKeepClearOfAllPlaces) {
  int clear = 0, closed = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Random random(500 + seed);
    PositionSpread spread;
    spread.knots = {{0.0, drawCovariance(random, 0.1)}};
    Problem problem = problemWith(spread, random);
    const VecX from = problem.plannedPart(test::randomConfiguration(random, *problem.robot));
    placeBeside(from, random, &problem);
    Problem certain = problem;
    certain.obstacles[0].spread = {};
    const CollisionModel model = collisionModel(problem, FidelityPolicy::kHulls);
    SegmentCertifier certifier(problem, model), without(certain, model);
    const VecX to = from + random.vectorX(static_cast<int>(from.size()), 0.5);
    const bool is_clear = certifier.isClear(from, to, 0.0);
    closed += !is_clear && without.isClear(from, to, 0.0);
    if (!is_clear) continue;
    ++clear;
    for (const CollisionPair& pair : model.pairs) {
      const CollisionBody& a = model.bodies[pair.a];
      if (model.bodies[pair.b].obstacle < 0) continue;
      for (int i = 0; i <= 20; ++i) {
        for (const Geometry& solid : a.solids(MeshFidelity::kHull)) {
          EXPECT_GE(exactDistance(problem, solid, from + 0.05 * i * (to - from), a.link, 0.0),
                    pair.margin);
        }
      }
    }
  }
  EXPECT_GT(clear, 5);
  EXPECT_GT(closed, 0) << "the spread makes no difference";
}

TEST(SpreadRows, HaveNoSmoothDistance) {
  Random random(1);
  const Problem problem = problemWith(drawSpread(random), random);
  const ClearanceEvaluator evaluator(problem, FidelityPolicy::kHulls);
  const SoftClearance soft(evaluator);
  for (int p = 0; p < static_cast<int>(evaluator.model().pairs.size()); ++p) {
    const bool is_spread = evaluator.model().bodies[evaluator.model().pairs[p].b].obstacle >= 0;
    EXPECT_EQ(soft.isKnown(p), !is_spread);
  }
}

}  // namespace
}  // namespace allclear
