// Puts the proven bounds of forces at contacts into limits that a certificate names.
//
// A cone has 16 rows, of which people want to know three things: does the foot slip (or twist),
// does it tip over an edge of its sole, does it leave the ground. So rows of a kind become one
// limit, the least of them.
#include "allclear/planner/certificate/contact_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allclear/core/extremes.h"
#include "allclear/core/formatted.h"
#include "allclear/core/input_error.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/planner/certificate/torque.h"
#include "allclear/planner/problem/contact_cone.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A quantity that is kept where it is at least 0; without any row yet.
CertifiedLimit roomOf(const std::string& subject, const char* quantity) {
  CertifiedLimit limit;
  limit.subject = subject;
  limit.quantity = quantity;
  limit.lower = limit.upper_limit = kInfinity;
  limit.upper = -kInfinity;
  return limit;
}

/// The least room counts, so its instant is the one named.
void addRow(const DynamicsBound& row, CertifiedLimit* limit) {
  if (row.bound.lower < limit->lower) limit->t = row.t;
  limit->lower = lowered(limit->lower, row.bound.lower);
  limit->upper = raised(limit->upper, row.bound.upper);
}

/// Written so that NaN is not kept.
void finish(CertifiedLimit limit, std::vector<CertifiedLimit>* out) {
  limit.lower_limit = 0.0;
  limit.kept = limit.lower >= 0.0;
  out->push_back(std::move(limit));
}

void addRooms(const std::string& link, const ContactCone& cone,
              const ContactForceBounds::OfContact& bounds, std::vector<CertifiedLimit>* out) {
  CertifiedLimit friction = roomOf(link, "friction");
  CertifiedLimit pressure = roomOf(link, "centre of pressure");
  for (int i = 0; i < cone.count(); ++i) {
    addRow(bounds.cone[i], cone.parts[i] == ContactCone::Part::kFriction ? &friction : &pressure);
  }
  finish(std::move(friction), out);
  if (pressure.lower < kInfinity) finish(std::move(pressure), out);  // a point has no sole
  CertifiedLimit press = roomOf(link, "lift-off");
  addRow(bounds.press, &press);
  finish(std::move(press), out);
}

}  // namespace

void addTorqueLimits(const Problem& problem, const std::vector<DynamicsBound>& bounds,
                     const VecX& effort, const CertifiedLimitOptions& options,
                     std::vector<CertifiedLimit>* out) {
  for (int k = 0; k < problem.plannedCount(); ++k) {
    CertifiedLimit limit;
    limit.subject = problem.robot->coordinates()[problem.planned[k]].name;
    limit.quantity = "torque";
    limit.lower = bounds[k].bound.lower;
    limit.upper = bounds[k].bound.upper;
    limit.lower_limit = -effort[k];
    limit.upper_limit = effort[k];
    limit.t = bounds[k].t;
    // The limit's tolerance is for the rounding of curves along their limit, as for velocities.
    const double tolerance = options.limit_tolerance * std::max(1.0, effort[k]);
    limit.kept = bounds[k].bound.lower >= -effort[k] - tolerance &&
                 bounds[k].bound.upper <= effort[k] + tolerance;
    out->push_back(limit);
  }
}

std::string forcesLeftOpen(const Problem& problem, const Trajectory& trajectory,
                           const Trajectory* wrenches) {
  if (!usesWrenches(problem)) return "";
  const std::string demands =
      std::string(problem.limits.torque ? "torque limits and " : "") + "forces at the contacts";
  if (wrenches == nullptr && ContactSet(problem).wrenchCount() > 0)
    return demands + " (the trajectory has no contact wrenches)";
  if (requiredContinuity(trajectory) == 0) return demands + " (linear between its rows)";
  return "";
}

void requireMatchingWrenches(const Problem& problem, const Trajectory& trajectory,
                             const Trajectory* wrenches) {
  if (wrenches == nullptr) return;
  const int rows = ContactSet(problem).wrenchCount();
  if (wrenches->dimension() != rows) {
    throw InputError("the trajectory has " + std::to_string(wrenches->dimension()) +
                     " rows of contact wrenches where the contacts of the task have " +
                     std::to_string(rows));
  }
  if (wrenches->duration() != trajectory.duration()) {
    throw InputError("the contact wrenches last " + formatted("%f", wrenches->duration()) +
                     " s, and the trajectory " + formatted("%f", trajectory.duration()) + " s");
  }
}

void addContactLimits(const Problem& problem, const Trajectory& trajectory,
                      const Trajectory* wrenches, const CertifiedLimitOptions& options,
                      std::vector<CertifiedLimit>* out) {
  if (!usesWrenches(problem) || !forcesLeftOpen(problem, trajectory, wrenches).empty()) return;
  const ContactSet contacts(problem);
  const VecX effort = plannedLimits(problem).effort;
  const ContactForceBounds bounds =
      contactForceBounds(problem, contacts, trajectory, wrenches, effort);
  if (problem.limits.torque && (effort.array() < kInfinity).any()) {
    addTorqueLimits(problem, bounds.torques, effort, options, out);
  }
  // Of a cone only the kinds of its rows are needed here, so its weight does not matter.
  for (std::size_t i = 0; i < bounds.contacts.size(); ++i) {
    const PlacedContact& contact = contacts.all()[i];
    addRooms(problem.robot->links()[contact.contact.link].name, contactCone(contact, 1.0),
             bounds.contacts[i], out);
  }
}

}  // namespace allclear
