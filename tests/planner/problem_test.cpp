#include "allclear/planner/problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "allclear/planner/settings.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// base - (revolute "a") - one - (continuous "b") - two - (revolute "c", no velocity limit) - three
std::shared_ptr<const RobotModel> threeJoints() {
  RobotModel::Data data;
  data.name = "three";
  const char* const links[] = {"base", "one", "two", "three"};
  for (int i = 0; i < 4; ++i) {
    Link link;
    link.name = links[i];
    link.parent_joint = i - 1;
    data.links.push_back(link);
  }
  const char* const joints[] = {"a", "b", "c"};
  for (int i = 0; i < 3; ++i) {
    Joint joint;
    joint.name = joints[i];
    joint.type = i == 1 ? JointType::kContinuous : JointType::kRevolute;
    joint.parent_link = i;
    joint.child_link = i + 1;
    joint.first_coordinate = i;
    data.joints.push_back(joint);
  }
  data.coordinates = {{"a", 0, true, false, -1.0, 1.0, 2.0, 10.0},
                      {"b", 1, true, true, -kInfinity, kInfinity, 3.0, 10.0},
                      {"c", 2, true, false, -1.0, 1.0, kInfinity, 10.0}};
  return std::make_shared<const RobotModel>(std::move(data));
}

Problem goodProblem() {
  Problem problem;
  problem.robot = threeJoints();
  problem.planned = {0, 1};
  problem.start = VecX::Zero(3);
  problem.start[2] = 5.0;  // held fixed beyond its limit, which is allowed
  problem.goal = JointTarget{{0, 1}, VecX::Constant(2, 0.5)};
  return problem;
}

TEST(Problem, AGoodOneHasNoFindings) { EXPECT_TRUE(validate(goodProblem()).empty()); }

TEST(Problem, MapsBetweenPlannedAndAllCoordinates) {
  const Problem problem = goodProblem();
  const VecX q = problem.configuration((VecX(2) << 0.1, 0.2).finished());
  EXPECT_EQ(q, (VecX(3) << 0.1, 0.2, 5.0).finished());
  EXPECT_EQ(problem.plannedPart(q), (VecX(2) << 0.1, 0.2).finished());
}

TEST(PlannedLimits, AreFiniteEvenWithoutAVelocityLimit) {
  Problem problem = goodProblem();
  problem.planned = {0, 2};
  problem.limits.max_velocity_scaling_factor = 0.5;
  problem.limits.max_acceleration_scaling_factor = 0.1;
  const PlannedLimits limits = plannedLimits(problem);
  EXPECT_EQ(limits.velocity[0], 1.0);
  EXPECT_EQ(limits.velocity[1], kInfinity);
  EXPECT_DOUBLE_EQ(limits.acceleration[0], 0.1 * 5.0 * 2.0);
  EXPECT_DOUBLE_EQ(limits.acceleration[1], 0.1 * 5.0);
  EXPECT_DOUBLE_EQ(limits.jerk[0], 100.0);
  EXPECT_DOUBLE_EQ(limits.jerk[1], 50.0);
  EXPECT_EQ(limits.effort[0], kInfinity);  // torque limits are off by default
}

TEST(NearestTurns, FollowTheChainOfTargetsAndLeaveLimitedJointsAlone) {
  Problem problem = goodProblem();
  problem.start[1] = 3.0;
  problem.waypoints = {{JointTarget{{1}, VecX::Constant(1, -3.0)}, std::nullopt}};
  problem.goal = JointTarget{{0, 1}, (VecX(2) << 0.9, 0.5).finished()};
  chooseNearestTurns(problem);
  const double turn = 2.0 * std::numbers::pi;
  EXPECT_NEAR(std::get<JointTarget>(problem.waypoints[0].target).values[0], turn - 3.0, 1e-12);
  EXPECT_EQ(std::get<JointTarget>(problem.goal).values[0], 0.9);
  EXPECT_NEAR(std::get<JointTarget>(problem.goal).values[1], 0.5, 1e-12);
}

struct Mistake {
  const char* expected;
  void (*make)(Problem&);
};

