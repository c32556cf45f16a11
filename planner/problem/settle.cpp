// Makes of a task with contacts the problem that is planned, and says what does not fit together.
#include "allclear/planner/problem/settle.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/robot_models/kinematics/rerooted.h"

namespace allclear {
namespace {

/// [rad or m] Joint goals are moved by so much at most: what numbers with five decimals are off by,
/// and more than which somebody may have meant.
constexpr double kRounding = 1e-4;
/// [rad or m] Smaller moves are of the rounding of the arithmetic: no word is lost about them.
constexpr double kSilent = 1e-9;

// Soles that are nearly flat on the plane of the first one were meant to be: beyond the default
// tolerances of drift, and up to a step of a centimetre or a tenth of a radian.
constexpr double kOffPlane = 1e-4, kOnStep = 1e-2;    // [m]
constexpr double kOffFlat = 8.7e-4, kOnSlope = 1e-1;  // [rad]

std::string shown(double value) { return formatted("%.3g", value); }

/// Warns of soles that the start puts nearly, but not quite, flat on the plane of the first one.
void warnOfSoles(const Problem& problem, std::vector<std::string>* warnings) {
  const ContactSet contacts(problem);
  const PlacedContact* first = nullptr;
  for (const PlacedContact& placed : contacts.all()) {
    if (placed.contact.kind != Contact::Kind::kFlat) continue;
    if (first == nullptr) {
      first = &placed;
      continue;
    }
    const Vec3 up = first->X_WC.R.col(2);
    const double cosine = std::clamp(up.dot(placed.X_WC.R.col(2)), -1.0, 1.0);
    // Farther off than a step or a slope: meant so.
    const double tilt = std::acos(cosine);
    const double step = std::abs(up.dot(placed.X_WC.p - first->X_WC.p));
    if (tilt > kOnSlope || step > kOnStep || (tilt <= kOffFlat && step <= kOffPlane)) continue;
    const auto& links = problem.robot->links();
    warnings->push_back("contacts: at the start the sole of '" + links[placed.contact.link].name +
                        "' is " + shown(tilt) + " rad and " + shown(step) +
                        " m off the plane of '" + links[first->contact.link].name +
                        "', and is kept there; `start_state: {project: true}` puts it on the "
                        "plane");
  }
}

/// Warns when the base's values at a joint goal put contacts elsewhere than its joints do.
void warnOfBase(const Problem& problem, std::vector<std::string>* warnings) {
  const auto* goal = std::get_if<JointTarget>(&problem.goal);
  if (goal == nullptr || goal->coordinates != problem.planned) return;
  // A goal that names joints alone has the base of the start, and means nothing by it.
  const int base = floatingBase(*problem.robot);
  const int first = problem.robot->joints()[base].first_coordinate;
  const VecX q = problem.configuration(goal->values);
  if (q.segment<6>(first) == problem.start.segment<6>(first)) return;
  const Kinematics kinematics(*problem.robot);
  PoseError pose_error(problem, kinematics);
  for (const PoseTarget& contact : contactTargets(problem)) {
    const PoseError::Vec6 off = pose_error.error(contact, goal->values, nullptr);
    const double drift = off.head<3>().norm(), turn = off.tail<3>().norm();
    if (drift <= contact.position_tolerance && !(turn > contact.angle_tolerance)) continue;
    warnings->push_back("goal: its values put the contact of '" +
                        problem.robot->links()[contact.link].name + "' " + shown(drift) +
                        " m and " + shown(turn) +
                        " rad from where the start puts it; the values of the joints count, and "
                        "the base follows from them");
    return;
  }
}

/// Puts a joint goal that is off by rounding alone onto the contacts.
void settleGoal(JointTarget* goal, Problem* problem) {
  if (goal->coordinates != problem->planned) return;
  const Kinematics kinematics(*problem->robot);
  ContactProjection projection(*problem, kinematics);
  VecX on = goal->values;
  if (!projection.isNeeded() || !projection.project(&on)) return;
  const double moved = (on - goal->values).cwiseAbs().maxCoeff();
  if (moved > kRounding) return;  // more than rounding: the planner says how far it is off
  goal->values = on;
  if (moved <= kSilent) return;
  problem->warnings.push_back("goal: joints moved by up to " + shown(moved) +
                              " rad onto the contacts");
}

void settleGoals(Problem* problem) {
  if (auto* goal = std::get_if<JointTarget>(&problem->goal)) settleGoal(goal, problem);
  auto* any = std::get_if<AnyTarget>(&problem->goal);
  if (any == nullptr) return;
  for (GoalAlternative& alternative : any->alternatives) {
    if (auto* goal = std::get_if<JointTarget>(&alternative.target)) settleGoal(goal, problem);
  }
}

}  // namespace

Problem settledOnContacts(const Problem& problem) {
  if (problem.contacts.empty()) return problem;
  Problem settled = standOn(problem);
  warnOfSoles(problem, &settled.warnings);
  if (settled.planned.size() != problem.planned.size()) warnOfBase(problem, &settled.warnings);
  settleGoals(&settled);
  return settled;
}

}  // namespace allclear
