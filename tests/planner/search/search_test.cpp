#include <gtest/gtest.h>

#include "allclear/core/pose.h"
#include "allclear/planner/search/end_faults.h"
#include "allclear/planner/search/margin_hint.h"
#include "allclear/planner/search/plan_search.h"
#include "allclear/planner/search/soft_row_schedule.h"
#include "allclear/planner/search/verdict.h"
#include "allclear/planner/search/waypoint_targets.h"
#include "allclear/planner/seeds/path_spline.h"
#include "planner/seeds/seed_scenes.h"
#include "support/least_time.h"

namespace allclear {
namespace {

TEST(EndFaults, NameTheEndThePairAndTheDepth) {
  Problem problem = test::wallProblem();
  EXPECT_EQ(endFault(problem, ClearanceEvaluator(problem)), "");
  std::get<JointTarget>(problem.goal).values = Vec3(0.0, 0.0, 0.0);  // inside of the wall
  const std::string fault = endFault(problem, ClearanceEvaluator(problem));
  EXPECT_NE(fault.find("at the goal"), std::string::npos) << fault;
  EXPECT_NE(fault.find("'wall'"), std::string::npos) << fault;
  EXPECT_NE(fault.find("overlap by"), std::string::npos) << fault;
}

TEST(EndFaults, NameAJointThatIsTooSlowForTheDuration) {
  Problem problem = test::wallProblem();
  // Joint 0 turns by 1.4 rad at 2 rad/s and 10 rad/s^2: 0.9 s from rest to rest.
  problem.duration = {0.85, 0.85};
  const std::string fault = endFault(problem, ClearanceEvaluator(problem));
  EXPECT_NE(fault.find("'joint0' needs at least 0.9 s"), std::string::npos) << fault;
  problem.duration = {0.9, 0.9};
  EXPECT_EQ(endFault(problem, ClearanceEvaluator(problem)), "");
}

/// The shortest way to rest by small steps of time that brake as hard as the limits allow.
double steppedStop(double v, double a, double A, double J) {
  constexpr double kStep = 1e-5;
  double way = 0.0;
  while (v > 0.0) {
    way += kStep * v;
    v += kStep * a;
    a = std::max(-A, a - kStep * J);
  }
  return way;
}

TEST(EndFaults, StoppingDistanceIsThatOfTheHardestBraking) {
  test::Random random(11);
  for (int i = 0; i < 100; ++i) {
    const double v = random.logUniform(1e-2, 3.0);
    const double A = random.logUniform(0.5, 20.0), J = random.logUniform(2.0, 500.0);
    const double a = random.chance(0.3) ? 0.0 : random.uniform(-A, A);
    const double way = stoppingDistance(v, a, A, J);
    EXPECT_NEAR(way, steppedStop(v, a, A, J), 1e-3 * (way + 0.01)) << v << " " << a << " " << A;
    // Never less than without a limit of the jerk.
    EXPECT_GE(way, v * v / (2.0 * A) * (1.0 - 1e-12));
  }
  EXPECT_DOUBLE_EQ(stoppingDistance(2.0, -4.0, 4.0, 1e6), 0.5);
}

TEST(EndFaults, NameAJointThatCannotStopBeforeItsLimit) {
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  // At 1 rad/s, with 10 rad/s^2 after 0.1 s, a joint needs 0.0999 rad.
  const double needed = stoppingDistance(1.0, 0.0, 10.0, 100.0);
  const auto faultOf = [&] { return endFault(problem, ClearanceEvaluator(problem)); };
  problem.start[2] = 2.8 - needed - 1e-6;
  problem.start_velocity = Vec3(0.0, 0.0, 1.0);
  EXPECT_EQ(faultOf(), "");
  problem.start[2] = 2.8 - needed + 1e-6;
  EXPECT_NE(faultOf().find("'joint2' starts at 1 rad/s and needs"), std::string::npos) << faultOf();
  problem.start_velocity = Vec3(0.0, 0.0, -1.0);  // away from the limit
  EXPECT_EQ(faultOf(), "");
  problem.start_velocity = VecX();
  // At the goal with time turned round: coming from a limit just behind it.
  std::get<JointTarget>(problem.goal).values[0] = -2.8 + needed - 1e-6;
  problem.goal_velocity = Vec3(1.0, 0.0, 0.0);
  EXPECT_NE(faultOf().find("'joint0' is to arrive at 1 rad/s"), std::string::npos) << faultOf();
  problem.goal_velocity = Vec3(-1.0, 0.0, 0.0);
  EXPECT_EQ(faultOf(), "");
}

/// The box arm with masses, and gravity across its joints' axes: it hangs in the vertical plane.
Problem loadedArm(double effort) {
  const RobotModel bare = test::boxArm();
  RobotModel::Data data;
  data.name = bare.name();
  data.links = bare.links();
  data.joints = bare.joints();
  data.coordinates = bare.coordinates();
  data.disabled_pairs = bare.disabledPairs();
  data.joints[0].X_PJ.R = rotationAbout(Vec3::UnitX(), 0.5 * M_PI);  // turns about -y
  for (std::size_t l = 1; l < data.links.size(); ++l) {
    data.links[l].inertia = {2.0, Vec3(0.2, 0.0, 0.0), 0.01 * Mat3::Identity()};
  }
  for (Coordinate& coordinate : data.coordinates) coordinate.effort = effort;
  Problem problem = test::wallProblem();
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  problem.obstacles.clear();
  problem.limits.torque = true;
  return problem;
}

TEST(EndFaults, NameAJointThatCannotHoldItsLoad) {
  Problem problem = loadedArm(30.0);
  problem.start = Vec3(0.5 * M_PI, 0.0, 0.0);  // straight up: nothing to hold
  auto& goal = std::get<JointTarget>(problem.goal).values;
  goal = Vec3(0.0, 0.0, 0.0);  // straight out: 2 kg at 0.2, 0.6 and 1.0 m make 35.3 N m
  const auto faultOf = [&] { return endFault(problem, ClearanceEvaluator(problem)); };
  EXPECT_NE(
      faultOf().find("at the goal, joint 'joint0' needs 35.32 N m to hold still, and its limit "
                     "is 30"),
      std::string::npos)
      << faultOf();
  problem.limits.torque = false;
  EXPECT_EQ(faultOf(), "");
  problem = loadedArm(40.0);
  problem.start = Vec3(0.0, 0.0, 0.0);
  EXPECT_EQ(faultOf(), "");
  problem.start_velocity = Vec3::Zero();
  problem.start_acceleration = Vec3(5.0, 0.0, 0.0);
  EXPECT_NE(faultOf().find("at the start, joint 'joint0' needs"), std::string::npos) << faultOf();
  EXPECT_NE(faultOf().find("at the given velocity and acceleration"), std::string::npos);
}

TEST(EndFaults, LookAtTheStraightWayOnlyAsLongAsThereIsTime) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  // Every look at the clock takes a second.
  int looks = 0;
  const auto begin = RunContext::Clock::now();
  RunContext context;
  context.start = begin;
  context.clock = [&] { return begin + std::chrono::seconds(looks++); };
  context.deadline = begin + std::chrono::seconds(5);
  const std::string some = straightWayText(evaluator, goal, context);
  EXPECT_NE(some.find("as far as there was time to look, 'link"), std::string::npos) << some;
  EXPECT_EQ(looks, 6);
  const std::string none = straightWayText(evaluator, goal, context);  // it is late already
  EXPECT_NE(none.find("no time to look"), std::string::npos) << none;
  EXPECT_EQ(looks, 7);
  // The text of a failure holds to it as well.
  Plan plan;
  SearchFindings findings;
  findings.goal = goal;
  const std::string text = verdictText(plan, findings, evaluator, context);
  EXPECT_NE(text.find("no time to look"), std::string::npos) << text;
  EXPECT_EQ(looks, 8);
}

TEST(EndFaults, HintAtWhatIsInTheStraightLinesWay) {
  Problem problem = test::wallProblem();
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const std::string text = straightWayText(ClearanceEvaluator(problem), goal);
  EXPECT_NE(text.find("'wall'"), std::string::npos) << text;
  problem.obstacles.clear();
  EXPECT_EQ(straightWayText(ClearanceEvaluator(problem), goal), "");
}

TEST(PlanSearch, EndsWithACertifiedPlanAndItsStatistics) {
  const Problem problem = test::wallProblem();
  const PlanOptions options;
  const RunContext context = RunContext().endingAfter(60.0);
  PlanSearch search(problem, options, context);
  search.run();
  const Plan& plan = search.plan();
  ASSERT_EQ(plan.status, PlanStatus::kCertified);
  EXPECT_TRUE(plan.certificate->clear);
  EXPECT_GT(plan.statistics.attempts, 1);  // the straight line goes through the wall
  EXPECT_FALSE(plan.statistics.history.empty());
  for (const PlanProgress& step : plan.statistics.history) {
    EXPECT_LE(step.attempt, plan.statistics.attempts - 1);
  }
  const std::string text = verdictText(plan, search.findings(), search.evaluator());
  EXPECT_EQ(text.find("Certified: clear at every instant"), 0u) << text;
}

Plan planOf(const Problem& problem, const PlanOptions& options, const PlanHooks& hooks = {}) {
  RunContext context = RunContext().endingAfter(options.time_limit);
  context.stop = hooks.stop;
  context.progress = hooks.progress;
  context.threads = options.threads;
  context.seed = options.seed;
  PlanSearch search(problem, options, context);
  search.run();
  search.plan().message = verdictText(search.plan(), search.findings(), search.evaluator());
  return std::move(search.plan());
}

TEST(PlanSearch, KeepsTheBestOfThePlansThatItFinds) {
  const Problem problem = test::wallProblem();
  const PlanOptions options{.time_limit = 100.0, .threads = 1};
  const Plan plan = planOf(problem, options);
  ASSERT_EQ(plan.status, PlanStatus::kCertified);
  const std::vector<PlanStep>& steps = plan.statistics.steps;
  ASSERT_GT(steps.size(), 1u);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    EXPECT_LT(steps[i].cost, steps[i - 1].cost);
    EXPECT_GE(steps[i].iterations, steps[i - 1].iterations);
  }
  EXPECT_EQ(steps.back().duration, plan.trajectory->duration());
  const PlanCost cost(problem, std::vector<VecX>{std::get<JointTarget>(problem.goal).values});
  EXPECT_EQ(steps.back().cost, cost(*plan.trajectory));
  EXPECT_LT(steps.back().duration, 0.9 * steps.front().duration);
  EXPECT_FALSE(plan.statistics.cut_short);
  // Whatever the number of threads: no clock decides.
  PlanOptions threads = options;
  threads.threads = 3;
  const Plan again = planOf(problem, threads);
  ASSERT_EQ(again.statistics.steps.size(), steps.size());
  EXPECT_EQ(again.trajectory->duration(), plan.trajectory->duration());
  EXPECT_EQ(again.trajectory->value(0.5), plan.trajectory->value(0.5));
  // Without improvement: the first one.
  PlanOptions none = options;
  none.improve = Improve::kNone;
  const Plan first = planOf(problem, none);
  ASSERT_EQ(first.statistics.steps.size(), 1u);
  EXPECT_EQ(first.trajectory->duration(), steps.front().duration);
}

