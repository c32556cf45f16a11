#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "allclear/planner/problem.h"
#include "allclear/planner/problem/line.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// How far a frame is from the pose that it is held at, or from the pose of its line.
struct HeldError {
  Vec3 position = Vec3::Zero();  ///< [m] in the world
  Vec3 turn = Vec3::Zero();      ///< rotation vector [rad] in the frame where it is to be
  MatX by_q;                     ///< 6 x planned coordinates, of both; empty when not asked for
  double position_tolerance = 0.0;
  double angle_tolerance = 0.0;

  bool isPlaced() const { return position_tolerance < HUGE_VAL; }
  bool isOriented() const { return angle_tolerance < HUGE_VAL; }
  /// The larger share of a tolerance.
  double use() const;
};

/// Errors of the held poses and lines of a problem, with exact gradients: what the planner's rows
/// and projections need. Of a line, the stretch with the least error counts, and its progress
/// follows the pose (`LinePath::smoothProgress`).
///
/// Immutable; the problem is to outlive it.
class HeldErrors {
 public:
  explicit HeldErrors(const Problem& problem);

  /// Indices into `Problem::path_constraints`, ascending.
  const std::vector<int>& constraints() const { return constraints_; }

  /// At the configuration that `workspace` holds, whose link poses are `X_WL`.
  HeldError of(int constraint, const Kinematics& kinematics, const Kinematics::Workspace& workspace,
               const std::vector<Pose>& X_WL, bool with_gradients) const;

  /// "'hand': held position" or the like; of `angle` that of the orientation.
  std::string name(int constraint, bool angle) const;

 private:
  HeldError ofPose(const KeepPose& keep, const Kinematics& kinematics,
                   const Kinematics::Workspace& workspace, const std::vector<Pose>& X_WL,
                   bool with_gradients) const;
  HeldError ofLine(const LinePath& path, const Kinematics& kinematics,
                   const Kinematics::Workspace& workspace, const std::vector<Pose>& X_WL,
                   bool with_gradients) const;

  const Problem& problem_;
  std::vector<int> constraints_;
  std::vector<std::vector<LinePath>> lines_;  ///< by path constraint: one of a line, else none
};

}  // namespace allclear
