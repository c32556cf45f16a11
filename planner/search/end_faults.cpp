// Finds causes of failure that the start, the goal, the waypoints and the duration show by
// themselves, before anything is solved: contact, a violated path constraint, a load that a joint
// cannot bear, a limit before which it cannot stop, a joint that is too slow. Each check returns a
// sentence for the user, or nothing; the first sentence wins.
//
// Only certain statements are made: obstacles that move count at a goal only if the time of the end
// is known, torques are those of the velocities and accelerations that start and goal are given
// (waypoints have none), and coordinates that wrap may turn either way.
#include "allclear/planner/search/end_faults.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/problem/contact_projection.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/end_margin.h"
#include "allclear/planner/problem/held_error.h"
#include "allclear/planner/problem/line.h"
#include "allclear/planner/problem/reach.h"
#include "allclear/planner/problem/uncertainty.h"
#include "allclear/planner/program/state_demands.h"
#include "allclear/planner/program/static_wrenches.h"
#include "allclear/planner/search/end_contacts.h"
#include "allclear/planner/search/verdict.h"

namespace allclear {
namespace {

/// Enough for a hint: a motion of one turn is seen every 6 degrees. A power of two: the samples are
/// taken in the order of halves, quarters, .., so that an early end has seen all parts of the line.
constexpr int kSamplesOfStraightLine = 64;
/// Violations of a path constraint (of order one) below this are rounding of the task's numbers.
constexpr double kConstraintSlack = 1e-6;
/// [m or rad] what the certificate allows held poses and lines (`path_tolerance`).
constexpr double kHeldSlack = 1e-6;
/// Relative: durations and stopping distances are computed by roots and quotients.
constexpr double kDurationRounding = 1e-9;
/// Pairs in contact that a message names.
constexpr std::size_t kShownPairs = 3;
/// Torques may exceed their limit by this share: the certificate's tolerance is of that order.
constexpr double kTorqueSlack = 1e-6;

/// The checks of one problem.
class EndChecks {
 public:
  EndChecks(const Problem& problem, const ClearanceEvaluator& evaluator, bool contacts_too)
      : problem_(problem),
        evaluator_(evaluator),
        workspace_(evaluator),
        contacts_too_(contacts_too) {}

  std::string run() {
    // Poses have no configuration yet, and partial waypoints leave room: only full ones are
    // checked.
    const VecX start = problem_.plannedPart(problem_.start);
    std::string fault = at("start", start, 0.0);
    if (fault.empty())
      fault = overload("start", start, problem_.start_velocity, problem_.start_acceleration);
    if (fault.empty()) fault = limitTooNear(true, start);
    // Of a line the search says how far it can be followed.
    if (fault.empty() && lineToGoal(problem_) == nullptr) fault = outOfReachOf(problem_.goal);
    if (fault.empty()) fault = runAtGoal();
    for (std::size_t i = 0; fault.empty() && i < problem_.waypoints.size(); ++i) {
      const Waypoint& waypoint = problem_.waypoints[i];
      const auto* joints = std::get_if<JointTarget>(&waypoint.target);
      if (joints == nullptr || joints->coordinates != problem_.planned) continue;
      fault = at("waypoint " + std::to_string(i + 1), joints->values, waypoint.time);
    }
    return fault;
  }

  std::string runAtGoal() {
    const auto* goal = std::get_if<JointTarget>(&problem_.goal);
    if (goal == nullptr) return "";
    const std::string fault = offContact(goal->values);
    return fault.empty() ? atTheGoal(goal->values) : fault;
  }

 private:
  std::string atTheGoal(const VecX& goal) {
    std::string fault = at("goal", goal, timeOfTheGoal());
    if (fault.empty()) {
      fault = overload("goal", goal, problem_.goal_velocity, problem_.goal_acceleration);
    }
    if (fault.empty()) fault = limitTooNear(false, goal);
    return fault.empty() ? durationFault(problem_, goal) : fault;
  }