TEST(PlanSearch, IsNearTheTimeOptimalPassAlongItsPath) {
  Problem problem = test::wallProblem();
  for (int i = 0; i < 3; ++i) {
    const Plan plan = planOf(problem, {.time_limit = 100.0, .seed = 1 + std::uint64_t(i)});
    ASSERT_EQ(plan.status, PlanStatus::kCertified);
    const double pass = test::TimeOptimalPass(plannedLimits(problem), *plan.trajectory).seconds();
    EXPECT_LT(plan.trajectory->duration(), 1.5 * pass);
    problem.limits.jerk = VecX::Constant(3, 20.0 * (i + 1));
  }
}

TEST(PlanSearch, ImprovesUntilTheTimeLimitWhereAskedTo) {
  const Problem problem = test::wallProblem();
  const Plan plan = planOf(problem, {.time_limit = 2.0, .improve = Improve::kAll});
  EXPECT_EQ(plan.status, PlanStatus::kCertified);
  EXPECT_TRUE(plan.statistics.cut_short);
  EXPECT_NE(plan.message.find("The time limit ended the search for a better one"),
            std::string::npos)
      << plan.message;
}

TEST(PlanSearch, GivesTheBestPlanSoFarWhenStopped) {
  const Problem problem = test::wallProblem();
  bool has_plan = false;
  PlanHooks hooks;
  hooks.progress = [&](const PlanProgress& step) { has_plan = has_plan || step.best > 0.0; };
  hooks.stop = [&] { return has_plan; };
  const Plan plan = planOf(problem, {.time_limit = 100.0}, hooks);
  EXPECT_EQ(plan.status, PlanStatus::kInterrupted);
  ASSERT_TRUE(plan.certificate && plan.certificate->clear);
  EXPECT_TRUE(plan.statistics.cut_short);
  EXPECT_EQ(plan.trajectory->duration(), plan.statistics.steps.back().duration);
}

