#include "allclear/planner/seeds/configuration_space.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/seeds/path_search.h"
#include "planner/seeds/seed_scenes.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A cart of half a metre that drives in the plane.
RobotModel cart(double range) {
  RobotModel::Data data;
  data.name = "cart";
  data.links.push_back({"odom", -1, {}, {}, {}});
  Joint joint;
  joint.name = "drive";
  joint.type = JointType::kPlanar;
  joint.parent_link = 0;
  joint.child_link = 1;
  joint.axis = Vec3::UnitZ();
  joint.first_coordinate = 0;
  data.coordinates.push_back({"drive/x", 0, false, false, -range, range, 1.0, 50.0});
  data.coordinates.push_back({"drive/y", 0, false, false, -range, range, 1.0, 50.0});
  data.coordinates.push_back({"drive/angle", 0, true, true, -kInfinity, kInfinity, 1.0, 50.0});
  data.joints.push_back(joint);
  Link link{"cart", 0, {}, {}, {}};
  link.collision.push_back({Box(Vec3(0.5, 0.4, 0.3)), Pose()});
  data.links.push_back(link);
  return RobotModel(std::move(data));
}

/// It is to drive around a wall of this length, from the middle of the one side to that of the
/// other.
Problem aroundWall(double length, double range = kInfinity) {
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(cart(range));
  problem.planned = {0, 1, 2};
  problem.start = Vec3::Zero();
  problem.goal = JointTarget{{0, 1, 2}, Vec3(3.0, 0.0, 0.0)};
  Obstacle wall;
  wall.id = "wall";
  wall.geometry = {{Box(Vec3(0.1, length, 1.0)), Pose()}};
  wall.X_WO.p = Vec3(1.5, 0.0, 0.0);
  problem.obstacles.push_back(wall);
  return problem;
}

VecX goalOf(const Problem& problem) { return std::get<JointTarget>(problem.goal).values; }

TEST(ConfigurationSpace, SamplesOfABaseReachBeyondAllObstaclesAndMostAreNear) {
  for (const double length : {2.0, 20.0, 200.0}) {
    SCOPED_TRACE(length);
    const Problem problem = aroundWall(length);
    const ConfigurationSpace space(problem, goalOf(problem), VecX::Ones(3));
    RandomStream random(1, 1);
    int beyond = 0, near = 0;
    constexpr int kCount = 2000;
    for (int i = 0; i < kCount; ++i) {
      const VecX q = space.sample(random);
      beyond += std::abs(q[1]) > length / 2.0 ? 1 : 0;
      near += std::abs(q[1]) < 2.0 ? 1 : 0;
    }
    EXPECT_GT(beyond, kCount / 100);
    EXPECT_GT(near, kCount / 4);
  }
}

TEST(ConfigurationSpace, LimitsHoldWhereTheyAreNearer) {
  for (const double range : {4.0, 30.0}) {
    const Problem problem = aroundWall(100.0, range);
    const ConfigurationSpace space(problem, goalOf(problem), VecX::Ones(3));
    RandomStream random(1, 1);
    for (int i = 0; i < 1000; ++i) {
      const VecX q = space.sample(random);
      EXPECT_LE(q.head(2).cwiseAbs().maxCoeff(), range);
    }
  }
}

// A plane has no end to go around; nothing but it leaves the range as it is.
TEST(ConfigurationSpace, APlaneAddsNoRoom) {
  Problem problem = aroundWall(1.0);
  problem.obstacles[0].geometry = {{HalfSpace(), Pose()}};
  const ConfigurationSpace space(problem, goalOf(problem), VecX::Ones(3));
  RandomStream random(1, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_LE(std::abs(space.sample(random)[1]), 1.0);
}

TEST(ConfigurationSpace, ABaseDrivesAroundALongWall) {
  for (const double length : {3.0, 12.0, 60.0}) {
    for (const double range : {kInfinity, 1000.0}) {
      SCOPED_TRACE(std::to_string(length) + " m, limits of " + std::to_string(range));
      const Problem problem = aroundWall(length, range);
      const ClearanceEvaluator evaluator(problem);
      SegmentCertifier certifier(problem, evaluator.model());
      const ConfigurationSpace space(problem, goalOf(problem), certifier.reach(problem.start));
      const PathSearch search(problem, space, certifier, evaluator.builder().kinematics(), {});
      PathSearchStatistics statistics;
      const auto found = search.find(problem.start, {goalOf(problem)}, {}, 1, &statistics);
      ASSERT_TRUE(found.has_value());
      double farthest = 0.0;
      for (const VecX& q : found->path) farthest = std::max(farthest, std::abs(q[1]));
      EXPECT_GT(farthest, length / 2.0);
    }
  }
}

}  // namespace
}  // namespace allclear
