#include "allclear/planner/search/plan_cost.h"

#include <gtest/gtest.h>

#include "allclear/planner/seeds/path_spline.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

/// Distance of the motion +j, 0, -j, 0, -j, 0, +j with phases of `rise`, `hold` and `cruise` [s].
struct DoubleS {
  double length = 0.0, speed = 0.0, acceleration = 0.0, seconds = 0.0;
};
DoubleS doubleS(double j, double rise, double hold, double cruise) {
  DoubleS out;
  out.acceleration = j * rise;
  out.speed = out.acceleration * (rise + hold);
  out.length = out.speed * (2.0 * rise + hold + cruise);
  out.seconds = 4.0 * rise + 2.0 * hold + cruise;
  return out;
}

/// A motion whose phases are known and end at its limits is the fastest one for its length.
TEST(DoubleSTime, IsThatOfMotionsAtTheirLimits) {
  test::Random random(31);
  for (int trial = 0; trial < 200; ++trial) {
    const double j = random.logUniform(1e-2, 1e3), rise = random.logUniform(1e-2, 1.0);
    const double hold = random.chance(0.5) ? 0.0 : random.logUniform(1e-3, 1.0);
    const double cruise = random.chance(0.5) ? 0.0 : random.logUniform(1e-3, 1.0);
    const DoubleS s = doubleS(j, rise, hold, cruise);
    // A limit that no phase is at may be anything above what the motion reaches.
    const double a = hold > 0.0 ? s.acceleration : s.acceleration * random.uniform(1.0, 2.0);
    const double v = cruise > 0.0 ? s.speed : s.speed * random.uniform(1.0, 2.0);
    EXPECT_NEAR(doubleSTime(s.length, v, a, j), s.seconds, 1e-9 * s.seconds);
  }
  EXPECT_EQ(doubleSTime(0.0, 1.0, 1.0, 1.0), 0.0);
}

TEST(PlanCost, ComparesPlansWhateverTheirFirstGuess) {
  Problem problem = test::wallProblem();
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const BSpline line = straightSpline(problem.start, goal, 8, 2.0);
  problem.objective = ObjectiveWeights::minTime();
  const PlanCost fast(problem, {goal});
  // Joint 0 turns by 1.4 rad at 2 rad/s, 10 rad/s^2, 100 rad/s^3: 0.7 s at speed and a ramp of 0.3.
  EXPECT_NEAR(fast.leastTime(), 1.0, 1e-12);
  EXPECT_NEAR(fast(line), 2.0, 1e-12);
  problem.objective = {.duration = 0.0, .velocity = 1.0, .jerk = 0.0};
  const PlanCost length(problem, {goal});
  EXPECT_NEAR(length(line), length(line.withDuration(7.0)), 1e-9);
  EXPECT_NEAR(length(line), (goal - problem.start).norm() / 2.0, 1e-6);
  problem.objective = {.duration = 0.0, .jerk = 1.0};
  const PlanCost jerk(problem, {goal});
  // The integral of the squared jerk falls with the fifth power of the duration.
  EXPECT_NEAR(jerk(line), 32.0 * jerk(line.withDuration(4.0)), 1e-9 * jerk(line));
  problem.goal = JointTarget{{0, 1, 2}, problem.start};
  EXPECT_EQ(PlanCost(problem, {problem.start, goal}).leastTime(), 0.1);
}

}  // namespace
}  // namespace allclear
