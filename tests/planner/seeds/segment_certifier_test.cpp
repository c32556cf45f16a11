#include "allclear/planner/seeds/segment_certifier.h"

#include <gtest/gtest.h>

#include "allclear/planner/clearance/evaluator.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// Least distance beyond the margin at `count` configurations of a segment, by the plain loop over
/// all pairs.
double sampledClearance(const ClearanceEvaluator& evaluator, const VecX& from, const VecX& to,
                        int count, ClearanceEvaluator::Workspace& workspace) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= count; ++i) {
    const double s = static_cast<double>(i) / count;
    const Clearance worst = evaluator.atRest(from + s * (to - from), std::nullopt, workspace);
    if (worst.pair < 0) continue;
    least = std::min(least, worst.upper - evaluator.model().pairs[worst.pair].margin);
  }
  return least;
}

TEST(SegmentCertifier, AgreesWithDenseSamplesOnRandomRobots) {
  constexpr int kSamples = 400;
  const int problems = std::getenv("ALLCLEAR_LONG") != nullptr ? 2000 : 60;
  int certified = 0;
  int refused = 0;
  for (int seed = 1; seed <= problems; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const Problem problem = test::randomProblem(random);
    if (problem.planned.empty()) continue;
    const ClearanceEvaluator evaluator(problem);
    if (evaluator.model().pairs.empty()) continue;
    ClearanceEvaluator::Workspace workspace(evaluator);
    SegmentCertifier certifier(problem, evaluator.model());
    for (int i = 0; i < 12; ++i) {
      const VecX from = random.vectorX(problem.plannedCount(), 2.0);
      const VecX to =
          from + random.logUniform(1e-3, 2.0) * random.vectorX(problem.plannedCount(), 1);
      const double extra = random.chance(0.5) ? 0.0 : random.logUniform(1e-4, 1e-2);
      const double least = sampledClearance(evaluator, from, to, kSamples, workspace);
      const bool clear = certifier.isClear(from, to, extra);
      if (clear) {
        EXPECT_GE(least, extra) << "step " << (to - from).transpose();
      }
      // What is clear by more than the resolution and the sampling is found clear.
      if (least > extra + 0.02 * (to - from).norm() + 1e-3) {
        EXPECT_TRUE(clear) << least;
      }
      ++(clear ? certified : refused);
    }
  }
  EXPECT_GT(certified, 2 * problems);
  EXPECT_GT(refused, 2 * problems);
}

TEST(SegmentCertifier, ConfigurationsAreClearWhereTheirDistancesSaySo) {
  int clear = 0;
  for (int seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const Problem problem = test::randomProblem(random);
    if (problem.planned.empty()) continue;
    const ClearanceEvaluator evaluator(problem);
    ClearanceEvaluator::Workspace workspace(evaluator);
    SegmentCertifier certifier(problem, evaluator.model());
    for (int i = 0; i < 20; ++i) {
      const VecX q = random.vectorX(problem.plannedCount(), 3.0);
      const double extra = random.uniform(-0.05, 0.2);
      const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
      const double least =
          worst.pair < 0 ? 1e9 : worst.upper - evaluator.model().pairs[worst.pair].margin;
      if (std::abs(least - extra) < 1e-6) continue;
      EXPECT_EQ(certifier.isClear(q, extra), least > extra) << least << " " << extra;
      clear += least > extra;
    }
  }
  EXPECT_GT(clear, 50);
}

TEST(SegmentCertifier, ThinWallBetweenTwoClearEndsIsNotMissed) {
  Problem problem = test::wallProblem();
  problem.obstacles[0].geometry = {{Box(Vec3(0.6, 1e-6, 0.4)), Pose()}};
  problem.collision.margin = 0.0;
  const ClearanceEvaluator evaluator(problem);
  SegmentCertifier certifier(problem, evaluator.model());
  const VecX from = Vec3(-1.5, 0.0, 0.0);
  const VecX to = Vec3(0.06, 0.0, 0.0);
  EXPECT_TRUE(certifier.isClear(from, 0.0));
  EXPECT_TRUE(certifier.isClear(VecX(Vec3(1.5, 0.0, 0.0)), 0.0));
  EXPECT_FALSE(certifier.isClear(from, VecX(Vec3(1.5, 0.0, 0.0)), 0.0));
  EXPECT_FALSE(certifier.isClear(from, to, 0.0));
}

TEST(SegmentCertifier, ReachIsTheFarthestPointFromEachAxis) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  SegmentCertifier certifier(problem, evaluator.model());
  const VecX reach = certifier.reach(VecX(Vec3::Zero()));
  // The tip is at 1.18 m, 0.78 m and 0.38 m; the balls about the boxes add a little.
  for (int k = 0; k < 3; ++k) {
    EXPECT_GE(reach[k], 1.18 - 0.4 * k);
    EXPECT_LE(reach[k], 1.18 - 0.4 * k + 0.01);
  }
}

}  // namespace
}  // namespace allclear