  /// A pose that the robot is too short for.
  std::string outOfReachOf(const Target& target) const {
    std::vector<PoseTarget> poses;
    if (const auto* pose = std::get_if<PoseTarget>(&target)) poses = {*pose};
    if (const auto* posture = std::get_if<PostureTarget>(&target)) poses = posture->poses;
    for (const PoseTarget& pose : poses) {
      const std::string fault = outOfReach(problem_, pose);
      if (!fault.empty()) return "the goal is out of reach: " + fault + ".";
    }
    return "";
  }

  std::string at(const std::string& what, const VecX& q, std::optional<double> t) {
    std::string fault = contact(what, q, t);
    if (fault.empty() && contacts_too_) fault = cable(what, q, t);
    return fault.empty() ? pathConstraint(what, q) : fault;
  }

  /// A cable that is taut or that may touch a body. (The certificate alone sees meshes more closely
  /// than by pieces.)
  std::string cable(const std::string& what, const VecX& q, std::optional<double> t) const {
    const std::string fault = cableFault(problem_, q, t);
    return fault.empty() ? ""
                         : "at the " + what + ", " + fault + ". Move the " + what +
                               ", change the cable's length or clips, or name what it may touch "
                               "(cables: allowed).";
  }

  /// Bodies that are too near. The planner's geometry finds them at once; the certificate's, which
  /// may be finer, says which they are and how near.
  std::string contact(const std::string& what, const VecX& q, std::optional<double> t) {
    if (!contacts_too_) return "";
    const Clearance c = evaluator_.atRest(q, t, workspace_);
    if (c.pair < 0 || c.upper >= c.demand) return "";
    const std::vector<PairDistance> pairs =
        contactsAt(problem_, certifiedGeometry(problem_), problem_.configuration(q), t);
    std::string text = "at the " + what + ", ";
    if (pairs.empty()) {  // what strays, or capsules in the place of links
      const CollisionModel& model = evaluator_.model();
      const CollisionPair& pair = model.pairs[c.pair];
      return text + contactText(model, c) + "; " +
             contactAdvice(problem_, what,
                           {model.bodies[pair.a].name, model.bodies[pair.b].name, c.upper,
                            pair.margin, false}) +
             ".";
    }
    for (std::size_t i = 0; i < std::min(kShownPairs, pairs.size()); ++i) {
      text += (i == 0 ? "" : ", ") + pairText(pairs[i]);
    }
    if (pairs.size() > kShownPairs) {
      text += ", and " + std::to_string(pairs.size() - kShownPairs) + " more";
    }
    return text + "; " + contactAdvice(problem_, what, pairs.front()) + ".";
  }

  /// A contact that the goal puts elsewhere than the start: no curve between them keeps it.
  std::string offContact(const VecX& goal) {
    PoseError pose_error(problem_, evaluator_.builder().kinematics());
    for (const PoseTarget& contact : contactTargets(problem_)) {
      const PoseError::Vec6 off = pose_error.error(contact, goal, nullptr);
      const double drift = off.head<3>().norm(), turn = off.tail<3>().norm();
      if (drift <= contact.position_tolerance && !(turn > contact.angle_tolerance)) continue;
      return "at the goal, the contact of '" + problem_.robot->links()[contact.link].name +
             "' is " + number(drift) + " m" +
             (std::isfinite(contact.angle_tolerance) ? " and " + number(turn) + " rad" : "") +
             " from where the start puts it. Put the goal onto the contacts (contacts), or loosen "
             "the tolerance of that contact.";
    }
    return "";
  }