/// The root of the mean squared share of the jerk limits.
double jerkOf(const Problem& problem, const Trajectory& curve) {
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double t = curve.duration() * (i + 0.5) / 1000;
    sum += curve.value(t, 3).cwiseQuotient(plannedLimits(problem).jerk).squaredNorm() / 1000;
  }
  return std::sqrt(sum);
}

double lengthOf(const Trajectory& curve) {
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double step = curve.duration() / 1000;
    sum += (curve.value(step * (i + 1)) - curve.value(step * i)).norm();
  }
  return sum;
}

TEST(PlanSearch, DoesWhatTheObjectivesSay) {
  std::vector<double> balanced_over_least;
  for (int i = 0; i < 5; ++i) {
    SCOPED_TRACE(i);
    Problem problem = test::wallProblem();
    if (i == 4) problem.obstacles.clear();
    problem.start[2] += 0.1 * i;
    const auto with = [&](const ObjectiveWeights& weights) {
      problem.objective = weights;
      Plan plan = planOf(problem, {.time_limit = 100.0});
      EXPECT_EQ(plan.status, PlanStatus::kCertified);
      return *plan.trajectory;
    };
    const Trajectory fast = with(ObjectiveWeights::minTime());
    const Trajectory balanced = with(ObjectiveWeights::balanced());
    const Trajectory smooth = with(ObjectiveWeights::smooth());
    const Trajectory shortest = with(ObjectiveWeights::shortest());
    balanced_over_least.push_back(balanced.duration() / fast.duration());
    EXPECT_LT(jerkOf(problem, smooth), 0.8 * jerkOf(problem, fast));
    EXPECT_LT(lengthOf(shortest), 1.02 * lengthOf(balanced));
  }
  std::sort(balanced_over_least.begin(), balanced_over_least.end());
  EXPECT_LT(balanced_over_least[2], 1.05);
}

