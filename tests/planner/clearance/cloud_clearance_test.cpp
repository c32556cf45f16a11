// Rows of the optimiser to clouds: their distances against sampling, and their gradients against
// differences.
#include "allclear/planner/clearance/cloud_clearance.h"

#include "distance/cloud/cloud_scenes.h"
#include "planner/clearance/obstacle_rows.h"

namespace allclear {
namespace {

using test::Random;

constexpr double kTolerance = 1e-4;

/// A cloud beside the robot's hand at q; moving by chance.
Problem problemAt(Random& random, VecX* q) {
  Problem problem = test::armAlone();
  *q = test::randomPlanned(problem, random);
  Obstacle scan;
  scan.id = "scan";
  scan.X_WO.R = random.rotation();
  scan.X_WO.p = test::besideHand(problem, *q, random, 0.0, 0.9);
  scan.cloud = std::make_shared<const Cloud>(
      Cloud::balls(test::randomPoints(random, 100), random.logUniform(1e-3, 0.1)));
  if (random.chance(0.3)) {
    scan.motion = {{0.0, scan.X_WO}, {2.0, {random.rotation(), scan.X_WO.p + random.vector(0.3)}}};
  }
  problem.obstacles = {scan};
  return problem;
}

/// Beyond the demand a fifth of the rest may be left open.
constexpr double kShareBeyond = 0.2;

TEST(CloudRows, AreTheLeastDistanceOverTheSpan) {
  int near = 0, deep = 0;
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(100 + seed);
    VecX from;
    const Problem problem = problemAt(random, &from);
    const Obstacle& scan = problem.obstacles[0];
    const test::SpanRows span(problem, from, random, kTolerance);
    // The parts of the cloud are bodies of their own: together they have the least distance.
    std::map<int, Interval> by_link;
    for (const Clearance& row : span.rows()) {
      auto [entry, is_new] = by_link.try_emplace(span.pair(row).a, Interval{HUGE_VAL, HUGE_VAL});
      entry->second.lower = std::min(entry->second.lower, row.lower);
      entry->second.upper = std::min(entry->second.upper, row.upper);
    }
    for (const auto& entry : by_link) {
      const Interval& bracket = entry.second;
      const double least = span.least(100, [&](const VecX& q, double t) {
        return test::leastOfHulls(
            problem, span.body(entry.first), q, [&](const Shape& shape, const Pose& X_WG) {
              return test::bruteDistance(shape, X_WG, *scan.cloud, scan.pose(t));
            });
      });
      (least > 0.0 ? near : deep) += 1;
      EXPECT_LE(bracket.lower, least + 1e-9);
      EXPECT_GE(bracket.upper, bracket.lower);
      const double demand = span.rows().front().demand;
      const double open = std::max(2.0 * kTolerance, kShareBeyond * (bracket.upper - demand));
      EXPECT_LE(bracket.upper, least > 0.0 ? least + open : HUGE_VAL);
    }
  }
  EXPECT_GT(near, 10);
  EXPECT_GT(deep, 2);
}

TEST(CloudRows, GradientIsTheDifference) {
  int probed = 0, deep = 0;
  for (int seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    Random random(300 + seed);
    VecX q;
    const Problem problem = problemAt(random, &q);
    for (const double value :
         test::probeGradients(problem, q, random.uniform(0.3, 0.9), test::ProbeOptions())) {
      ++probed;
      deep += value < 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(probed, 20);
  EXPECT_GT(deep, 2);
}

}  // namespace
}  // namespace allclear
