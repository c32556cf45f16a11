#include "allclear/planner/problem.h"

#include <cmath>
#include <numbers>

#include "allclear/distance/solid_and_shell.h"

namespace allclear {
namespace {

/// The entry of a vector of overrides; the default where the vector is empty or the entry is NaN.
double givenOr(const VecX& given, int i, double fallback) {
  return i < given.size() && !std::isnan(given[i]) ? given[i] : fallback;
}

/// Adds whole turns to wrapping coordinates until each is within half a turn of q.
void turnNearestTo(const VecX& q, const RobotModel& robot, JointTarget& target) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (std::size_t k = 0; k < target.coordinates.size(); ++k) {
    const int c = target.coordinates[k];
    if (!robot.coordinates()[c].wraps) continue;
    target.values[k] -= kTurn * std::round((target.values[k] - q[c]) / kTurn);
  }
}

}  // namespace

bool PoseTarget::hasFreePosition() const {
  return position_axes.freeCount() == 3 ||
         (std::isinf(position_tolerance) && position_axes.most.array().isInf().all());
}

bool PoseTarget::hasFreeAngle() const {
  return angle_axes.freeCount() == 3 ||
         (std::isinf(angle_tolerance) && angle_axes.most.array().isInf().all());
}

VecX Problem::plannedPart(const VecX& q) const {
  VecX part(plannedCount());
  for (int i = 0; i < plannedCount(); ++i) part[i] = q[planned[i]];
  return part;
}

VecX Problem::configuration(const VecX& q_planned) const {
  VecX q = start;
  for (int i = 0; i < plannedCount(); ++i) q[planned[i]] = q_planned[i];
  return q;
}

bool isRestToRest(const Problem& problem) {
  const auto isZero = [](const VecX& v) { return v.size() == 0 || v.isZero(0.0); };
  return isZero(problem.start_velocity) && isZero(problem.start_acceleration) &&
         isZero(problem.goal_velocity) && isZero(problem.goal_acceleration);
}

PlannedLimits plannedLimits(const Problem& problem) {
  const int n = problem.plannedCount();
  PlannedLimits out{VecX(n), VecX(n), VecX(n), VecX(n), VecX(n), VecX(n)};
  const LimitSettings& set = problem.limits;
  for (int i = 0; i < n; ++i) {
    const int c = problem.planned[i];
    const Coordinate& coordinate = problem.robot->coordinates()[c];
    // Defaults of acceleration and jerk scale with the speed (see LimitSettings).
    const double velocity = givenOr(set.velocity, c, coordinate.velocity);
    const double reference = std::isfinite(coordinate.velocity) ? coordinate.velocity
                             : std::isfinite(velocity)          ? velocity
                                                       : LimitSettings::kVelocityWhenUnlimited;
    out.lower[i] = coordinate.lower;
    out.upper[i] = coordinate.upper;
    out.velocity[i] = set.max_velocity_scaling_factor * velocity;
    out.acceleration[i] =
        set.max_acceleration_scaling_factor *
        givenOr(set.acceleration, c, LimitSettings::kAccelerationPerVelocity * reference);
    out.jerk[i] = givenOr(set.jerk, c, LimitSettings::kJerkPerVelocity * reference);
    // No limit stands for a number too: what is planned and proven is finite.
    if (std::isinf(out.jerk[i])) out.jerk[i] = out.acceleration[i] / LimitSettings::kSwitch;
    out.effort[i] = set.torque ? coordinate.effort : std::numeric_limits<double>::infinity();
  }
  return out;
}

void chooseNearestTurns(Problem& problem) {
  // q is where the chain of targets has come so far.
  VecX q = problem.start;
  const auto visit = [&](Target& target) {
    auto* joints = std::get_if<JointTarget>(&target);
    if (joints == nullptr) return;
    turnNearestTo(q, *problem.robot, *joints);
    for (std::size_t k = 0; k < joints->coordinates.size(); ++k) {
      q[joints->coordinates[k]] = joints->values[k];
    }
  };
  for (Waypoint& waypoint : problem.waypoints) visit(waypoint.target);
  visit(problem.goal);
  auto* any = std::get_if<AnyTarget>(&problem.goal);
  if (any == nullptr) return;
  for (GoalAlternative& alternative : any->alternatives) {
    auto* joints = std::get_if<JointTarget>(&alternative.target);
    if (joints != nullptr) turnNearestTo(q, *problem.robot, *joints);
  }
}

std::vector<MeshStance> meshStances(const std::string& body,
                                    const std::vector<Geometry>& geometry) {
  std::vector<MeshStance> stances;
  for (const Geometry& part : geometry) {
    const auto* mesh = std::get_if<TriangleMesh>(&part.shape);
    if (mesh == nullptr) continue;
    const SolidAndShell& parts = solidAndShellOf(*mesh);
    stances.push_back(
        {body, mesh->triangles().size(), closednessText(parts), stanceText(parts, mesh->open()),
         parts.open_parts == 0 && parts.closed_holes.empty(), !parts.closed_holes.empty(),
         parts.open_parts > 0 && mesh->open() != OpenMeshes::kFill});
  }
  return stances;
}

std::vector<MeshStance> meshStances(const Problem& problem) {
  std::vector<MeshStance> all;
  const auto add = [&](const std::string& body, const std::vector<Geometry>& geometry) {
    const std::vector<MeshStance> stances = meshStances(body, geometry);
    all.insert(all.end(), stances.begin(), stances.end());
  };
  for (const Link& link : problem.robot->links()) add(link.name, link.collision);
  for (const AttachedObject& object : problem.attached) add(object.id, object.geometry);
  for (const Obstacle& obstacle : problem.obstacles) add(obstacle.id, obstacle.geometry);
  return all;
}

}  // namespace allclear
