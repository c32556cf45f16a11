#include "allclear/planner/program/curve_variables.h"

#include <gtest/gtest.h>

#include "allclear/planner/program/clearance_rows.h"
#include "allclear/planner/program/curve_cost.h"
#include "allclear/planner/program/limit_rows.h"
#include "allclear/planner/seeds/path_spline.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

Problem movingEnds() {
  Problem problem = test::wallProblem();
  problem.start_velocity = Vec3(0.1, -0.2, 0.3);
  problem.start_acceleration = Vec3(0.5, 0.1, -0.2);
  problem.goal_velocity = Vec3(-0.3, 0.2, 0.1);
  return problem;
}

BSpline guessOf(const Problem& problem) {
  return straightSpline(problem.start, std::get<JointTarget>(problem.goal).values, 9, 2.0);
}

VecX randomPoint(const CurveVariables& variables, test::Random& random) {
  VecX x = random.vectorX(variables.count(), 1.0);
  x[variables.duration()] = random.uniform(0.5, 4.0);
  return x;
}

TEST(CurveVariables, KeepTheBoundaryStateWhateverTheirValues) {
  const Problem problem = movingEnds();
  const CurveVariables variables(problem, guessOf(problem));
  test::Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const BSpline curve = variables.curveAt(randomPoint(variables, random));
    const double T = curve.duration();
    EXPECT_LT((curve.value(0.0) - problem.start).norm(), 1e-12);
    EXPECT_LT((curve.value(0.0, 1) - problem.start_velocity).norm(), 1e-10);
    EXPECT_LT((curve.value(0.0, 2) - problem.start_acceleration).norm(), 1e-9);
    EXPECT_LT((curve.value(T, 1) - problem.goal_velocity).norm(), 1e-10);
    EXPECT_LT(curve.value(T, 2).norm(), 1e-9);
  }
}

TEST(CurveVariables, OfACurveGiveTheCurveBack) {
  Problem problem = movingEnds();
  for (const bool pose_goal : {false, true}) {
    if (pose_goal) problem.goal = PoseTarget{3, Pose(), Pose()};
    const CurveVariables variables(problem, guessOf(test::wallProblem()));
    EXPECT_EQ(variables.of(0, 0), -1);
    EXPECT_EQ(variables.of(variables.controls() - 1, 0) >= 0, pose_goal);
    test::Random random(2);
    const VecX x = randomPoint(variables, random);
    EXPECT_EQ(variables.pointOf(variables.curveAt(x)).head(variables.duration() + 1),
              x.head(variables.duration() + 1));
  }
}

TEST(CurveVariables, SpreadGivesEveryVariableItsValue) {
  const Problem problem = test::wallProblem();
  const CurveVariables variables(problem, guessOf(problem));
  const VecX out = variables.spread(Vec3(1.0, 2.0, 3.0), 7.0);
  EXPECT_EQ(out[variables.duration()], 7.0);
  EXPECT_EQ(out[variables.of(4, 2)], 3.0);
  EXPECT_EQ(out.sum(), 7.0 + 6.0 * (variables.controls() - 2 * CurveVariables::kEnds));
}

TEST(CurveCost, IsTheSumOfItsWeightsOnTheGuess) {
  Problem problem = test::wallProblem();
  problem.objective.velocity = 0.25;
  problem.objective.acceleration = 0.5;
  const BSpline guess = guessOf(problem);
  const CurveCost cost(problem, guess);
  EXPECT_NEAR(cost.value(guess), 1.0 + 0.25 + 0.5 + 0.1, 1e-12);
}

TEST(CurveCost, IntegratesSquaredDerivativesOverTime) {
  Problem problem = test::wallProblem();
  problem.objective = {.duration = 0.0, .velocity = 1.0, .jerk = 0.0};
  const BSpline guess = guessOf(problem);
  const CurveCost cost(problem, guess);
  const auto energy = [](const BSpline& curve) {  // midpoint rule
    constexpr int kSamples = 20000;
    double sum = 0.0;
    for (int i = 0; i < kSamples; ++i) {
      sum += curve.value(curve.duration() * (i + 0.5) / kSamples, 1).squaredNorm();
    }
    return sum * curve.duration() / kSamples;
  };
  const CurveVariables variables(problem, guess);
  test::Random random(3);
  const BSpline other = variables.curveAt(randomPoint(variables, random));
  EXPECT_NEAR(cost.value(other), energy(other) / energy(guess), 1e-5 * cost.value(other));
}

