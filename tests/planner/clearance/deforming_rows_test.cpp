// Rows of the optimiser to obstacles that bend: their distances against sampling, and their
// gradients against differences.
#include "allclear/planner/clearance/deforming_clearance.h"
#include "distance/deform/sequence_scenes.h"
#include "planner/clearance/obstacle_rows.h"

namespace allclear {
namespace {

using test::Random;

constexpr double kTolerance = 1e-4;

/// A waving sheet beside the robot's hand at q.
Problem problemAt(Random& random, VecX* q) {
  Problem problem = test::armAlone();
  *q = test::randomPlanned(problem, random);
  Obstacle sheet;
  sheet.id = "sheet";
  sheet.X_WO.R = random.rotation();
  sheet.X_WO.p = test::besideHand(problem, *q, random, 0.2, 0.9);
  sheet.deforming = std::make_shared<const DeformingMesh>(
      test::wavingSheet(random, random.integer(2, 8), 5, 0.0, 2.0));
  problem.obstacles = {sheet};
  return problem;
}

TEST(DeformingRows, AreTheLeastDistanceOverTheSpan) {
  int near = 0;
  for (int seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    Random random(100 + seed);
    VecX from;
    const Problem problem = problemAt(random, &from);
    const Obstacle& sheet = problem.obstacles[0];
    const test::SpanRows span(problem, from, random, kTolerance);
    for (const Clearance& row : span.rows()) {
      const double least = span.least(100, [&](const VecX& q, double t) {
        return test::leastOfHulls(
            problem, span.body(span.pair(row).a), q, [&](const Shape& shape, const Pose& X_WG) {
              return test::bruteDistance(shape, X_WG, *sheet.deforming, sheet.X_WO, t);
            });
      });
      if (least < 1e-3) {
        EXPECT_LE(row.upper, 1e-3 + 2.0 * kTolerance);  // seen as near or in contact
        continue;
      }
      ++near;
      EXPECT_LE(row.lower, least + 1e-9);
      EXPECT_GE(row.upper, row.lower);
      EXPECT_LE(row.upper, least + 2.0 * kTolerance);
    }
  }
  EXPECT_GT(near, 10);
}

TEST(DeformingRows, GradientIsTheDifference) {
  int probed = 0;
  for (int seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(300 + seed);
    VecX q;
    const Problem problem = problemAt(random, &q);
    test::ProbeOptions options;
    options.least = 0.01;
    probed += static_cast<int>(
        test::probeGradients(problem, q, random.uniform(0.3, 0.9), options).size());
  }
  EXPECT_GT(probed, 20);
}

}  // namespace
}  // namespace allclear
