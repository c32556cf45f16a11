#include "allclear/planner/workcell.h"

#include <gtest/gtest.h>

#include "allclear/config/task_file.h"
#include "allclear/core/input_error.h"
#include "allclear/distance/signed_distance.h"
#include "allclear/planner/planner.h"
#include "allclear/trajectories/spline_fit.h"
#include "support/data.h"
#include "support/random.h"

namespace allclear {
namespace {

std::filesystem::path shelf() { return test::sourceFolder() / "examples/shelf"; }

Robot shelfRobot() { return Robot(shelf() / "seven.urdf", shelf() / "seven.srdf"); }

std::string errorOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// The robot between a post, a floor and a ball that passes by, with a part in its hand.
Scene busyScene(const Robot& robot) {
  Scene scene;
  scene.addBox("post", {0.1, 0.1, 1.2}, {Mat3::Identity(), {0.45, 0.45, 0.6}});
  scene.addPlane("floor", {0.0, 0.0, 2.0}, -0.002);
  scene.addSphere("ball", 0.1, {0.0, 0.0, 0.0}).motion = {
      {0.0, {Mat3::Identity(), {1.5, -0.5, 0.8}}}, {2.0, {Mat3::Identity(), {0.9, 0.6, 0.9}}}};
  scene.attach("part", robot, "tool", Box({0.05, 0.05, 0.2}), {Mat3::Identity(), {0.0, 0.0, 0.1}});
  return scene;
}

TEST(Scene, IsThatOfATaskFile) {
  Scene scene;
  const auto board = [](double z) { return Pose{Mat3::Identity(), {0.80, 0.0, z}}; };
  scene.addBox("board_low", {0.30, 0.90, 0.02}, board(0.36));
  scene.addBox("board_high", {0.30, 0.90, 0.02}, board(0.84));
  scene.addBox("side_left", {0.30, 0.02, 1.00}, {Mat3::Identity(), {0.80, 0.44, 0.50}});
  scene.addBox("side_right", {0.30, 0.02, 1.00}, {Mat3::Identity(), {0.80, -0.30, 0.50}});
  scene.addBox("back", {0.02, 0.90, 1.00}, {Mat3::Identity(), {0.96, 0.0, 0.50}});
  scene.addPlane("floor", Vec3::UnitZ(), -0.001);
  const Robot robot = shelfRobot();
  const Problem task = loadTask(shelf() / "task.yaml").problem;
  VecX goal = task.start;
  const auto& joints = std::get<JointTarget>(task.goal);
  for (std::size_t i = 0; i < joints.coordinates.size(); ++i) {
    goal[joints.coordinates[i]] = joints.values[static_cast<int>(i)];
  }
  const Problem problem = makeProblem(robot, "arm", task.start, goal, scene);
  EXPECT_EQ(problem.planned, task.planned);
  // The same bodies at the same distances: of this configuration and of the goal.
  for (const VecX& q : {task.start, goal}) {
    const auto ours = pairClearances(problem, q), theirs = pairClearances(task, q);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].a, theirs[i].a);
      EXPECT_EQ(ours[i].b, theirs[i].b);
      EXPECT_EQ(ours[i].distance, theirs[i].distance);
    }
  }
}

TEST(Scene, RefusesNamesThatAreTakenOrUnknown) {
  const Robot robot = shelfRobot();
  Scene scene = busyScene(robot);
  EXPECT_NE(errorOf([&] { scene.addBox("post", Vec3::Ones()); }).find("'post'"), std::string::npos);
  EXPECT_NE(errorOf([&] { scene.addSphere("", 1.0, Vec3::Zero()); }).find("needs a name"),
            std::string::npos);
  EXPECT_NE(errorOf([&] { scene.addPlane("p", Vec3::Zero()); }).find("must not be zero"),
            std::string::npos);
  EXPECT_NE(errorOf([&] { scene.remove("pots"); }).find("'post'"), std::string::npos);
  EXPECT_NE(errorOf([&] { scene.attach("x", robot, "tol", Sphere(0.1)); }).find("'tool'"),
            std::string::npos);
  scene.remove("post");
  scene.remove("part");
  EXPECT_EQ(scene.names(), (std::vector<std::string>{"floor", "ball"}));
}

/// A random motion near the start.
Trajectory randomMotion(const Problem& problem, test::Random& random) {
  constexpr int kRows = 4;
  MatX rows(problem.plannedCount(), kRows);
  for (int i = 0; i < kRows; ++i) {
    rows.col(i) = problem.plannedPart(problem.start);
    for (int k = 0; k < rows.rows(); ++k) rows(k, i) += random.uniform(-0.5, 0.5);
  }
  return interpolatePositions({0.0, 0.7, 1.3, 2.0}, rows);
}