  /// A held pose or a line that is not kept, and by how much.
  std::string held(const std::string& what, const VecX& q) const {
    const HeldErrors held(problem_);
    const Kinematics& kinematics = evaluator_.builder().kinematics();
    Kinematics::Workspace workspace = kinematics.makeWorkspace();
    std::vector<Pose> X_WL;
    kinematics.linkPoses(problem_.configuration(q), workspace, X_WL);
    for (int constraint : held.constraints()) {
      const HeldError off = held.of(constraint, kinematics, workspace, X_WL, false);
      const double place = off.position.norm(), turn = off.turn.norm();
      // Written so that NaN is off.
      const bool is_off = off.isPlaced() && !(place <= off.position_tolerance + kHeldSlack);
      const bool is_turned = off.isOriented() && !(turn <= off.angle_tolerance + kHeldSlack);
      if (!is_off && !is_turned) continue;
      const double by = is_off ? place : turn;
      const double limit = is_off ? off.position_tolerance : off.angle_tolerance;
      return "at the " + what +
             ", a path constraint is not kept: " + held.name(constraint, !is_off) + " is off by " +
             number(by) + (is_off ? " m" : " rad") + ", beyond its tolerance of " + number(limit) +
             ". Move the " + what + ", or loosen the constraint.";
    }
    return "";
  }

  std::string pathConstraint(const std::string& what, const VecX& q) {
    if (problem_.path_constraints.empty()) return "";
    const std::string fault = held(what, q);
    if (!fault.empty()) return fault;
    // Demands at rest, with no torque among them.
    Problem without_torque = problem_;
    without_torque.limits.torque = false;
    without_torque.contacts.clear();
    without_torque.cables.clear();  // `cableFault` says more of them
    std::erase_if(without_torque.path_constraints, [](const PathConstraint& constraint) {
      return std::holds_alternative<KeepPose>(constraint) ||
             std::holds_alternative<KeepOnLine>(constraint);  // `held` has looked at them
    });
    StateDemands demands(without_torque, evaluator_.builder().kinematics());
    const VecX rest = VecX::Zero(q.size());
    VecX values(demands.count());
    demands.values(q, rest, rest, {}, &values);
    for (int d = 0; d < demands.count(); ++d) {
      if (values[d] >= -kConstraintSlack) continue;
      return "at the " + what + ", a path constraint is not kept: " + demands.name(d) +
             ". Move the " + what + ", or loosen the constraint.";
    }
    return "";
  }

  /// Torques or contacts that no forces at the contacts keep within their limits.
  std::string beyondForces(const std::string& what, const VecX& q, const VecX& velocity,
                           const VecX& acceleration) {
    const VecX zero = VecX::Zero(q.size());
    const VecX& v = velocity.size() > 0 ? velocity : zero;
    const VecX& a = acceleration.size() > 0 ? acceleration : zero;
    ContactDemands demands(problem_);
    VecX values(demands.count());
    demands.values(q, v, a, bestWrenches(problem_, q, v, a), values);
    Eigen::Index worst = 0;
    if (values.size() == 0 || values.minCoeff(&worst) >= -kTorqueSlack) return "";
    return "at the " + what + ", no forces at the contacts keep " +
           demands.name(static_cast<int>(worst)) + " (with the best, it is beyond its limit by " +
           number(-100.0 * values[worst]) + " %). Move the " + what +
           ", or do without torque limits (limits: torque).";
  }

