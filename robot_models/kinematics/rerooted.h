#pragma once

#include <vector>

#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// A robot with a floating base, hung on the world by another of its links.
struct RerootedRobot {
  RobotModel model;
  std::vector<int> link_of;  ///< by link of the original: the same link here
};

/// The robot whose floating joint carries `link` instead of the old base, with `X_WF` as that
/// joint's origin: at zero angles of the joint its six generalised forces are the force on the link
/// and the moment about the link's origin, in the axes of the link. Every joint keeps its name, its
/// coordinates and their indices, so a configuration keeps its meaning but for the six of the
/// floating joint. A joint between the link and the old base is turned round: a massless link
/// stands where its axis was.
///
/// Pre: the root link's only joint is the floating one.
RerootedRobot rerooted(const RobotModel& robot, int link, const Pose& X_WF);

/// The link that the floating joint of a re-rooted robot carried before; of any other robot, the
/// link that it carries.
int baseBeforeRerooting(const RobotModel& robot);

/// The floating joint on the root link that carries all the rest; -1 without one.
int floatingBase(const RobotModel& robot);

}  // namespace allclear