TEST(PlanSearch, IsOverAtOnceWhenItsTimeIs) {
  const Problem problem = test::wallProblem();
  const PlanOptions options;
  const RunContext late = RunContext().endingAfter(-1.0);
  PlanSearch search(problem, options, late);
  search.run();
  EXPECT_EQ(search.plan().status, PlanStatus::kTimedOut);
  EXPECT_EQ(search.plan().statistics.attempts, 0);
}

TEST(Verdict, TellsTheMostSpecificCauseOfAFailure) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  Plan plan;
  SearchFindings findings;
  const auto text = [&] { return verdictText(plan, findings, evaluator); };
  EXPECT_NE(text().find("No way around the obstacles"), std::string::npos) << text();
  findings.worst = Clearance{.pair = 0, .lower = -0.02, .upper = -0.02};
  EXPECT_NE(text().find("overlap by 20 mm"), std::string::npos) << text();
  EXPECT_NE(text().find("more room"), std::string::npos) << text();
  findings.worst->lower = 5e-4;  // less than the margin, but not in contact
  EXPECT_NE(text().find("It would do for a margin of 0.3 mm"), std::string::npos) << text();
  findings.worst_demand = "'hand': torque at t = 1 s";
  EXPECT_NE(text().find("'hand': torque"), std::string::npos) << text();
  findings.unreachable = "waypoint 2";
  EXPECT_NE(text().find("meets waypoint 2"), std::string::npos) << text();
}

