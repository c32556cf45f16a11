#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/planner/clearance/evaluator.h"
#include "allclear/planner/posture/posture.h"

namespace allclear {

/// What there is to say of a posture.
struct PostureFigures {
  struct PoseOff {
    std::string link;
    double position = 0.0;  ///< [m] from its place; 0 where that is free
    double angle = 0.0;     ///< [rad]
  };
  /// On the robot, in the axes of the world: [N], and [N m] about the contact frame's origin.
  struct ContactForce {
    std::string link;
    Vec3 force = Vec3::Zero();
    Vec3 moment = Vec3::Zero();
  };
  struct Pair {
    std::string a, b;
    double distance = 0.0, demand = 0.0;  ///< [m]
  };

  std::vector<PoseOff> poses;
  std::vector<ContactForce> forces;  ///< by contact; empty where the task asks for no forces
  std::vector<Pair> clearances;      ///< nearer than 0.15 m beyond their demand, the least first
  std::vector<std::pair<std::string, double>> demands;  ///< [of their limit] the least first
  /// Where the old base of a robot that stands is, and the name of its joint: x, y, z, roll, pitch,
  /// yaw.
  std::optional<std::pair<std::string, VecX>> base;
};

/// `target` names the poses to measure; may be null.
PostureFigures postureFigures(const ClearanceEvaluator& evaluator, const PostureTarget* target,
                              const Posture& posture);

/// The posture of given planned coordinates, with the best forces at rest.
Posture postureAt(const Problem& problem, const VecX& q);

}  // namespace allclear