  /// A joint that needs more torque than it has, in the given state.
  std::string overload(const std::string& what, const VecX& q, const VecX& velocity,
                       const VecX& acceleration) {
    if (usesWrenches(problem_)) return beyondForces(what, q, velocity, acceleration);
    if (!problem_.limits.torque) return "";
    Problem torques_only = problem_;
    torques_only.path_constraints.clear();
    torques_only.cables.clear();
    torques_only.balance.reset();
    StateDemands demands(torques_only, evaluator_.builder().kinematics());
    const VecX zero = VecX::Zero(q.size());
    VecX values(demands.count());
    demands.values(q, velocity.size() > 0 ? velocity : zero,
                   acceleration.size() > 0 ? acceleration : zero, {}, &values);
    Eigen::Index worst = 0;
    if (values.size() == 0 || values.minCoeff(&worst) >= -kTorqueSlack) return "";
    // Demands are 1 -+ torque / effort, two for each joint with a finite effort, in their order.
    const VecX effort = plannedLimits(problem_).effort;
    int joint = -1;
    for (Eigen::Index left = worst / 2; left >= 0; --left) {
      do ++joint;
      while (!std::isfinite(effort[joint]));
    }
    const Coordinate& coordinate = problem_.robot->coordinates()[problem_.planned[joint]];
    const bool rests = velocity.size() == 0 && acceleration.size() == 0;
    return "at the " + what + ", joint '" + coordinate.name + "' needs " +
           number((1.0 - values[worst]) * effort[joint]) + (coordinate.is_angle ? " N m" : " N") +
           (rests ? " to hold still" : " at the given velocity and acceleration") +
           ", and its limit is " + number(effort[joint]) + ". Move the " + what +
           ", carry less, or do without the limit (limits: torque).";
  }

  /// A joint that cannot stop before its limit when it starts; or, with time turned round, cannot
  /// have come to the goal's velocity since its limit.
  std::string limitTooNear(bool at_start, const VecX& q) const {
    const VecX& velocity = at_start ? problem_.start_velocity : problem_.goal_velocity;
    const VecX& acceleration = at_start ? problem_.start_acceleration : problem_.goal_acceleration;
    if (velocity.size() == 0) return "";
    const PlannedLimits limits = plannedLimits(problem_);
    for (int i = 0; i < problem_.plannedCount(); ++i) {
      const Coordinate& coordinate = problem_.robot->coordinates()[problem_.planned[i]];
      // Seen with time turned round, the goal is left with the opposite velocity.
      const double v = at_start ? velocity[i] : -velocity[i];
      const double a = acceleration.size() > 0 ? acceleration[i] : 0.0;
      const double room = v > 0.0 ? limits.upper[i] - q[i] : q[i] - limits.lower[i];
      if (v == 0.0 || !std::isfinite(room)) continue;
      const double needed =
          stoppingDistance(std::abs(v), v > 0.0 ? a : -a, limits.acceleration[i], limits.jerk[i]);
      if (needed <= room + kDurationRounding * (1.0 + needed)) continue;
      const std::string unit = coordinate.is_angle ? " rad" : " m";
      return "joint '" + coordinate.name + "' " + (at_start ? "starts at " : "is to arrive at ") +
             number(velocity[i]) + unit + "/s and needs " + number(needed) + unit +
             (at_start ? " to stop at" : " to come to that from rest at") +
             " its limits of acceleration and jerk, but its position limit is " + number(room) +
             unit + " away. Lower the velocity, or move the " + (at_start ? "start." : "goal.");
    }
    return "";
  }

  /// When the motion ends, as far as obstacles can tell: when the duration is fixed, and when all
  /// of them have come to rest before the motion may end.
  std::optional<double> timeOfTheGoal() const {
    if (problem_.duration.isFixed()) return problem_.duration.min;
    for (const Obstacle& obstacle : problem_.obstacles) {
      if (obstacle.moves() && obstacle.lastChange() > problem_.duration.min) {
        return std::nullopt;
      }
    }
    return problem_.duration.min;
  }

