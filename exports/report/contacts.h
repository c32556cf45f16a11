#pragma once

#include <string>
#include <vector>

#include "allclear/exports/report/frames.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {

/// One contact of the robot with its surroundings, and what acts on the robot there.
struct ReportContact {
  std::string name;            ///< of the link
  PlacedContact placed;        ///< kind, size, friction, margin, and its place at the start
  std::vector<Vec3> force;     ///< by frame, world axes [N]; empty where no curve gives it
  std::vector<Vec3> moment;    ///< by frame, about the contact's origin, world axes [N m]
  std::vector<Vec3> pressure;  ///< by frame, world: a sole's centre of pressure, a point's place
};

/// The contacts of a motion, and what presses on them together.
struct ReportContacts {
  std::vector<ReportContact> contacts;
  double weight = 0.0;  ///< of the robot with what it carries [N]; 0 unless the robot stands
  /// By frame, world: the centre of pressure of all contacts together in the plane of the contact
  /// that the robot stands on; NaN where nothing presses on it. Empty unless the robot stands.
  std::vector<Vec3> zero_moment;
};

/// The contacts of a problem, without forces.
ReportContacts contactPlaces(const Problem& problem);

/// What acts at the contacts at the frames of a motion. `wrenches`, when not null, is the curve of
/// the contacts besides the base, as `ContactSet` orders it; the base bears the rest. Without that
/// curve only a robot that stands on a single contact has forces.
ReportContacts reportContacts(const Problem& problem, const Trajectory& trajectory,
                              const Trajectory* wrenches, const ReportFrames& frames);

/// Takes from `tau` [N m or N] what the wrenches of the contacts besides the base do for each
/// coordinate. `workspace` holds the configuration, and `wrenches` is the curve's value there.
void subtractContactForces(const ContactSet& contacts, const Kinematics& kinematics,
                           const Kinematics::Workspace& workspace, const VecX& wrenches, VecX* tau);

}  // namespace allclear
