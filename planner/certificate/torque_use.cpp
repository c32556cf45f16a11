// Torques of a plan whose task does not limit them, against the ratings of the URDF. Nobody asked,
// but a drive that cannot follow leaves the certified motion: so the verdict says it.
#include "allclear/planner/certificate/torque_use.h"

#include <cmath>

#include "allclear/core/formatted.h"
#include "allclear/core/stop_scope.h"
#include "allclear/planner/certificate/interpolation.h"
#include "allclear/planner/problem/claims.h"
#include "allclear/planner/problem/load.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// Instants in each span, both of its ends among them: a torque is smooth within a span.
constexpr int kSamplesPerSpan = 8;
/// A torque at its limit is beyond it by rounding (relative).
constexpr double kSlack = 1e-6;

/// Whether torques of this motion say anything about its drives.
bool hasMeaning(const Problem& problem, const Trajectory& trajectory) {
  if (problem.limits.torque || requiredContinuity(trajectory) == 0) return false;
  if (!problem.contacts.empty() || !massFindings(problem).empty()) return false;
  for (const Joint& joint : problem.robot->joints()) {
    if (joint.type == JointType::kFloating) return false;  // the ground holds it, not the joint
  }
  return true;
}

}  // namespace

std::optional<TorqueUse> torqueBeyondRating(const Problem& problem, const Trajectory& trajectory) {
  if (!hasMeaning(problem, trajectory)) return std::nullopt;
  const std::shared_ptr<const RobotModel> robot = loadedRobot(problem);
  const Kinematics kinematics(*robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  VecX v = VecX::Zero(robot->dimension()), a = v, tau = v;
  std::optional<TorqueUse> worst;
  double most = 1.0 + kSlack;  // share of the effort limit
  for (int span = 0; span < trajectory.spanCount(); ++span) {
    throwIfStopped();
    const Interval time = trajectory.spanTime(span);
    for (int i = 0; i < kSamplesPerSpan; ++i) {
      const double t = time.lower + time.length() * i / (kSamplesPerSpan - 1);
      const VecX velocity = trajectory.value(t, 1), acceleration = trajectory.value(t, 2);
      for (int k = 0; k < problem.plannedCount(); ++k) {
        v[problem.planned[k]] = velocity[k];
        a[problem.planned[k]] = acceleration[k];
      }
      kinematics.inverseDynamics(problem.configuration(trajectory.value(t)), v, a, workspace, tau);
      for (int k = 0; k < problem.plannedCount(); ++k) {
        const Coordinate& coordinate = robot->coordinates()[problem.planned[k]];
        const double needed = std::abs(tau[problem.planned[k]]);
        if (!(coordinate.effort > 0.0) || !(needed > most * coordinate.effort)) continue;
        most = needed / coordinate.effort;
        worst = {coordinate.name, needed, coordinate.effort, t};
      }
    }
  }
  return worst;
}

std::string torqueUseText(const Problem& problem, const TorqueUse& use) {
  bool is_angle = true;
  for (const Coordinate& coordinate : problem.robot->coordinates()) {
    if (coordinate.name == use.joint) is_angle = coordinate.is_angle;
  }
  return "'" + use.joint +
         formatted(
             "' needs %.4g %s at t = %.6g s, %.4g %% of its rating of %.4g, the most of all "
             "joints at sampled instants; torques are not limited here (limits: torque)",
             use.torque, is_angle ? "N m" : "N", use.t, 100.0 * use.torque / use.effort,
             use.effort);
}

}  // namespace allclear
