#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "allclear/robot_models/robot_model.h"
#include "support/random.h"

namespace allclear::test {

struct RandomRobotOptions {
  int joints = 8;
  bool serial = false;
  bool mimics = true;
  bool floating_base = false;
  bool all_types = true;  ///< prismatic, planar and fixed joints too
};

/// A robot with random tree, axes (often along x, y, z), offsets, inertias and limits.
inline RobotModel randomRobot(Random& random, const RandomRobotOptions& options) {
  RobotModel::Data data;
  data.name = "random";
  data.links.push_back({"base", -1, {1.0, random.vector(0.1), Mat3::Identity()}, {}, {}});
  for (int j = 0; j < options.joints; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent_link = options.serial ? j : random.integer(std::max(0, j - 3), j);
    joint.child_link = j + 1;
    if (!random.chance(0.2)) joint.X_PJ.p = random.vector(random.logUniform(1e-3, 1.0));
    if (!random.chance(0.4)) joint.X_PJ.R = random.rotationOfNormals();
    joint.axis = random.chance(0.6)
                     ? Vec3(Vec3::Unit(random.integer(0, 2)) * (random.chance(0.5) ? 1.0 : -1.0))
                     : random.directionOfNormals();
    joint.type = JointType::kRevolute;
    const double draw = random.uniform(0.0, 1.0);
    if (options.floating_base && j == 0) {
      joint.type = JointType::kFloating;
      joint.parent_link = 0;
    } else if (options.all_types) {
      if (draw < 0.15) joint.type = JointType::kPrismatic;
      if (draw > 0.9) joint.type = JointType::kFixed;
      if (draw > 0.85 && draw < 0.9) joint.type = JointType::kPlanar;
    }
    const int wanted = joint.type == JointType::kFixed      ? 0
                       : joint.type == JointType::kFloating ? 6
                       : joint.type == JointType::kPlanar   ? 3
                                                            : 1;
    const int known = static_cast<int>(data.coordinates.size());
    if (wanted == 1 && options.mimics && known > 0 && random.chance(0.2)) {
      joint.mimic =
          Mimic{random.integer(0, known - 1), random.uniform(-2, 2), random.uniform(-1, 1)};
    } else if (wanted > 0) {
      joint.first_coordinate = known;
      for (int i = 0; i < wanted; ++i) {
        Coordinate c;
        c.name = wanted == 1 ? joint.name : joint.name + "/" + std::to_string(i);
        c.joint = j;
        c.is_angle = wanted == 6   ? i >= 3
                     : wanted == 3 ? i == 2
                                   : joint.type != JointType::kPrismatic;
        c.lower = c.is_angle ? -3.0 : -random.logUniform(1e-2, 1.0);
        c.upper = -c.lower;
        c.velocity = c.effort = std::numeric_limits<double>::infinity();
        data.coordinates.push_back(c);
      }
    }
    data.joints.push_back(joint);
    Link link{"link" + std::to_string(j), j, {}, {}, {}};
    if (!random.chance(0.2)) {
      const Mat3 R = random.rotationOfNormals();
      const Vec3 d(random.uniform(1, 2), random.uniform(1, 2), random.uniform(1, 2));
      link.inertia = {random.logUniform(0.01, 10.0), random.vector(0.3),
                      0.05 * R * d.asDiagonal() * R.transpose()};
    }
    data.links.push_back(link);
  }
  return RobotModel(std::move(data));
}

/// A random configuration within the limits (continuous and unlimited coordinates: +-pi).
inline VecX randomConfiguration(Random& random, const RobotModel& model) {
  VecX q(model.dimension());
  for (int i = 0; i < q.size(); ++i) {
    const Coordinate& c = model.coordinates()[i];
    q[i] = random.uniform(std::isfinite(c.lower) ? c.lower : -3.14,
                          std::isfinite(c.upper) ? c.upper : 3.14);
  }
  return q;
}

}  // namespace allclear::test
