// One time limit and one stop for the whole of a run: the model, covers of meshes, the search, the
// proof and the words about a failure.
#include <gtest/gtest.h>

#include <chrono>

#include "allclear/core/input_error.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/planner/planner.h"
#include "config/task_fixture.h"
#include "planner/certificate/certificate_fixture.h"
#include "support/mesh_samples.h"

namespace allclear {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TriangleMesh roughMesh() { return test::torusMesh(0.2, 0.1, 160, 80, 0.3, 11); }

/// The small arm beside a mesh whose cover takes far longer than all else.
Problem besideAMesh() {
  Problem problem = test::loadText(test::armTask("{shoulder: 0.6, elbow: 0.4}"));
  Obstacle rock;
  rock.id = "rock";
  rock.X_WO.p = Vec3(1.3, 0.3, 0.5);
  rock.geometry = {{roughMesh(), Pose()}};
  problem.obstacles = {rock};
  problem.collision.geometry = GeometryMode::kMesh;
  return problem;
}

/// A chain of capsules that turn about x, y and z in turn.
Problem chainOf(int joints) {
  constexpr double kLength = 0.02;
  RobotModel::Data data;
  data.name = "chain";
  data.links.resize(1);
  data.links[0].name = "base";
  for (int i = 0; i < joints; ++i) {
    Link link;
    link.name = "l" + std::to_string(i);
    link.parent_joint = i;
    link.collision = {{Capsule(0.2 * kLength, 0.6 * kLength), Pose()}};
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.parent_link = i;
    joint.child_link = i + 1;
    joint.X_PJ.p = Vec3(0.0, 0.0, kLength);
    joint.axis = Vec3::Unit(i % 3);
    joint.first_coordinate = i;
    data.links.push_back(link);
    data.joints.push_back(joint);
    data.coordinates.push_back({joint.name, i, true, false, -2.0, 2.0, 2.0, 10.0});
    for (int other = 0; other < i; ++other) {
      // Neighbours are parts of one another, and the rest keeps apart.
      if (i - other < 3) data.disabled_pairs.push_back({other + 1, i + 1, "Adjacent"});
    }
  }
  Problem problem;
  problem.robot = std::make_shared<RobotModel>(std::move(data));
  JointTarget goal;
  for (int i = 0; i < joints; ++i) {
    problem.planned.push_back(i);
    goal.coordinates.push_back(i);
  }
  problem.start = VecX::Zero(joints);
  goal.values = VecX::LinSpaced(joints, 0.0, 2e-4);
  problem.goal = goal;
  problem.collision.margin = 1e-4;
  return problem;
}

TEST(TimeLimit, ReachesTheCuttingOfMeshes) {
  const Clock::time_point start = Clock::now();
  convexCover(roughMesh());
  const double cover = secondsSince(start);
  PlanOptions options;
  options.threads = 1;
  options.time_limit = 0.05 * cover;
  const Plan plan = allclear::plan(besideAMesh(), options);
  EXPECT_EQ(plan.status, PlanStatus::kTimedOut);
  EXPECT_NE(plan.message.find("Out of time"), std::string::npos) << plan.message;
  EXPECT_LT(plan.statistics.seconds, 0.5 * cover) << "the cover alone takes " << cover;
}

TEST(TimeLimit, OfAStopThatComesAtOnceIsAnInterruption) {
  PlanHooks hooks;
  hooks.stop = [] { return true; };
  const Plan plan = allclear::plan(besideAMesh(), {}, hooks);
  EXPECT_EQ(plan.status, PlanStatus::kInterrupted);
  EXPECT_NE(plan.message.find("Interrupted"), std::string::npos) << plan.message;
}

TEST(TimeLimit, CountsFromWhereTheCallerSays) {
  const Problem problem = test::loadText(test::armTask("{shoulder: 0.6, elbow: 0.4}"));
  PlanOptions options;
  options.time_limit = 100.0;
  EXPECT_EQ(allclear::plan(problem, options).status, PlanStatus::kCertified);
  PlanHooks hooks;
  hooks.start = Clock::now() - std::chrono::seconds(101);
  EXPECT_EQ(allclear::plan(problem, options, hooks).status, PlanStatus::kTimedOut);
}

TEST(TimeLimit, LetsTheCallersOwnWorkInAHookAlone) {
  const Problem problem = test::loadText(test::armTask("{shoulder: 0.6, elbow: 0.4}"));
  std::size_t pieces = 0;
  bool is_stopped = false;
  PlanHooks hooks;
  hooks.stop = [&] { return is_stopped; };
  hooks.progress = [&](const PlanProgress&) {
    is_stopped = true;
    if (pieces == 0) pieces = convexCover(test::torusMesh(0.3, 0.1, 40, 20, 0.3)).size();
  };
  allclear::plan(problem, {}, hooks);
  EXPECT_GT(pieces, 1U) << "it was given up with the run";
}

/// A post along the whole chain: every link gets a row in every span, of as many joints as are
/// below.
Obstacle postBeside(const Problem& problem) {
  constexpr double kHalf = 0.05, kGap = 0.012, kLength = 4.0;
  Obstacle post;
  post.id = "post";
  post.geometry = {{Box(Vec3(2.0 * kHalf, 2.0 * kHalf, kLength)), Pose()}};
  const auto& capsule = std::get<Capsule>(problem.robot->links()[1].collision[0].shape);
  post.X_WO.p = Vec3(kHalf + capsule.radius() + kGap, 0.0, 0.0);
  return post;
}

// MUMPS took 1.7 GB and 12 s for one step of a robot of 160 joints, which nothing could end.
TEST(TimeLimit, IsNotLeftToMumpsByRobotsOfManyJoints) {
  Problem problem = chainOf(90);
  problem.obstacles = {postBeside(problem)};
  int iterations = 0;
  PlanOptions options;
  options.time_limit = 600.0;
  options.improve = Improve::kNone;
  PlanHooks hooks;
  hooks.progress = [&](const PlanProgress&) { ++iterations; };
  hooks.stop = [&] { return iterations > 2; };
  const Plan plan = allclear::plan(problem, options, hooks);
  EXPECT_GT(iterations, 0) << plan.message;
  EXPECT_NE(plan.statistics.longest_call, "MUMPS");
}

TEST(TimeLimit, OfMoreJointsThanMemoryHoldsIsNotBegun) {
  const Problem problem = chainOf(300);
  try {
    allclear::plan(problem);
    FAIL() << "planned";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("300 planned joints"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace allclear
