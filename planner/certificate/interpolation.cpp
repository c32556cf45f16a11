// What can be demanded of a trajectory, given how a controller goes from row to row.
//
// Straight lines between rows turn corners: the velocity jumps there, which takes an infinite
// acceleration. What the drives make of it is not in the rows, so no limit of acceleration, jerk or
// torque can be proven, and none is claimed. Cubic pieces shift this by one derivative. Positions,
// and with them all distances, are proven as for any other curve.
#include "allclear/planner/certificate/interpolation.h"

#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/core/stop_scope.h"

namespace allclear {
namespace {

/// The greatest jump of a derivative: between two pieces, or from what the robot does before the
/// start or is to do at the goal.
struct Jump {
  double size = 0.0;
  int joint = 0;
  double t = 0.0;
};

/// Pre: wanted is empty (at rest) or has an entry for each coordinate.
void addEnd(const Trajectory& trajectory, int order, double t, const VecX& wanted, Jump* most) {
  const VecX value = trajectory.value(t, order);
  for (int k = 0; k < trajectory.dimension(); ++k) {
    const double size = std::abs(value[k] - (wanted.size() > 0 ? wanted[k] : 0.0));
    if (size > most->size) *most = {size, k, t};
  }
}

Jump greatestJump(const Problem& problem, const Trajectory& trajectory, int order) {
  Jump most;
  const VecX& start = order == 1 ? problem.start_velocity : problem.start_acceleration;
  const VecX& goal = order == 1 ? problem.goal_velocity : problem.goal_acceleration;
  addEnd(trajectory, order, 0.0, start, &most);
  // Within a piece nothing jumps. Where two meet, the values are their outer Bernstein
  // coefficients.
  StopSteps steps;
  for (int i = 0; i + 1 < trajectory.spanCount(); ++i) {
    steps.step();
    const MatX before = trajectory.derivativeSpan(i, order).control();
    const MatX after = trajectory.derivativeSpan(i + 1, order).control();
    for (int k = 0; k < trajectory.dimension(); ++k) {
      const double size = std::abs(after(k, 0) - before(k, before.cols() - 1));
      if (size > most.size) most = {size, k, trajectory.spanTime(i).upper};
    }
  }
  addEnd(trajectory, order, trajectory.duration(), goal, &most);
  return most;
}

std::string leftOpen(const char* demands, const char* pieces, const char* quantity,
                     const std::string& joint, const Jump& jump) {
  return formatted("%s (%s between its rows: the %s of '%s' jumps by %.4g at t = %.6g s)", demands,
                   pieces, quantity, joint.c_str(), jump.size, jump.t);
}

}  // namespace

int requiredContinuity(const Trajectory& trajectory) {
  const HermiteCurve* rows = trajectory.hermite();
  return rows == nullptr ? 2 : rows->givenOrder();
}

std::vector<std::string> demandsLeftOpen(const Problem& problem, const Trajectory& trajectory) {
  const int continuity = requiredContinuity(trajectory);
  if (continuity == 2) return {};
  const Jump jump = greatestJump(problem, trajectory, continuity + 1);
  const std::string& joint = problem.robot->coordinates()[problem.planned[jump.joint]].name;
  if (continuity == 1) {
    return {leftOpen("jerk, acceleration at the ends and continuity of acceleration", "cubic",
                     "acceleration", joint, jump)};
  }
  std::vector<std::string> demands{
      leftOpen("acceleration, jerk, velocity at the ends and continuity of velocity", "linear",
               "velocity", joint, jump)};
  if (problem.limits.torque) demands.push_back("torque (linear between its rows)");
  if (problem.balance && problem.balance->criterion == Balance::Criterion::kZmp) {
    demands.push_back("balance in motion (linear between its rows)");
  }
  return demands;
}

}  // namespace allclear
