// One time limit and one stop for the whole of a run: the model, covers of meshes, the search, the
// proof and the words about a failure. The same for sequences and retimings.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "allclear/core/input_error.h"
#include "allclear/distance/convex_cover.h"
#include "allclear/planner/planner.h"
#include "allclear/planner/retime.h"
#include "allclear/robot_models/kinematics.h"
#include "config/task_fixture.h"
#include "planner/certificate/certificate_fixture.h"
#include "planner/seeds/seed_scenes.h"
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

/// What cutting the rough mesh takes here and now.
double secondsOfCover() {
  const Clock::time_point start = Clock::now();
  convexCover(roughMesh());
  return secondsSince(start);
}

/// A limit that cutting it does not keep.
PlanOptions withinShareOf(double cover) {
  PlanOptions options;
  options.threads = 1;
  options.time_limit = 0.05 * cover;
  return options;
}

TEST(TimeLimit, ReachesTheCuttingOfMeshes) {
  const double cover = secondsOfCover();
  const PlanOptions options = withinShareOf(cover);
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

SequenceStep motionTo(const std::string& name, const Target& goal) {
  SequenceMotion out;
  out.name = name;
  out.problem = [goal](const Problem& shared) {
    Problem problem = shared;
    problem.goal = goal;
    return problem;
  };
  return {std::move(out), {}};
}

/// To a place for the tip, which has several configurations, and back.
Sequence toAPlaceAndBack(const Problem& shared) {
  Sequence sequence;
  sequence.shared = shared;
  PoseTarget tip;
  tip.link = static_cast<int>(shared.robot->links().size()) - 1;
  const JointTarget& there = std::get<JointTarget>(shared.goal);
  const Kinematics kinematics(*shared.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(shared.configuration(there.values), workspace, X_WL);
  tip.X_WP = X_WL[tip.link];
  tip.angle_tolerance = std::numeric_limits<double>::infinity();
  sequence.steps.push_back(motionTo("reach", tip));
  sequence.steps.push_back(
      motionTo("return", JointTarget{shared.planned, shared.plannedPart(shared.start)}));
  return sequence;
}

// The looks ahead made models, and so covers of meshes, without regard to the time.
TEST(TimeLimit, ReachesTheLooksAheadOfASequence) {
  const double cover = secondsOfCover();
  const PlanOptions options = withinShareOf(cover);
  const SequencePlan plan = planSequence(toAPlaceAndBack(besideAMesh()), options);
  EXPECT_EQ(plan.status, PlanStatus::kTimedOut);
  EXPECT_NE(plan.message.find("out of time after"), std::string::npos) << plan.message;
  EXPECT_NE(plan.message.find("segment 'reach' (1 of 2)"), std::string::npos) << plan.message;
  EXPECT_LT(plan.statistics.seconds, 0.5 * cover) << "the cover alone takes " << cover;
  PlanHooks hooks;
  hooks.stop = [] { return true; };
  const SequencePlan stopped = planSequence(toAPlaceAndBack(besideAMesh()), {}, hooks);
  EXPECT_EQ(stopped.status, PlanStatus::kInterrupted);
  EXPECT_NE(stopped.message.find("interrupted after"), std::string::npos) << stopped.message;
}

// Each search for a motion counted from there, as if it had all the time of the whole behind it.
TEST(TimeLimit, OfASequenceCountsFromWhereTheCallerSays) {
  const Sequence sequence =
      toAPlaceAndBack(test::loadText(test::armTask("{shoulder: 0.6, elbow: 0.4}")));
  PlanOptions options;
  options.time_limit = 100.0;  // for each of the two
  PlanHooks hooks;
  hooks.start = Clock::now() - std::chrono::seconds(101);
  const SequencePlan plan = planSequence(sequence, options, hooks);
  EXPECT_EQ(plan.status, PlanStatus::kCertified) << plan.message;
  hooks.start = Clock::now() - std::chrono::seconds(201);
  EXPECT_EQ(planSequence(sequence, options, hooks).status, PlanStatus::kTimedOut);
}

/// Of this thread [s]: other work on the machine does not count.
double processorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A `stop` that never stops: what is done between two of its questions.
struct Questions {
  double begin = processorSeconds(), last = begin, longest = 0.0;
  bool operator()() {
    const double now = processorSeconds();
    longest = std::max(longest, now - std::exchange(last, now));
    return false;
  }
};

/// A wave of many rows, of which most are corners when it is noisy.
MatX wave(int rows, double noise) {
  test::Random random(7);
  MatX path(3, rows);
  for (Eigen::Index i = 0; i < path.cols(); ++i) {
    const double s = 2e-3 * static_cast<double>(i);
    path.col(i) = Vec3(std::sin(s), 0.5 * std::cos(1.7 * s), 0.3 * std::sin(0.4 * s)) +
                  random.vectorX(3, noise);
  }
  return path;
}

Problem along(const MatX& path) {
  Problem problem = test::freeProblem(path);
  problem.duration.max = 1e5;
  return problem;
}

TEST(TimeLimit, ReachesEveryLoopOfARetiming) {
  for (const double tolerance : {0.01, 0.0}) {
    const MatX path = wave(tolerance > 0.0 ? 30000 : 3000, 1e-3);
    RetimeOptions options;
    options.tolerance = tolerance;
    Questions questions;
    options.stop = [&questions] { return questions(); };
    const RetimedPath done = retime(along(path), path, options);
    EXPECT_EQ(done.status, RetimeStatus::kCertified) << done.message;
    questions();
    const double whole = questions.last - questions.begin;
    // (Of so short a run what asks for memory, and what else the machine does, is much.)
    EXPECT_LT(questions.longest, 0.12 * whole)
        << "at one time nothing was asked for " << questions.longest << " s of " << whole;
  }
}

TEST(TimeLimit, EndsARetimingWhereverItIs) {
  const MatX path = wave(2000, 1e-3);
  const Problem problem = along(path);
  int count = 0;
  RetimeOptions options;
  options.stop = [&count] { return ++count < 0; };
  ASSERT_EQ(retime(problem, path, options).status, RetimeStatus::kCertified);
  const int all = count;
  ASSERT_GT(all, 1);
  for (const int last : {1, all / 4, all / 2, 3 * all / 4}) {
    count = 0;
    options.stop = [&count, last] { return ++count >= last; };
    const RetimedPath done = retime(problem, path, options);
    // (How often it asks depends on the machine.)
    if (count < last) continue;
    EXPECT_EQ(done.status, RetimeStatus::kInterrupted);
    EXPECT_EQ(count, last) << "it went on";
    EXPECT_EQ(done.message.find("Interrupted after"), 0U) << done.message;
    EXPECT_FALSE(done.certificate && done.certificate->clear);
    EXPECT_EQ(done.trajectory.has_value(), done.certificate.has_value());
  }
  options.stop = {};
  options.time_limit = 1e-6;
  const RetimedPath late = retime(problem, path, options);
  EXPECT_EQ(late.status, RetimeStatus::kTimedOut);
  EXPECT_EQ(late.message.find("Out of time after"), 0U) << late.message;
  options.time_limit = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(retime(problem, path, options), InputError);
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