TEST(LeastDistance, BracketsTheLeastOfManySamples) {
  constexpr double kTolerance = 1e-4;
  constexpr int kSamples = 2000;
  const Robot robot = shelfRobot();
  const Scene scene = busyScene(robot);
  const VecX q = robot.group("arm").state("ready");
  const Problem problem = makeProblem(robot, "arm", q, q, scene);
  test::Random random(5);
  for (int trial = 0; trial < 4; ++trial) {
    const Trajectory trajectory = randomMotion(problem, random);
    for (const auto& [a, b] : {std::pair<std::string, std::string>{"part", "ball"},
                               {"part", "post"},
                               {"link6", "floor"},
                               {"ball", "link6"}}) {
      const LeastDistance least = leastDistance(problem, trajectory, a, b, kTolerance);
      double sampled = std::numeric_limits<double>::infinity();
      for (int i = 0; i <= kSamples; ++i) {
        const double t = trajectory.duration() * i / kSamples;
        const std::vector<Pose> X_WL = robot.poses(problem.configuration(trajectory.value(t)));
        const auto posed = [&](const std::string& name) -> std::pair<std::vector<Geometry>, Pose> {
          if (name == "part") return {scene.attached[0].geometry, X_WL[scene.attached[0].link]};
          for (const Obstacle& o : scene.obstacles) {
            if (o.id == name) return {o.geometry, o.pose(t)};
          }
          const int link = robot.linkIndex(name);
          return {robot.model().links()[link].collision, X_WL[link]};
        };
        const auto [A, X_WA] = posed(a);
        const auto [B, X_WB] = posed(b);
        sampled = std::min(sampled, leastSignedDistance(A, X_WA, B, X_WB));
      }
      // Samples miss the minimum by little, upwards only; 1e-3 is far above what they miss here.
      EXPECT_LE(least.distance.lower, sampled) << a << " " << b;
      EXPECT_GE(least.distance.upper, sampled - 1e-3) << a << " " << b;
      EXPECT_LE(least.distance.upper, sampled + kTolerance) << a << " " << b;
      EXPECT_LE(least.distance.length(), 1.01 * kTolerance) << a << " " << b;
    }
  }
  const Trajectory trajectory = randomMotion(problem, random);
  EXPECT_NE(errorOf([&] { leastDistance(problem, trajectory, "prat", "ball"); }).find("'part'"),
            std::string::npos);
  EXPECT_NE(errorOf([&] { leastDistance(problem, trajectory, "part", "ball", 0.0); }), "");
}

TEST(InverseKinematics, FindsAConfigurationThatMeetsThePoseAndIsClear) {
  const Robot robot = shelfRobot();
  const VecX q = robot.group("arm").state("ready");
  const Problem problem = makeProblem(robot, "arm", q, q, busyScene(robot));
  const VecX reached = robot.configuration({{"joint1", -0.4}, {"joint4", 1.3}}, q);
  const PoseTarget target = poseTarget(robot, "tool", robot.pose(reached, "tool"));
  const PoseSolution solution = inverseKinematics(problem, target);
  ASSERT_TRUE(solution.q) << solution.message;
  const Pose X = robot.pose(*solution.q, "tool");
  EXPECT_LE((X.p - target.X_WP.p).norm(), target.position_tolerance);
  EXPECT_GE(closestPair(problem, *solution.q)->distance, problem.collision.margin);
  // Out of reach.
  PoseTarget far = target;
  far.X_WP.p = {5.0, 0.0, 0.0};
  const PoseSolution none = inverseKinematics(problem, far, 0.2);
  EXPECT_FALSE(none.q);
  EXPECT_FALSE(none.message.empty());
}

TEST(CheckProblem, NamesWhatStandsInTheWay) {
  const Robot robot = shelfRobot();
  const VecX q = robot.group("arm").state("ready");
  const VecX goal = robot.configuration({{"joint1", 1.2}}, q);
  Scene scene;
  scene.addSphere("blob", 0.05, robot.pose(goal, "tool").p);
  Problem problem = makeProblem(robot, "arm", q, goal, scene);
  const ProblemCheck check = checkProblem(problem);
  ASSERT_FALSE(check.faults.empty());
  EXPECT_EQ(check.faults[0].find("goal: '"), 0u) << check.faults[0];
  EXPECT_NE(check.faults[0].find("'blob' overlap by"), std::string::npos) << check.faults[0];
  EXPECT_EQ(check.ends.size(), 2u);
  problem.obstacles.clear();
  EXPECT_TRUE(checkProblem(problem).faults.empty());
  problem.start[0] = 99.0;  // beyond its limit
  EXPECT_NE(checkProblem(problem).faults[0].find("joint1"), std::string::npos);
}

}  // namespace
}  // namespace allclear
