#include "allclear/planner/loaded_planner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "allclear/core/input_error.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/planner/search/plan_run.h"
#include "support/example_arm.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

PlanOptions quick() {
  PlanOptions options;
  options.time_limit = 60.0;
  options.improve = Improve::kNone;
  return options;
}

VecX vector(std::initializer_list<double> values) {
  VecX out(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

const VecX kLeft = vector({-1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0});
const VecX kRight = vector({1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0});
const VecX kHigh = vector({0.3, 0.1, 0.2, 0.6, 0.0, 0.4, 0.0});

/// The arm of the examples beside a post; a ring, of a mesh that is not convex, lies about.
Problem postProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = kLeft;
  problem.goal = JointTarget{problem.planned, kLeft};
  problem.obstacles.push_back(
      {"post", {Mat3::Identity(), {0.7, 0.0, 0.4}}, {{Box({0.1, 0.1, 0.8}), {}}}, {}});
  problem.obstacles.push_back({"ring",
                               {Mat3::Identity(), {0.0, -0.9, 0.1}},
                               {{test::torusMesh(0.2, 0.05, 12, 8), {}}},
                               {}});
  return problem;
}

/// All that a plan claims, as bytes.
std::string bytesOf(const Plan& plan) {
  if (!plan.certificate) return "none: " + plan.message;
  return formatCertificateJson(*plan.certificate) + plan.statistics.seed;
}

TEST(LoadedPlanner, GivesTheBytesOfAFreshPlan) {
  Planner planner(postProblem(), quick());
  for (const auto& [from, to] :
       {std::pair(kLeft, kRight), {kRight, kHigh}, {kLeft, kRight}, {kHigh, kLeft}}) {
    const Plan plan = planner.plan(from, to);
    ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
    // A scene of its own: nothing is shared with the loaded one.
    Problem fresh = postProblem();
    fresh.start = from;
    fresh.goal = JointTarget{fresh.planned, to};
    EXPECT_EQ(bytesOf(plan), bytesOf(allclear::plan(fresh, quick())));
  }
}

TEST(LoadedPlanner, FollowsItsScene) {
  Planner planner(postProblem(), quick());
  Problem fresh = postProblem();
  fresh.start = kLeft;
  fresh.goal = JointTarget{fresh.planned, kRight};
  const auto expectSame = [&] {
    EXPECT_EQ(bytesOf(planner.plan(kLeft, kRight)), bytesOf(allclear::plan(fresh, quick())));
  };
  const Pose aside{Mat3::Identity(), Vec3(0.75, 0.1, 0.4)};
  planner.update("post", aside);
  fresh.obstacles[0].X_WO = aside;
  expectSame();
  const Obstacle ball{"ball", {Mat3::Identity(), {0.3, 0.6, 0.9}}, {{Sphere(0.05), {}}}, {}};
  planner.add(ball);
  fresh.obstacles.push_back(ball);
  expectSame();
  planner.remove("post");
  fresh.obstacles.erase(fresh.obstacles.begin());
  expectSame();
}

TEST(LoadedPlanner, PlansFromAMovingState) {
  Planner planner(postProblem(), quick());
  PlanQuery query{kLeft, planner.jointGoal(kHigh), {}, {}, {}, {}};
  query.start_velocity = vector({0.2, 0.0, 0.1, -0.1, 0.0, 0.0, 0.05});
  query.start_acceleration = vector({0.1, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0});
  const Plan plan = planner.plan(query);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  EXPECT_LT((plan.trajectory->value(0.0, 1) - query.start_velocity).norm(), 1e-9);
  EXPECT_LT((plan.trajectory->value(0.0, 2) - query.start_acceleration).norm(), 1e-6);
  EXPECT_EQ(bytesOf(plan), bytesOf(allclear::plan(planner.problemOf(query), quick())));
}

TEST(LoadedPlanner, StartsWarmFromTheLastPlanWhereAsked) {
  Planner planner(postProblem(), quick());
  planner.useWarmStart(true);
  const Plan first = planner.plan(kLeft, kRight);
  ASSERT_EQ(first.status, PlanStatus::kCertified);
  EXPECT_NE(first.statistics.seed, "the last plan");  // there is none yet
  const VecX start = kLeft + vector({0.02, -0.01, 0.0, 0.01, 0.02, 0.0, 0.0});
  const VecX goal = kRight + vector({0.0, 0.02, 0.01, 0.0, 0.0, -0.02, 0.0});
  Planner same = planner;
  const Plan second = planner.plan(start, goal);
  ASSERT_EQ(second.status, PlanStatus::kCertified) << second.message;
  EXPECT_EQ(second.statistics.seed, "the last plan");
  EXPECT_EQ(second.statistics.attempts, 1);
  EXPECT_LT((second.trajectory->value(0.0) - start).norm(), 1e-9);
  EXPECT_LT((second.trajectory->value(1e9) - goal).norm(), 1e-9);
  // The same queries, the same plans.
  EXPECT_EQ(bytesOf(same.plan(start, goal)), bytesOf(second));
  // Forgotten, or switched off: as without it.
  planner.forget();
  EXPECT_EQ(bytesOf(planner.plan(start, goal)),
            bytesOf(allclear::plan(
                planner.problemOf({start, planner.jointGoal(goal), {}, {}, {}, {}}), quick())));
  planner.useWarmStart(false);
  planner.plan(kLeft, kRight);
  EXPECT_NE(planner.plan(start, goal).statistics.seed, "the last plan");
}

/// A guess that leads through an obstacle, or to nowhere near, changes whether there is a plan as
/// little as it changes what the plan has to keep.
TEST(LoadedPlanner, GivesUpAWarmStartThatIsOfNoUse) {
  Planner planner(postProblem(), quick());
  planner.useWarmStart(true);
  ASSERT_EQ(planner.plan(kRight, kHigh).status, PlanStatus::kCertified);
  planner.add({"board", {Mat3::Identity(), {0.5, 0.35, 0.4}}, {{Box({0.05, 0.3, 0.5}), {}}}, {}});
  const Plan plan = planner.plan(kLeft, kRight);
  Problem problem = planner.problemOf({kLeft, planner.jointGoal(kRight), {}, {}, {}, {}});
  const Plan cold = allclear::plan(problem, quick());
  EXPECT_EQ(plan.status, cold.status) << plan.message << "\n" << cold.message;
  const VecX few = VecX::Zero(3);
  const HermiteCurve foreign({0.0, 1.0}, MatX::Zero(3, 2), MatX::Zero(3, 2), MatX::Zero(3, 2));
  const Trajectory other(foreign);
  EXPECT_EQ(bytesOf(planFrom(problem, quick(), {}, &other)), bytesOf(cold));
}

TEST(LoadedPlanner, PlansInSeveralThreadsByCopies) {
  const Planner planner(postProblem(), quick());
  std::vector<std::string> bytes(3);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    threads.emplace_back([&planner, &bytes, i] {
      Planner own = planner;
      bytes[i] = bytesOf(own.plan(kLeft, kRight));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[0], bytes[2]);
}

TEST(LoadedPlanner, TakesJointsByName) {
  const Planner planner(postProblem(), quick());
  std::vector<std::string> names = planner.jointNames();
  ASSERT_EQ(names.size(), 7U);
  std::vector<std::string> reversed(names.rbegin(), names.rend());
  const VecX values = planner.jointValues(reversed, kRight.reverse());
  EXPECT_EQ(values, kRight);
  EXPECT_THROW(planner.jointValues(names, VecX::Zero(6)), InputError);
  names[3] = names[2];
  EXPECT_THROW(planner.jointValues(names, kRight), InputError);
  names[3] = "elbow";
  EXPECT_THROW(planner.jointValues(names, kRight), InputError);
  names.pop_back();
  EXPECT_THROW(planner.jointValues(names, VecX::Zero(6)), InputError);
}

TEST(LoadedPlanner, RefusesWhatItDoesNotKnow) {
  Planner planner(postProblem(), quick());
  EXPECT_THROW(planner.update("pole", {}), InputError);
  EXPECT_THROW(planner.remove("pole"), InputError);
  EXPECT_THROW(planner.add({"post", {}, {{Sphere(0.1), {}}}, {}}), InputError);
  planner.add({"cart", {}, {{Sphere(0.1), {}}}, {{0.0, {}}, {1.0, {}}}});
  EXPECT_THROW(planner.update("cart", {}), InputError);
  EXPECT_THROW(planner.plan(VecX::Zero(6), kRight), InputError);
  PlanQuery query{kLeft, planner.jointGoal(kRight), VecX::Zero(2), {}, {}, {}};
  EXPECT_THROW(planner.plan(query), InputError);
}

}  // namespace
}  // namespace allclear
