#pragma once

#include <memory>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/trajectories/bspline.h"
#include "support/random_robot.h"

namespace allclear::test {

/// A random robot that hangs on the world by a link with a flat contact, and has one or two more
/// contacts of either kind elsewhere; all its other coordinates are planned and its torques
/// limited.
inline Problem randomStandingProblem(Random& random) {
  const RobotModel drawn = randomRobot(random, {.joints = 9, .floating_base = true});
  RobotModel::Data data = drawn.data();
  for (Joint& joint : data.joints) {
    // Nothing but the floating joint on the world, and no joint that repeats one of its
    // coordinates.
    if (&joint != &data.joints[0]) joint.parent_link = std::max(1, joint.parent_link);
    if (joint.mimic && joint.mimic->coordinate < 6) {
      joint.mimic.reset();
      joint.type = JointType::kFixed;
    }
  }
  for (Coordinate& c : data.coordinates) c.effort = random.logUniform(1.0, 1000.0);
  Problem problem;
  problem.robot = std::make_shared<const RobotModel>(std::move(data));
  problem.start = randomConfiguration(random, *problem.robot);
  problem.start.head<6>().setZero();
  for (int c = 6; c < problem.robot->dimension(); ++c) problem.planned.push_back(c);
  problem.goal = JointTarget{problem.planned, problem.plannedPart(problem.start)};
  problem.limits.torque = true;
  const int contacts = random.integer(2, 3);
  for (int i = 0; i < contacts; ++i) {
    Contact contact;
    const int last = static_cast<int>(problem.robot->links().size()) - 1;
    contact.link = i == 0 ? 1 : random.integer(2, last);
    contact.kind = i == 0 || random.chance(0.6) ? Contact::Kind::kFlat : Contact::Kind::kPoint;
    contact.X_LC = {random.rotationOfNormals(), random.vector(0.2)};
    contact.half_size = {random.uniform(0.05, 0.2), random.uniform(0.03, 0.1)};
    contact.friction = random.uniform(0.1, 1.0);
    contact.margin = random.uniform(0.0, 0.02);
    problem.contacts.push_back(contact);
  }
  return problem;
}

/// Forces and moments of the size of the weight of such robots.
inline VecX randomWrenches(Random& random, int rows) { return random.vectorX(rows, 100.0); }

}  // namespace allclear::test
