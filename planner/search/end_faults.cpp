// Finds causes of failure that the start, the goal, the waypoints and the duration show by
// themselves, before anything is solved: contact, a violated path constraint, a joint that is too
// slow. Each check returns a sentence for the user, or nothing; the first sentence wins.
//
// Only certain statements are made: obstacles that move count at a goal only if the time of the end
// is known, torque limits are left out as they also depend on velocity and acceleration, and
// coordinates that wrap may turn either way.
#include "allclear/planner/search/end_faults.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/program/state_demands.h"
#include "allclear/planner/search/verdict.h"

namespace allclear {
namespace {

/// Enough for a hint: a motion of one turn is seen every 7 degrees.
constexpr int kSamplesOfStraightLine = 50;
/// Violations of a path constraint (of order one) below this are rounding of the task's numbers.
constexpr double kConstraintSlack = 1e-6;
/// Relative: durations are computed by roots and quotients.
constexpr double kDurationRounding = 1e-9;

std::string pairName(const CollisionModel& model, int pair) {
  return "'" + model.bodies[model.pairs[pair].a].name + "' and '" +
         model.bodies[model.pairs[pair].b].name + "'";
}

/// The checks of one problem.
class EndChecks {
 public:
  EndChecks(const Problem& problem, const ClearanceEvaluator& evaluator)
      : problem_(problem), evaluator_(evaluator), workspace_(evaluator) {}

  std::string run() {
    // Poses have no configuration yet, and partial waypoints leave room: only full ones are
    // checked.
    std::string fault = at("start", problem_.plannedPart(problem_.start), 0.0);
    const auto* goal = std::get_if<JointTarget>(&problem_.goal);
    if (fault.empty() && goal != nullptr) {
      fault = at("goal", goal->values, timeOfTheGoal());
      if (fault.empty()) fault = durationTooShort(goal->values);
    }
    for (std::size_t i = 0; fault.empty() && i < problem_.waypoints.size(); ++i) {
      const Waypoint& waypoint = problem_.waypoints[i];
      const auto* joints = std::get_if<JointTarget>(&waypoint.target);
      if (joints == nullptr || joints->coordinates != problem_.planned) continue;
      fault = at("waypoint " + std::to_string(i + 1), joints->values, waypoint.time);
    }
    return fault;
  }

 private:
  std::string at(const std::string& what, const VecX& q, std::optional<double> t) {
    const std::string fault = contact(what, q, t);
    return fault.empty() ? pathConstraint(what, q) : fault;
  }

  std::string contact(const std::string& what, const VecX& q, std::optional<double> t) {
    const Clearance c = evaluator_.atRest(q, t, workspace_);
    if (c.pair < 0 || c.upper >= c.demand) return "";
    return "No plan: at the " + what + ", " + contactText(evaluator_.model(), c) + ". Move the " +
           what + ", or lower the margin of that pair (collision.pair_margins)" +
           (problem_.uncertainty.isZero() ? "." : " or the uncertainty.");
  }

  std::string pathConstraint(const std::string& what, const VecX& q) {
    if (problem_.path_constraints.empty()) return "";
    // Demands at rest, with no torque among them.
    Problem without_torque = problem_;
    without_torque.limits.torque = false;
    StateDemands demands(without_torque, evaluator_.builder().kinematics());
    const VecX rest = VecX::Zero(q.size());
    VecX values(demands.count());
    demands.values(q, rest, rest, &values);
    for (int d = 0; d < demands.count(); ++d) {
      if (values[d] >= -kConstraintSlack) continue;
      return "No plan: at the " + what + ", a path constraint is not kept: " + demands.name(d) +
             ". Move the " + what + ", or loosen the constraint.";
    }
    return "";
  }

  /// When the motion ends, as far as obstacles can tell: when the duration is fixed, and when all
  /// of them have come to rest before the motion may end.
  std::optional<double> timeOfTheGoal() const {
    if (problem_.duration.isFixed()) return problem_.duration.min;
    for (const Obstacle& obstacle : problem_.obstacles) {
      if (obstacle.moves() && obstacle.motion.back().time > problem_.duration.min) {
        return std::nullopt;
      }
    }
    return problem_.duration.min;
  }

  /// A joint that its velocity limit (and, from rest to rest, its acceleration limit) keeps from
  /// covering its way in time.
  std::string durationTooShort(const VecX& goal) const {
    const PlannedLimits limits = plannedLimits(problem_);
    const auto isZero = [](const VecX& v) { return v.size() == 0 || v.isZero(0.0); };
    const bool rests = isZero(problem_.start_velocity) && isZero(problem_.goal_velocity);
    double longest = 0.0;
    int slowest = -1;
    for (int i = 0; i < problem_.plannedCount(); ++i) {
      const Coordinate& coordinate = problem_.robot->coordinates()[problem_.planned[i]];
      if (coordinate.wraps) continue;  // may go either way round
      const double way = std::abs(goal[i] - problem_.start[problem_.planned[i]]);
      const double v = limits.velocity[i], a = limits.acceleration[i];
      // At full speed all the way; from rest to rest the fastest motion accelerates, cruises if the
      // way is longer than v^2/a, and brakes.
      double needed = way / v;
      if (rests) needed = way * a > v * v ? way / v + v / a : 2.0 * std::sqrt(way / a);
      if (needed <= longest) continue;
      longest = needed;
      slowest = i;
    }
    if (!(longest > problem_.duration.max * (1.0 + kDurationRounding))) return "";
    const Coordinate& coordinate = problem_.robot->coordinates()[problem_.planned[slowest]];
    return "No plan: joint '" + coordinate.name + "' needs at least " + number(longest) +
           " s from start to goal at its limits of velocity and acceleration, and the duration "
           "is " +
           (problem_.duration.isFixed() ? "fixed at " : "at most ") +
           number(problem_.duration.max) + " s. Raise it (duration).";
  }

  const Problem& problem_;
  const ClearanceEvaluator& evaluator_;
  ClearanceEvaluator::Workspace workspace_;
};

}  // namespace

std::string contactText(const CollisionModel& model, const Clearance& c) {
  if (c.upper < 0.0) {
    return pairName(model, c.pair) + " are " + number(-c.upper) + " m deep in each other";
  }
  const double margin = model.pairs[c.pair].margin;
  return pairName(model, c.pair) + " are " + number(c.upper) +
         " m apart, less than the margin of " + number(margin) + " m" +
         (c.demand > margin ? " and the " + number(c.demand - margin) + " m that may stray" : "");
}

std::string endFault(const Problem& problem, const ClearanceEvaluator& evaluator) {
  return EndChecks(problem, evaluator).run();
}

std::string straightWayText(const ClearanceEvaluator& evaluator, const VecX& goal) {
  const CollisionModel& model = evaluator.model();
  ClearanceEvaluator::Workspace workspace(evaluator);
  const VecX start = evaluator.problem().plannedPart(evaluator.problem().start);
  std::optional<Clearance> worst;
  const auto excess = [](const Clearance& c) { return c.upper - c.demand; };
  for (int i = 1; i < kSamplesOfStraightLine; ++i) {
    const double s = static_cast<double>(i) / kSamplesOfStraightLine;
    const Clearance c = evaluator.atRest(start + s * (goal - start), std::nullopt, workspace);
    if (c.pair >= 0 && (!worst || excess(c) < excess(*worst))) worst = c;
  }
  if (!worst || excess(*worst) >= 0.0) return "";
  return "On the straight way " + contactText(model, *worst) + ".";
}

}  // namespace allclear
