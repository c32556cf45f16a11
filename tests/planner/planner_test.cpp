#include "allclear/planner/planner.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/clearance/collision_model.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/load_robot.h"
#include "allclear/trajectories/trajectory_files.h"
#include "support/data.h"
#include "support/example_arm.h"

namespace allclear {
namespace {

const PlanOptions kPatient{.time_limit = 60.0};

/// The arm turns past a post that stands in its way.
Problem postProblem() {
  Problem problem;
  problem.robot = test::exampleArm();
  for (int k = 0; k < 7; ++k) problem.planned.push_back(k);
  problem.start = VecX::Zero(7);
  problem.start << -1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0;
  VecX goal(7);
  goal << 1.2, 0.6, 0.0, 1.2, 0.0, 0.8, 0.0;
  problem.goal = JointTarget{problem.planned, goal};
  problem.obstacles.push_back(
      {"post", {Mat3::Identity(), {0.7, 0.0, 0.4}}, {{Box({0.1, 0.1, 0.8}), {}}}, {}});
  return problem;
}

/// Least distance beyond the margin over all pairs at `samples` instants, by static distances
/// alone.
double leastSampled(const Problem& problem, const Trajectory& trajectory, int samples) {
  const CollisionModel model = collisionModel(problem, FidelityPolicy::kEverywhere);
  const Kinematics kinematics(*problem.robot);
  auto workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  double least = HUGE_VAL;
  for (int i = 0; i <= samples; ++i) {
    const double t = trajectory.duration() * i / samples;
    kinematics.linkPoses(problem.configuration(trajectory.value(t)), workspace, X_WL);
    for (const CollisionPair& pair : model.pairs) {
      const CollisionBody& A = model.bodies[pair.a];
      const CollisionBody& B = model.bodies[pair.b];
      const Pose X_WB = B.obstacle >= 0 ? problem.obstacles[B.obstacle].pose(t) : X_WL[B.link];
      for (const Geometry& a : A.solids(pair.fidelity)) {
        for (const Geometry& b : B.solids(pair.fidelity)) {
          const double d =
              signedDistance(a.shape, X_WL[A.link] * a.X_BG, b.shape, X_WB * b.X_BG).distance;
          least = std::min(least, d - pair.margin);
        }
      }
    }
  }
  return least;
}

TEST(Plan, GoesAroundWhatIsInTheWayAndIsCertified) {
  const Problem problem = postProblem();
  const Plan plan = allclear::plan(problem, kPatient);
  ASSERT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  ASSERT_TRUE(plan.certificate && plan.certificate->clear);
  EXPECT_GE(plan.certificate->minimum_clearance.lower, problem.collision.margin);
  EXPECT_GE(leastSampled(problem, *plan.trajectory, 2000), 0.0);
  EXPECT_TRUE(verifyCertificate(problem, *plan.certificate).valid);
}

TEST(Plan, IsTheSameToTheByteForTheSameSeed) {
  const Problem problem = postProblem();
  const auto csv = [&](int threads) {
    PlanOptions options = kPatient;
    options.threads = threads;
    const Plan plan = allclear::plan(problem, options);
    EXPECT_TRUE(plan.trajectory);
    return formatTrajectoryCsv(controllerRows(*plan.trajectory, 100.0), plannedNames(problem));
  };
  const std::string once = csv(1);
  EXPECT_EQ(once, csv(1));
  EXPECT_EQ(once, csv(2));
}

TEST(Plan, NamesThePairWhenTheStartIsInContact) {
  Problem problem = postProblem();
  problem.obstacles.push_back(
      {"crate", {Mat3::Identity(), {0.0, 0.0, 0.9}}, {{Box({2.0, 2.0, 0.3}), {}}}, {}});
  const Plan plan = allclear::plan(problem, kPatient);
  EXPECT_EQ(plan.status, PlanStatus::kNotFound);
  EXPECT_NE(plan.message.find("at the start"), std::string::npos) << plan.message;
  EXPECT_NE(plan.message.find("'crate'"), std::string::npos) << plan.message;
  EXPECT_FALSE(plan.trajectory);
}

TEST(Plan, RefusesAGoalBeyondTheLimits) {
  Problem problem = postProblem();
  std::get<JointTarget>(problem.goal).values[1] = 3.0;
  try {
    allclear::plan(problem, kPatient);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("joint2"), std::string::npos) << error.what();
  }
}

TEST(Plan, StopsWhenAsked) {
  const Problem problem = postProblem();
  PlanHooks hooks;
  hooks.stop = [] { return true; };
  const Plan plan = allclear::plan(problem, kPatient, hooks);
  EXPECT_EQ(plan.status, PlanStatus::kInterrupted);
}

TEST(Plan, EndsAtItsTimeLimitWhenThereIsNoWay) {
  Problem problem = postProblem();
  // A wall between start and goal with a hole for the lowest links alone: no arm passes it.
  const auto wall = [&](const char* id, const Vec3& middle, const Vec3& size) {
    problem.obstacles.push_back({id, {Mat3::Identity(), middle}, {{Box(size), {}}}, {}});
  };
  wall("front", {1.62, 0.0, 0.0}, {3.0, 0.02, 6.0});
  wall("behind", {-1.62, 0.0, 0.0}, {3.0, 0.02, 6.0});
  wall("above", {0.0, 0.0, 2.6}, {6.0, 0.02, 4.0});
  const Plan plan = allclear::plan(problem, {.time_limit = 1.0, .attempts = 3});
  EXPECT_TRUE(plan.status == PlanStatus::kTimedOut || plan.status == PlanStatus::kNotFound);
  EXPECT_FALSE(plan.certificate && plan.certificate->clear);
  EXPECT_FALSE(plan.message.empty());
}

}  // namespace
}  // namespace allclear
