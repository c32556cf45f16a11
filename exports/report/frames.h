#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/planner/certificate/geometry.h"
#include "allclear/planner/problem.h"
#include "allclear/trajectories/trajectory.h"

namespace allclear {

/// The instants that a report shows: samples of a trajectory, or single configurations with labels.
struct ReportFrames {
  std::vector<double> times;            ///< [s]; zeros for single configurations
  std::vector<VecX> q;                  ///< of the whole robot
  std::vector<std::string> labels;      ///< of single configurations, else empty
  std::vector<std::vector<Pose>> X_WL;  ///< link poses by frame

  int count() const { return static_cast<int>(q.size()); }
  bool isMotion() const { return labels.empty(); }
};

/// Samples at 60 per second, from 61 to 601 of them, and at the given instants within the motion.
/// Times ascend.
ReportFrames motionFrames(const Problem& problem, const Trajectory& trajectory,
                          const std::vector<double>& instants = {});

/// Start and, when the task gives its configuration, goal.
ReportFrames endFrames(const Problem& problem);

/// The goal's configuration, when the task gives it.
std::optional<VecX> goalConfiguration(const Problem& problem);

/// World pose of a body's frame (that of its link or obstacle) at a frame.
Pose bodyPose(const Problem& problem, const CertifiedBody& body, const ReportFrames& frames,
              int frame);

/// Position, velocity, acceleration, jerk and torque of the joints at the frames of a motion; one
/// row per planned coordinate. `wrenches`, when not null, is the curve of the forces at the
/// contacts, which bear a part of the torques.
struct ReportJoints {
  MatX position, velocity, acceleration, jerk, torque;
};
ReportJoints reportJoints(const Problem& problem, const Trajectory& trajectory,
                          const Trajectory* wrenches, const ReportFrames& frames);

}  // namespace allclear
