#pragma once

#include <memory>
#include <string>

#include "allclear/robot_models/robot_model.h"

namespace allclear::bench {

/// The robot with masses for links whose URDF has none, where this bench knows some: the usual
/// Panda's, from its sphere-covered twin in the shared data (rounded by its authors, not the
/// maker's). Other robots come back as they are.
inline std::shared_ptr<const RobotModel> withKnownMasses(std::shared_ptr<const RobotModel> robot) {
  struct Known {
    const char* link;
    double mass;
    Vec3 com;
  };
  static const Known kPanda[] = {
      {"panda_link0", 2.9, {0.0, 0.0, 0.05}},         {"panda_link1", 2.7, {0.0, -0.04, -0.05}},
      {"panda_link2", 2.73, {0.0, -0.04, 0.06}},      {"panda_link3", 2.04, {0.01, 0.01, -0.05}},
      {"panda_link4", 2.08, {-0.03, 0.03, 0.02}},     {"panda_link5", 3.0, {0.0, 0.04, -0.12}},
      {"panda_link6", 1.3, {0.04, 0.0, 0.0}},         {"panda_link7", 0.2, {0.0, 0.0, 0.08}},
      {"panda_hand", 0.81, {0.0, 0.0, 0.04}},         {"panda_leftfinger", 0.1, {0.0, 0.01, 0.02}},
      {"panda_rightfinger", 0.1, {0.0, -0.01, 0.02}},
  };
  constexpr double kMoment = 0.1;  // [kg m^2] of every link, as there
  RobotModel::Data data = robot->data();
  bool changed = false;
  for (Link& link : data.links) {
    if (link.inertia.mass > 0.0) continue;
    for (const Known& known : kPanda) {
      if (link.name != known.link) continue;
      link.inertia = {known.mass, known.com, kMoment * Mat3::Identity()};
      link.inertia_is_given = changed = true;
    }
  }
  return changed ? std::make_shared<const RobotModel>(std::move(data)) : robot;
}

}  // namespace allclear::bench
