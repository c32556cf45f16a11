#pragma once

#include <map>
#include <string>

#include "allclear/core/pose.h"
#include "allclear/core/text/value.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// The frames in which poses may be given: the world (`world` or the root link's name), the robot's
/// links where the start configuration puts them, and frames that a scene file defines.
class Frames {
 public:
  Frames(const RobotModel& robot, const VecX& q_start);

  /// Defines or redefines a frame. The names of links and of the world mean what they mean: an
  /// error at `name` where the pose says something else of them.
  void define(const Value& name, const Pose& X_WF);

  /// Defines a frame whose name is nothing yet.
  void defineIfNew(const std::string& name, const Pose& X_WF);

  /// The same frames with the links where this configuration puts them.
  Frames at(const VecX& q) const;

  /// The pose X_WF of the frame that the value names (a leading slash is dropped, an empty name is
  /// the world); an error with the nearest name when there is none.
  Pose find(const Value& name) const;

  const Pose& link(int index) const { return X_WL_[index]; }

 private:
  const RobotModel& robot_;
  std::vector<Pose> X_WL_;
  std::map<std::string, Pose> defined_;
};

}  // namespace allclear
