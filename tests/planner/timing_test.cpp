#include "allclear/planner/timing.h"

#include <gtest/gtest.h>

#include <limits>

#include "allclear/planner/planner.h"
#include "allclear/planner/run/run_context.h"
#include "allclear/planner/seeds/path_spline.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// The largest share of a limit that the motion uses at samples.
template <class Curve>
double usedShare(const PlannedLimits& limits, const Curve& curve, int samples) {
  double most = 0.0;
  for (int i = 0; i <= samples; ++i) {
    const double t = curve.duration() * i / samples;
    const VecX* by_order[] = {&limits.velocity, &limits.acceleration, &limits.jerk};
    for (int order = 1; order <= 3; ++order) {
      const VecX used = curve.value(t, order).cwiseQuotient(*by_order[order - 1]);
      most = std::max(most, used.cwiseAbs().maxCoeff());
    }
  }
  return most;
}

TEST(FeasibleDuration, KeepsAllLimitsAndIsBoundedByTheProblem) {
  Problem problem = test::wallProblem();
  const BSpline curve =
      straightSpline(problem.start, std::get<JointTarget>(problem.goal).values, 8, 1.0);
  const double duration = feasibleDuration(problem, curve);
  EXPECT_EQ(duration, neededDuration(problem, curve));
  const PlannedLimits limits = plannedLimits(problem);
  EXPECT_LE(usedShare(limits, curve.withDuration(duration), 1000), 1.0 + 1e-12);
  // Control points bound the derivatives, not tightly: but twice as fast is too fast.
  EXPECT_GT(usedShare(limits, curve.withDuration(0.5 * duration), 1000), 1.0);
  problem.duration.max = 0.5 * duration;
  EXPECT_EQ(feasibleDuration(problem, curve), problem.duration.max);
  EXPECT_EQ(neededDuration(problem, curve), duration);
  problem.duration = {10.0 * duration, 20.0 * duration};
  EXPECT_EQ(feasibleDuration(problem, curve), problem.duration.min);
}

TEST(RestingAtCorners, FollowsThePathWithinTheLimits) {
  Problem problem = test::wallProblem();
  const std::vector<VecX> path{Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.2, 0.0), Vec3(1.0, 0.2, 0.0),
                               Vec3(0.5, -1.0, 0.4)};
  const HermiteCurve motion = restingAtCorners(problem, path);
  const double share = usedShare(plannedLimits(problem), motion, 20000);
  EXPECT_LE(share, 1.0);
  EXPECT_GT(share, 0.999);  // as fast as the limits allow
  for (int i = 0; i <= 1000; ++i) {
    const VecX q = motion.value(motion.duration() * i / 1000);
    double off = HUGE_VAL;  // distance from the path
    for (std::size_t k = 1; k < path.size(); ++k) {
      const VecX step = path[k] - path[k - 1];
      const double s = step.squaredNorm() > 0.0
                           ? std::clamp((q - path[k - 1]).dot(step) / step.squaredNorm(), 0.0, 1.0)
                           : 0.0;
      off = std::min(off, (path[k - 1] + s * step - q).norm());
    }
    EXPECT_LT(off, 1e-12);
  }
  problem.duration.min = 100.0;
  EXPECT_NEAR(restingAtCorners(problem, path).duration(), 100.0, 1e-9);
}

// A velocity of 5e-324 in a URDF once made times that do not increase, and an internal error.
TEST(RestingAtCorners, OfALimitNextToNothingTakesForEver) {
  Problem problem = test::wallProblem();
  const std::vector<VecX> path{Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(0.5, 0.1, 0)};
  EXPECT_EQ(durationAtCorners(problem, path), restingAtCorners(problem, path).duration());
  problem.limits.velocity = Vec3(std::numeric_limits<double>::denorm_min(), 1.0, 1.0);
  EXPECT_EQ(durationAtCorners(problem, path), std::numeric_limits<double>::infinity());
  problem.goal = JointTarget{{0, 1, 2}, problem.start + Vec3(0.1, 0.1, 0.0)};
  EXPECT_EQ(plan(problem, {.time_limit = 5.0, .attempts = 1}).status, PlanStatus::kNotFound);
}

TEST(RunContext, EndsAtItsDeadlineOrWhenStopped) {
  RunContext context;
  EXPECT_FALSE(context.mustEnd());
  EXPECT_EQ(context.secondsLeft(), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(context.endingAfter(1e300).mustEnd());  // does not overflow
  const RunContext late = context.endingAfter(-1.0);
  EXPECT_TRUE(late.isOutOfTime());
  EXPECT_LT(late.secondsLeft(), 0.0);
  EXPECT_FALSE(late.isStopped());
  context.stop = [] { return true; };
  EXPECT_TRUE(context.isStopped() && context.mustEnd() && !context.isOutOfTime());
}

TEST(RunContext, ReportsToWhoeverListens) {
  RunContext context;
  context.report({});  // nobody
  int seen = -1;
  context.progress = [&](const PlanProgress& step) { seen = step.iteration; };
  context.endingAfter(1.0).report({.iteration = 7});
  EXPECT_EQ(seen, 7);
}

}  // namespace
}  // namespace allclear
