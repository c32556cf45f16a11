#pragma once

#include <limits>

#include "allclear/planner/problem.h"
#include "support/random_robot.h"

namespace allclear::test {

/// An arm in the plane z = 0: three boxes of 0.4 m in a row, each turning about z.
inline RobotModel boxArm(bool wraps = false) {
  RobotModel::Data data;
  data.name = "box_arm";
  data.links.push_back({"base", -1, {}, {}, {}});
  for (int j = 0; j < 3; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.type = wraps ? JointType::kContinuous : JointType::kRevolute;
    joint.parent_link = j;
    joint.child_link = j + 1;
    joint.X_PJ.p = Vec3(j == 0 ? 0.0 : 0.4, 0.0, 0.0);
    joint.axis = Vec3::UnitZ();
    joint.first_coordinate = j;
    const double range = wraps ? std::numeric_limits<double>::infinity() : 2.8;
    data.coordinates.push_back({joint.name, j, true, wraps, -range, range, 2.0, 50.0});
    data.joints.push_back(joint);
    Link link{"link" + std::to_string(j), j, {}, {}, {}};
    link.collision.push_back({Box(Vec3(0.36, 0.05, 0.05)), {Mat3::Identity(), {0.2, 0.0, 0.0}}});
    data.links.push_back(link);
  }
  data.disabled_pairs = {{1, 2, "Adjacent"}, {2, 3, "Adjacent"}};
  return RobotModel(std::move(data));
}

/// The arm has to fold to pass a wall that stands out from the right: from below to above it.
inline Problem wallProblem(bool wraps = false) {
  Problem problem;
  problem.name = "wall";
  problem.robot = std::make_shared<const RobotModel>(boxArm(wraps));
  problem.planned = {0, 1, 2};
  problem.start = Vec3(-0.7, 0.2, 0.1);
  problem.goal = JointTarget{{0, 1, 2}, Vec3(0.7, -0.2, -0.1)};
  Obstacle wall;
  wall.id = "wall";
  wall.geometry = {{Box(Vec3(0.6, 0.04, 0.4)), Pose()}};
  wall.X_WO.p = Vec3(0.85, 0.0, 0.0);
  problem.obstacles.push_back(wall);
  return problem;
}

/// A random tree of joints of all types with random convex shapes, among random obstacles.
inline Problem randomProblem(Random& random) {
  RandomRobotOptions options;
  options.joints = random.integer(2, 7);
  const RobotModel bare = randomRobot(random, options);
  const auto shape = [&](double size) -> Shape {
    const Vec3 d(random.logUniform(0.1, 1.0), random.logUniform(0.1, 1.0),
                 random.logUniform(0.1, 1.0));
    switch (random.integer(0, 4)) {
      case 0:
        return Sphere(0.4 * size * d[0]);
      case 1:
        return Capsule(0.2 * size * d[0], size * d[1]);
      case 2:
        return Box(size * d);
      case 3:
        return Cylinder(0.3 * size * d[0], size * d[1]);
      default: {
        std::vector<Vec3> points;
        for (int i = 0; i < 12; ++i) points.push_back(random.vector(0.5 * size));
        return ConvexMesh(points);
      }
    }
  };
  RobotModel::Data data;
  data.name = bare.name();
  data.links = bare.links();
  data.joints = bare.joints();
  data.coordinates = bare.coordinates();
  for (Link& link : data.links) {
    if (random.chance(0.7)) link.collision.push_back({shape(0.3), random.pose(0.15)});
  }
  for (int l = 1; l < static_cast<int>(data.links.size()); ++l) {
    const int parent = data.joints[data.links[l].parent_joint].parent_link;
    data.disabled_pairs.push_back({parent, l, "Adjacent"});
  }
  Problem problem;
  problem.name = "random";
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  const int n = problem.robot->dimension();
  for (int k = 0; k < n; ++k) {
    if (random.chance(0.8)) problem.planned.push_back(k);
  }
  problem.start = random.vectorX(n, 1.0);
  problem.goal = JointTarget{problem.planned, problem.plannedPart(problem.start)};
  for (int i = 0; i < 4; ++i) {
    Obstacle obstacle;
    obstacle.id = "obstacle" + std::to_string(i);
    obstacle.X_WO = random.pose(1.2);
    obstacle.geometry = {{shape(0.5), random.pose(0.1)}};
    problem.obstacles.push_back(obstacle);
  }
  problem.collision.margin = random.chance(0.5) ? 0.0 : random.logUniform(1e-4, 1e-1);
  return problem;
}

/// The arm from the path's first row to its last one, alone.
inline Problem freeProblem(const MatX& path, bool wraps = false) {
  Problem problem = wallProblem(wraps);
  problem.obstacles.clear();
  problem.collision.allowed = {{"link0", "link2"}};
  problem.start = path.col(0);
  problem.goal = JointTarget{{0, 1, 2}, path.col(path.cols() - 1)};
  problem.duration.max = 1e4;
  return problem;
}

}  // namespace allclear::test