TEST(LimitRows, BoundTheDerivativesOfTheCurveForAllTime) {
  const Problem problem = test::wallProblem();
  const BSpline guess = guessOf(problem);
  const CurveVariables variables(problem, guess);
  const PlannedLimits limits = plannedLimits(problem);
  const LimitRows rows(variables, limits);
  test::Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const BSpline curve = variables.curveAt(randomPoint(variables, random));
    VecX values(rows.count());
    rows.values(curve.control(), curve.duration(), values);
    const double most = values.cwiseAbs().maxCoeff();
    for (int i = 1; i < 400; ++i) {
      const double t = curve.duration() * i / 400;
      EXPECT_LE(curve.value(t, 1).cwiseQuotient(limits.velocity).cwiseAbs().maxCoeff(),
                most * (1.0 + 1e-12));
      EXPECT_LE(curve.value(t, 2).cwiseQuotient(limits.acceleration).cwiseAbs().maxCoeff(),
                most * (1.0 + 1e-12));
    }
  }
}

TEST(LimitRows, ChoiceHasEveryRowThatAShorterCurveWouldBreak) {
  const Problem problem = test::wallProblem();
  const CurveVariables variables(problem, guessOf(problem));
  const PlannedLimits limits = plannedLimits(problem);
  LimitRows rows(variables, limits);
  const int all = rows.count();
  test::Random random(6);
  const double share = 0.5;
  int before = 0;
  for (int trial = 0; trial < 20; ++trial) {
    // A curve that keeps its limits, but only just: its longest derivative is at 0.9 of its limit.
    VecX x = randomPoint(variables, random);
    LimitRows oracle(variables, limits);
    const auto values = [&](const BSpline& curve, LimitRows& of) {
      VecX v(of.count());
      of.values(curve.control(), curve.duration(), v);
      return v;
    };
    BSpline curve = variables.curveAt(x);
    const double most = values(curve, oracle).cwiseAbs().maxCoeff();
    curve = curve.withDuration(curve.duration() * std::max(1.0, most / 0.9));
    const double greatest = rows.choose(curve.control(), curve.duration(), share);
    EXPECT_LE(greatest, values(curve, oracle).cwiseAbs().maxCoeff());
    EXPECT_GE(rows.count(), before);  // the choice only grows
    before = rows.count();
    // Made `share` times as long, whatever breaks a limit has a row.
    const BSpline shorter = curve.withDuration(share * curve.duration());
    const auto broken = [](const VecX& v) { return (v.array().abs() > 1.0 + 1e-12).count(); };
    EXPECT_EQ(broken(values(shorter, rows)), broken(values(shorter, oracle))) << trial;
    EXPECT_LT(rows.choose(curve.control(), curve.duration(), share), share) << trial;
    EXPECT_EQ(rows.count(), before);
  }
  EXPECT_LT(before, all);
  // The entries are those of the choice.
  std::vector<Entry> entries;
  rows.addEntries(variables, &entries);
  EXPECT_EQ(entries.back().row, rows.count() - 1);
}

TEST(ClearanceRows, AreSortedBySpanAndEvaluatedOnlyWhenTheCurveChanges) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const BSpline guess = guessOf(problem);
  ClearanceRows rows(evaluator, {.clearance_target = 0.01, .ceiling = 5.0}, 2);
  rows.set({{0, 5}, {1, 0}, {0, 0}});
  EXPECT_EQ(rows.rows()[0], (ClearanceRow{0, 0}));
  EXPECT_EQ(rows.rows()[2], (ClearanceRow{0, 5}));
  VecX values(3);
  rows.values(guess, values);
  int row = -1;
  EXPECT_EQ(rows.least(guess, &row), values.minCoeff());
  EXPECT_EQ(values[row], values.minCoeff());
  for (int r = 0; r < 3; ++r) {
    const Clearance& clearance = rows.clearances(guess)[r];
    const double margin = evaluator.model().pairs[clearance.pair].margin;
    EXPECT_NEAR(values[r], clearance.upper - margin - 0.01, 1e-15);
    // The value is that of the pair's distance at its instant.
    EXPECT_TRUE(guess.spanTime(clearance.span).lower <= clearance.t_star &&
                clearance.t_star <= guess.spanTime(clearance.span).upper);
  }
}

}  // namespace
}  // namespace allclear
