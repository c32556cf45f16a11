#include "allclear/planner/search/polish.h"

#include <gtest/gtest.h>

#include "allclear/planner/planner.h"
#include "allclear/planner/retiming/retime.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

TEST(Polish, ShortensAPlanThatKeepsItsEnds) {
  Problem problem = test::wallProblem();
  const Plan first = plan(problem, {.time_limit = 100.0, .improve = Improve::kNone});
  ASSERT_EQ(first.status, PlanStatus::kCertified);
  problem.objective = polishingWeights(problem.objective);
  const ClearanceEvaluator evaluator(problem);
  const auto fast = retimed(problem, *first.trajectory);
  ASSERT_TRUE(fast);
  const Refinement better = polished(evaluator, fast->curve, {}, {});
  ASSERT_TRUE(better.clear);
  EXPECT_GT(better.curve.spanCount(), 8);
  EXPECT_LT((better.curve.value(0.0) - problem.start).norm(), 1e-9);
  EXPECT_LT(
      (better.curve.value(better.curve.duration()) - std::get<JointTarget>(problem.goal).values)
          .norm(),
      1e-9);
  const auto after = retimed(problem, better.curve);
  ASSERT_TRUE(after);
  EXPECT_LT(after->curve.duration(), fast->curve.duration());
  EXPECT_TRUE(certify(problem, controllerRows(after->curve)).clear);
}

TEST(Polish, GivesJerkLittleWeightButSome) {
  EXPECT_GT(polishingWeights(ObjectiveWeights::minTime()).jerk, 0.0);
  EXPECT_LT(polishingWeights(ObjectiveWeights::smooth()).jerk, 0.1);
  EXPECT_EQ(polishingWeights(ObjectiveWeights::shortest()).velocity, 1.0);
}

}  // namespace
}  // namespace allclear
