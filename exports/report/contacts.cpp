// The forces at the contacts of a standing robot.
//
// The curve of wrenches w_c belongs to the contacts besides the base: force F_c and, for a sole,
// moment M_c about a fixed point p_c of the world. The whole force F and moment M about the world's
// origin that the motion needs follow from the robot's momentum alone (`groundReaction`). The base
// bears the rest, so with its own fixed point p_0
//   F_0 = F - sum F_c,   M_0 = M - sum (M_c + p_c x F_c) - p_0 x F_0.
// The joints' torques are those without contacts less J_c^T w_c of each contact, J_c the Jacobian
// of the link at p_c.
#include "allclear/exports/report/contacts.h"

#include <limits>

#include "allclear/planner/problem/load.h"
#include "allclear/planner/problem/support_polygon.h"

namespace allclear {
namespace {

/// Force and moment of one contact in a value of the curve; a point has no moment.
Wrench wrenchOf(const PlacedContact& contact, const VecX& wrenches) {
  Wrench out;
  out.force = wrenches.segment<3>(contact.first_wrench);
  if (contact.rows() == 6) out.moment = wrenches.segment<3>(contact.first_wrench + 3);
  return out;
}

/// A wrench about the contact's origin as one about the world's.
Wrench aboutWorld(const PlacedContact& contact, const Wrench& wrench) {
  return {wrench.force, wrench.moment + contact.X_WC.p.cross(wrench.force)};
}

Vec3 nowhere() { return Vec3::Constant(std::numeric_limits<double>::quiet_NaN()); }

/// Where a contact is pressed on: the zero-moment point of its wrench in its plane.
Vec3 pressureOf(const PlacedContact& contact, const Wrench& about_contact) {
  if (contact.rows() == 3) return contact.X_WC.p;
  const Vec3 up = contact.X_WC.R.col(2);
  return zeroMomentPoint(aboutWorld(contact, about_contact), contact.X_WC.p, up)
      .value_or(nowhere());
}

/// Adds one frame: the wrenches that the curve gives, and the base's.
void addForces(const Wrench& whole, const VecX& wrenches, std::vector<ReportContact>* contacts) {
  Wrench rest = whole;
  ReportContact* base = nullptr;
  const auto add = [](ReportContact& contact, const Wrench& wrench) {
    contact.force.push_back(wrench.force);
    contact.moment.push_back(wrench.moment);
    contact.pressure.push_back(pressureOf(contact.placed, wrench));
  };
  for (ReportContact& contact : *contacts) {
    if (contact.placed.is_base) base = &contact;
    if (contact.placed.first_wrench < 0) continue;
    const Wrench wrench = wrenchOf(contact.placed, wrenches);
    const Wrench about_world = aboutWorld(contact.placed, wrench);
    rest.force -= about_world.force;
    rest.moment -= about_world.moment;
    add(contact, wrench);
  }
  const Vec3 p_0 = base->placed.X_WC.p;
  add(*base, {rest.force, rest.moment - p_0.cross(rest.force)});
}

}  // namespace

ReportContacts contactPlaces(const Problem& problem) {
  const ContactSet set(problem);
  ReportContacts out;
  for (const PlacedContact& placed : set.all()) {
    out.contacts.push_back({problem.robot->links()[placed.contact.link].name, placed, {}, {}, {}});
  }
  return out;
}

ReportContacts reportContacts(const Problem& problem, const Trajectory& trajectory,
                              const Trajectory* wrenches, const ReportFrames& frames) {
  const ContactSet set(problem);
  ReportContacts out = contactPlaces(problem);
  const PlacedContact* base = set.base();
  if (base == nullptr) return out;
  // The robot stands: the whole force, and where the curve or a lone contact allows it, each one.
  const std::shared_ptr<const RobotModel> robot = loadedRobot(problem);
  const Kinematics kinematics(*robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  out.weight = robotWeight(*robot);
  const bool has_forces = wrenches != nullptr || set.wrenchCount() == 0;
  VecX v = VecX::Zero(robot->dimension()), a = v;
  for (int f = 0; f < frames.count(); ++f) {
    const double t = frames.times[f];
    const VecX v_planned = trajectory.value(t, 1), a_planned = trajectory.value(t, 2);
    for (int i = 0; i < problem.plannedCount(); ++i) {
      v[problem.planned[i]] = v_planned[i];
      a[problem.planned[i]] = a_planned[i];
    }
    const Wrench whole = kinematics.groundReaction(frames.q[f], v, a, workspace);
    const Vec3 up = base->X_WC.R.col(2);
    out.zero_moment.push_back(zeroMomentPoint(whole, base->X_WC.p, up).value_or(nowhere()));
    if (has_forces) addForces(whole, wrenches ? wrenches->value(t) : VecX(), &out.contacts);
  }
  return out;
}

void subtractContactForces(const ContactSet& contacts, const Kinematics& kinematics,
                           const Kinematics::Workspace& workspace, const VecX& wrenches,
                           VecX* tau) {
  Jacobian J(6, tau->size());
  for (const PlacedContact& contact : contacts.all()) {
    if (contact.first_wrench < 0) continue;
    const Wrench wrench = wrenchOf(contact, wrenches);
    J.setZero();
    kinematics.pointJacobian(workspace, contact.contact.link, contact.X_WC.p, J);
    tau->noalias() -= J.topRows<3>().transpose() * wrench.force;
    tau->noalias() -= J.bottomRows<3>().transpose() * wrench.moment;
  }
}

}  // namespace allclear