TEST(MarginHint, IsAMarginThatLeadsToAPlan) {
  Problem problem = test::wallProblem();
  const PlanOptions options{.time_limit = 60.0};
  problem.collision.margin = 0.0;
  EXPECT_EQ(marginHint(problem, options, RunContext()), "");  // there is nothing to take away
  // The base of the arm is this near to a second wall: no margin above 5 cm can be kept.
  Obstacle shelf{
      "shelf", {Mat3::Identity(), {-0.3, 0.0, 0.0}}, {{Box(Vec3(0.4, 0.1, 0.2)), {}}}, {}};
  problem.obstacles = {shelf};
  problem.collision.margin = 0.3;
  RunContext context = RunContext().endingAfter(60.0);
  context.start -= std::chrono::seconds(10);  // the search took ten seconds: so may the hint
  const std::string hint = marginHint(problem, options, context);
  const std::string before = "It would do for a margin of ";
  ASSERT_EQ(hint.find(before), 0u) << hint;
  const double margin = 1e-3 * std::stod(hint.substr(before.size()));  // [mm]
  EXPECT_GT(margin, 0.0);
  EXPECT_LT(margin, 0.3);
}

TEST(WaypointTargets, ArePassedWhereTheCurveComesNearestInTheirOrder) {
  Problem problem = test::wallProblem();
  problem.obstacles.clear();
  const VecX goal = std::get<JointTarget>(problem.goal).values;
  const VecX start = problem.start;
  const auto at = [&](double share) { return VecX(start + share * (goal - start)); };
  problem.waypoints = {{JointTarget{{0, 1, 2}, at(0.25)}, std::nullopt},
                       {JointTarget{{1}, at(0.5).segment(1, 1)}, 1.0},
                       {JointTarget{{0, 1, 2}, at(0.75)}, std::nullopt}};
  const ClearanceEvaluator evaluator(problem);
  int missed = 0;
  const auto via = waypointConfigurations(evaluator, goal, 0, RunContext(), &missed);
  ASSERT_TRUE(via.has_value());
  ASSERT_EQ(via->size(), 3u);
  EXPECT_EQ((*via)[0], at(0.25));
  EXPECT_EQ((*via)[1][1], at(0.5)[1]);
  const BSpline curve = straightSpline(start, goal, 8, 2.0);
  const std::vector<double> times = passingTimes(problem, curve, *via);
  ASSERT_EQ(times.size(), 2u);  // the second waypoint has a time of its own
  EXPECT_LT((curve.value(times[0] * 2.0) - at(0.25)).norm(), 0.01);
  EXPECT_LT((curve.value(times[1] * 2.0) - at(0.75)).norm(), 0.01);
}

TEST(WaypointTargets, SayWhichWaypointIsOutOfReach) {
  Problem problem = test::wallProblem();
  PoseTarget far;
  far.link = 3;
  far.X_WP.p = Vec3(5.0, 0.0, 0.0);
  problem.waypoints = {{JointTarget{{0}, VecX::Constant(1, 0.0)}, std::nullopt},
                       {far, std::nullopt}};
  int missed = 0;
  EXPECT_FALSE(
      waypointConfigurations(ClearanceEvaluator(problem), problem.start, 0, RunContext(), &missed));
  EXPECT_EQ(missed, 2);
}

TEST(SoftRowSchedule, SoftensDeepRowsLessWithEverySolveAndRaisesThemByWhatTheyLack) {
  const Problem problem = test::wallProblem();
  const ClearanceEvaluator evaluator(problem);
  const SoftClearance soft(evaluator);
  SoftRowSchedule schedule(soft, evaluator.model(), DistanceMode::kAuto);
  const double size = soft.pairSize(0);
  const Clearance deep{.pair = 0, .span = 2, .lower = -0.5 * size, .upper = -0.5 * size};
  const Clearance shallow{.pair = 0, .span = 3, .lower = -0.1 * size, .upper = -0.1 * size};
  schedule.start({deep, shallow});
  EXPECT_EQ(schedule.row(0, 3).softness, 0.0);  // not deep: the Euclidean distance is right
  EXPECT_EQ(schedule.row(0, 4).softness, 0.0);  // not near at all
  const ClearanceRow first = schedule.row(0, 2);
  EXPECT_GT(first.softness, 0.0);
  schedule.learn({deep}, {first}, false);
  const ClearanceRow second = schedule.row(0, 2);
  EXPECT_LT(second.softness, first.softness);
  EXPECT_LT(second.raise, first.raise);
  SoftRowSchedule euclidean(soft, evaluator.model(), DistanceMode::kEuclidean);
  euclidean.start({deep});
  EXPECT_EQ(euclidean.row(0, 2).softness, 0.0);
}

}  // namespace
}  // namespace allclear
