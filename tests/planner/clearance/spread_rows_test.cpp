// Rows of the optimiser to obstacles of which only a distribution is known: their distances against
// sampling, and their gradients against differences.
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/seeds/segment_certifier.h"
#include "planner/clearance/obstacle_rows.h"

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
  problem->obstacles[0].X_WO.p = test::besideHand(*problem, q_planned, random, 0.2, 0.6);
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

/// Of a link's hulls from all places of the obstacle.
double exactDistance(const Problem& problem, const CollisionBody& link, const VecX& q_planned,
                     double t) {
  const Obstacle& body = problem.obstacles[0];
  const Mat3 K = body.spreadAt(t);
  DistanceOptions options;
  options.spread = &K;
  return test::leastOfHulls(problem, link, q_planned, [&](const Shape& shape, const Pose& X_WG) {
    return signedDistance(shape, X_WG, body.geometry[0].shape, body.pose(t) * body.geometry[0].X_BG,
                          nullptr, options)
        .distance;
  });
}

TEST(SpreadRows, AreTheLeastDistanceToAllPlaces) {
  int near = 0;
  for (int seed = 0; seed < 25; ++seed) {
    Random random(100 + seed);
    Problem problem = problemWith(drawSpread(random), random);
    const VecX from = test::randomPlanned(problem, random);
    placeBeside(from, random, &problem);
    if (random.chance(0.5)) {
      const Pose start = problem.obstacles[0].X_WO;
      problem.obstacles[0].motion = {{0.2, start},
                                     {1.8, {random.rotation(), start.p + random.vector(0.3)}}};
    }
    const test::SpanRows span(problem, from, random, kTolerance);
    for (const Clearance& clearance : span.rows()) {
      ++near;
      const CollisionBody& link = span.body(span.pair(clearance).a);
      const double least = span.least(
          200, [&](const VecX& q, double t) { return exactDistance(problem, link, q, t); });
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
    const VecX q = test::randomPlanned(problem, random);
    test::ProbeOptions options;
    options.least = 0.01;
    options.value = 1e-9;
    options.kink = 1e-3;
    options.slope = 1e-5;
    options.rate = 1e-4;
    probed += static_cast<int>(
        test::probeGradients(problem, q, random.uniform(0.3, 0.9), options).size());
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
    const VecX from = test::randomPlanned(problem, random);
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
        EXPECT_GE(exactDistance(problem, a, from + 0.05 * i * (to - from), 0.0), pair.margin);
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