TEST(Validate, NamesEveryMistake) {
  const Mistake mistakes[] = {
      {"robot: is missing", [](Problem& p) { p.robot = nullptr; }},
      {"planned coordinates: there are none",
       [](Problem& p) {
         p.planned.clear();
         p.goal = JointTarget{};
       }},
      {"the robot has no coordinate 7",
       [](Problem& p) {
         p.planned = {0, 7};
       }},
      {"must ascend",
       [](Problem& p) {
         p.planned = {1, 0};
       }},
      {"start: has 2 values instead of 3", [](Problem& p) { p.start = VecX::Zero(2); }},
      {"goal: must name exactly the planned coordinates",
       [](Problem& p) {
         p.goal = JointTarget{{0}, VecX::Zero(1)};
       }},
      {"goal: has no link 9",
       [](Problem& p) {
         PoseTarget pose;
         pose.link = 9;
         p.goal = pose;
       }},
      {"waypoint 1: must name planned coordinates",
       [](Problem& p) {
         p.waypoints = {{JointTarget{{2}, VecX::Zero(1)}, std::nullopt}};
       }},
      {"start: joint 'a': 1.25 is 0.25 rad beyond the upper limit 1",
       [](Problem& p) { p.start[0] = 1.25; }},
      {"start: joint 'c': is not finite", [](Problem& p) { p.start[2] = std::nan(""); }},
      {"goal: joint 'a': -2 is 1 rad beyond the lower limit -1",
       [](Problem& p) {
         p.goal = JointTarget{{0, 1}, VecX::Constant(2, -2.0)};
       }},
      {"goal: velocity of joint 'b': -4 is 1 rad/s beyond the lower limit -3",
       [](Problem& p) { p.goal_velocity = VecX::Constant(2, 0.0) + VecX::Unit(2, 1) * -4.0; }},
      {"start: acceleration of joint 'a': 11 is 1 rad/s^2 beyond the upper limit 10",
       [](Problem& p) { p.start_acceleration = VecX::Unit(2, 0) * 11.0; }},
      {"duration: min 3 exceeds max 2",
       [](Problem& p) {
         p.duration = {3.0, 2.0};
       }},
      {"duration: min: 0 must be positive", [](Problem& p) { p.duration.min = 0.0; }},
      {"max_velocity_scaling_factor: 2 must be in (0, 1]",
       [](Problem& p) { p.limits.max_velocity_scaling_factor = 2.0; }},
      {"jerk limit of joint 'b': -1 must be positive",
       [](Problem& p) {
         p.limits.jerk =
             -VecX::Ones(3).cwiseProduct(VecX::Unit(3, 1)) + VecX::Ones(3) - VecX::Unit(3, 1);
       }},
      {"collision: margin: -1 must not be negative", [](Problem& p) { p.collision.margin = -1.0; }},
      {"pair margin: there is no link or object 'x'",
       [](Problem& p) {
         p.collision.pair_margins = {{"x", "", 0.1}};
       }},
      {"allowed pair: there is no link or object 'x'",
       [](Problem& p) {
         p.collision.allowed = {{"one", "x"}};
       }},
      {"obstacle 'o': has no geometry",
       [](Problem& p) {
         p.obstacles.resize(1);
         p.obstacles[0].id = "o";
       }},
      {"obstacle 'o': its id is in use already",
       [](Problem& p) {
         p.obstacles = {2, Obstacle{"o", {}, {{Sphere(1.0), {}}}, {}}};
       }},
      {"'one' names both a link and an object",
       [](Problem& p) {
         p.obstacles = {Obstacle{"one", {}, {{Sphere(1.0), {}}}, {}}};
         p.collision.allowed = {{"one", "two"}};
       }},
      {"its times must ascend",
       [](Problem& p) {
         p.obstacles = {Obstacle{"o", {}, {{Sphere(1.0), {}}}, {{1.0, {}}, {1.0, {}}}}};
       }},
      {"objective: every weight is zero",
       [](Problem& p) {
         p.objective = {0, 0, 0, 0, 0};
       }},
      {"path constraint: tolerance: 0 must be positive",
       [](Problem& p) {
         p.path_constraints = {KeepAxis{1, Vec3::UnitZ(), Vec3::UnitZ(), 0.0}};
       }},
      {"axis and direction must be unit vectors",
       [](Problem& p) {
         p.path_constraints = {KeepAxis{1, Vec3::Ones(), Vec3::UnitZ(), 0.1}};
       }},
      {"balance: names no support link", [](Problem& p) { p.balance = Balance{}; }},
      {"contact: has no link -1", [](Problem& p) { p.contacts = {Contact{}}; }},
  };
  for (const Mistake& mistake : mistakes) {
    Problem problem = goodProblem();
    mistake.make(problem);
    const std::vector<Finding> findings = validate(problem);
    ASSERT_FALSE(findings.empty()) << mistake.expected;
    EXPECT_NE(findings[0].message.find(mistake.expected), std::string::npos)
        << "expected " << mistake.expected << "\ngot      " << findings[0].message;
  }
}

TEST(ObstacleMotion, IsContinuousAndPassesItsKnots) {
  const unsigned seed = 3;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-3.0, 3.0);
  for (int round = 0; round < 200; ++round) {
    Obstacle obstacle;
    double t = unit(random);
    for (int k = 0; k < 4; ++k) {
      const Vec3 rpy(unit(random), unit(random) / 2, unit(random));
      obstacle.motion.push_back(
          {t, {rotationFromRpy(rpy), Vec3(unit(random), unit(random), unit(random))}});
      t += 0.1 + std::abs(unit(random));
    }
    EXPECT_EQ(obstacle.pose(obstacle.motion.front().time - 1.0).p, obstacle.motion[0].X_WO.p);
    EXPECT_EQ(obstacle.pose(obstacle.motion.back().time + 1.0).p, obstacle.motion[3].X_WO.p);
    for (const PoseKnot& knot : obstacle.motion) {
      for (const double step : {-1e-9, 0.0, 1e-9}) {
        const Pose X = obstacle.pose(knot.time + step);
        EXPECT_LT((X.p - knot.X_WO.p).norm(), 1e-6) << "seed " << seed << " round " << round;
        EXPECT_LT((X.R - knot.X_WO.R).norm(), 1e-6) << "seed " << seed << " round " << round;
      }
    }
    // Half-way: as far in angle from one knot as from the next, never more than a quarter turn.
    const auto& [a, b] = std::pair(obstacle.motion[1], obstacle.motion[2]);
    const Mat3 R = obstacle.pose(0.5 * (a.time + b.time)).R;
    const double from = Eigen::AngleAxisd(a.X_WO.R.transpose() * R).angle();
    const double to = Eigen::AngleAxisd(R.transpose() * b.X_WO.R).angle();
    EXPECT_NEAR(from, to, 1e-7) << "seed " << seed << " round " << round;
    EXPECT_LE(from, std::numbers::pi / 2 + 1e-7);
  }
}

}  // namespace
}  // namespace allclear
