#include "allclear/planner/segment_clearance.h"

#include <gtest/gtest.h>

#include "allclear/planner/clearance/evaluator.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

TEST(SegmentClearance, AgreesWithDistancesAtConfigurations) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  ClearanceEvaluator::Workspace workspace(evaluator);
  SegmentClearance clearance(problem);
  test::Random random(11);
  int clear = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const VecX q = random.vectorX(3, 2.0);
    const Clearance worst = evaluator.atRest(q, std::nullopt, workspace);
    const double excess = worst.upper - evaluator.model().pairs[worst.pair].margin;
    if (std::abs(excess) < 1e-6) continue;
    EXPECT_EQ(clearance.isClear(q), excess > 0.0) << q.transpose();
    clear += excess > 0.0;
  }
  EXPECT_GT(clear, 20);
}

TEST(SegmentClearance, FindsWhatSamplesAtTheEndsMiss) {
  const Problem problem = test::wallProblem();
  SegmentClearance clearance(problem);
  const VecX start = problem.start, goal = std::get<JointTarget>(problem.goal).values;
  EXPECT_TRUE(clearance.isClear(start));
  EXPECT_TRUE(clearance.isClear(goal));
  EXPECT_FALSE(clearance.isClear(start, goal));  // through the wall
  EXPECT_TRUE(clearance.isClear(start, start + VecX::Constant(3, 0.01)));
  EXPECT_EQ(clearance.statistics().segments, 2);
  EXPECT_EQ(clearance.statistics().certified, 1);
}

TEST(SegmentClearance, OutlivesItsProblemAndItsCopies) {
  auto copy = [] {
    const Problem problem = test::wallProblem();
    const SegmentClearance first(problem);
    return SegmentClearance(first);
  }();
  const VecX start = test::wallProblem().start;
  EXPECT_TRUE(copy.isClear(start));
  SegmentClearance other = copy;
  other = SegmentClearance(copy);
  EXPECT_TRUE(other.isClear(start, start + VecX::Constant(3, 0.01)));
}

}  // namespace
}  // namespace allclear
