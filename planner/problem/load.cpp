#include "allclear/planner/problem/load.h"

#include <algorithm>

#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {

std::shared_ptr<const RobotModel> loadedRobot(const Problem& problem) {
  const auto weighs = [](const AttachedObject& object) {
    return object.inertia && object.inertia->mass > 0.0;
  };
  if (std::none_of(problem.attached.begin(), problem.attached.end(), weighs)) return problem.robot;
  RobotModel::Data data = problem.robot->data();
  for (const AttachedObject& object : problem.attached) {
    if (!weighs(object)) continue;
    Inertia& inertia = data.links[object.link].inertia;
    inertia = combined(inertia, *object.inertia);
  }
  return std::make_shared<const RobotModel>(std::move(data));
}

}  // namespace allclear