  const Problem& problem_;
  const ClearanceEvaluator& evaluator_;
  ClearanceEvaluator::Workspace workspace_;
  bool contacts_too_;
};

}  // namespace

std::string durationFault(const Problem& problem, const VecX& goal) {
  const PlannedLimits limits = plannedLimits(problem);
  const auto isZero = [](const VecX& v) { return v.size() == 0 || v.isZero(0.0); };
  const bool rests = isZero(problem.start_velocity) && isZero(problem.goal_velocity);
  double longest = 0.0;
  int slowest = -1;
  for (int i = 0; i < problem.plannedCount(); ++i) {
    const Coordinate& coordinate = problem.robot->coordinates()[problem.planned[i]];
    if (coordinate.wraps) continue;  // may go either way round
    const double way = std::abs(goal[i] - problem.start[problem.planned[i]]);
    const double v = limits.velocity[i], a = limits.acceleration[i];
    // At full speed all the way; from rest to rest the fastest motion accelerates, cruises if the
    // way is longer than v^2/a, and brakes.
    double needed = way / v;
    if (rests) needed = way * a > v * v ? way / v + v / a : 2.0 * std::sqrt(way / a);
    if (needed <= longest) continue;
    longest = needed;
    slowest = i;
  }
  if (!(longest > problem.duration.max * (1.0 + kDurationRounding))) return "";
  const Coordinate& coordinate = problem.robot->coordinates()[problem.planned[slowest]];
  return "joint '" + coordinate.name + "' needs at least " + number(longest) +
         " s from start to goal at its limits of velocity and acceleration, and the duration "
         "is " +
         (problem.duration.isFixed() ? "fixed at " : "at most ") + number(problem.duration.max) +
         " s. Raise it (duration).";
}

std::string goalFault(const ClearanceEvaluator& evaluator) {
  return EndChecks(evaluator.problem(), evaluator, true).runAtGoal();
}

std::string endFault(const Problem& problem, const ClearanceEvaluator& evaluator) {
  const std::string fault = EndChecks(problem, evaluator, true).run();
  return fault.empty() ? "" : "No plan: " + fault;
}

std::string endFaultBesideContacts(const Problem& problem, const ClearanceEvaluator& evaluator) {
  return EndChecks(problem, evaluator, false).run();
}

// Braking hardest at every instant leaves the least velocity at every instant, and so the shortest
// way. The acceleration falls at the jerk's limit to the deceleration's limit and stays there.
// With a(t) = a - J t the velocity is v + a t - J t^2 / 2 and the way v t + a t^2 / 2 - J t^3 / 6.
double stoppingDistance(double velocity, double acceleration, double acceleration_limit,
                        double jerk_limit) {
  const double v = velocity, a = acceleration, J = jerk_limit;
  const auto way = [&](double t) { return t * (v + t * (0.5 * a - t * J / 6.0)); };
  const double stops = (a + std::sqrt(a * a + 2.0 * J * v)) / J;  // while the acceleration falls
  const double full = std::max(0.0, (a + acceleration_limit) / J);
  if (stops <= full) return way(stops);
  const double left = v + full * (a - 0.5 * J * full);
  return way(full) + left * left / (2.0 * acceleration_limit);
}

std::string straightWayText(const ClearanceEvaluator& evaluator, const VecX& goal,
                            const RunContext& context) {
  const CollisionModel& model = evaluator.model();
  ClearanceEvaluator::Workspace workspace(evaluator);
  const VecX start = evaluator.problem().plannedPart(evaluator.problem().start);
  std::optional<Clearance> worst;
  const auto excess = [](const Clearance& c) { return c.upper - c.demand; };
  // Halves, then quarters, ..: the odd multiples are the points that are new.
  bool ended = false;
  for (int parts = 2; parts <= kSamplesOfStraightLine && !ended; parts *= 2) {
    for (int i = 1; i < parts && !ended; i += 2) {
      ended = context.mustEnd();
      if (ended) continue;
      const double s = static_cast<double>(i) / parts;
      const Clearance c = evaluator.atRest(start + s * (goal - start), std::nullopt, workspace);
      if (c.pair >= 0 && (!worst || excess(c) < excess(*worst))) worst = c;
    }
  }
  const bool is_blocked = worst && excess(*worst) < 0.0;
  if (ended && !is_blocked) return "There was no time to look at what stands in the way.";
  if (!is_blocked) return "";
  return std::string("On the straight way") +
         (ended ? ", as far as there was time to look, " : " ") + contactText(model, *worst) + ".";
}

}  // namespace allclear
