// Measures a posture anew, apart from the program that found it.
#include "allclear/planner/posture/posture_figures.h"

#include <algorithm>
#include <cmath>

#include "allclear/planner/posture/posture_rows.h"
#include "allclear/planner/problem/contacts.h"
#include "allclear/planner/problem/derived_base.h"
#include "allclear/planner/problem/load.h"
#include "allclear/planner/problem/pose_error.h"
#include "allclear/planner/program/state_demands.h"
#include "allclear/planner/program/static_wrenches.h"

namespace allclear {
namespace {

std::string linkName(const Problem& problem, int link) { return problem.robot->links()[link].name; }

/// The base's force is what is left of the ground's: moments about the world's origin, then about
/// the base contact's.
std::vector<PostureFigures::ContactForce> contactForces(const Problem& problem,
                                                        const Posture& posture) {
  std::vector<PostureFigures::ContactForce> out;
  if (!usesWrenches(problem)) return out;
  const std::shared_ptr<const RobotModel> loaded = loadedRobot(problem);
  const Kinematics kinematics(*loaded);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  const VecX rest = VecX::Zero(loaded->dimension());
  // What the whole ground supplies; each other contact takes its part of it.
  Wrench left = kinematics.groundReaction(problem.configuration(posture.q), rest, rest, workspace);
  const ContactSet contacts(problem);
  for (const PlacedContact& contact : contacts.all()) {
    out.push_back({linkName(problem, contact.contact.link), Vec3::Zero(), Vec3::Zero()});
    if (contact.is_base) continue;
    out.back().force = posture.wrenches.segment<3>(contact.first_wrench);
    if (contact.rows() == 6)
      out.back().moment = posture.wrenches.segment<3>(contact.first_wrench + 3);
    left.force -= out.back().force;
    left.moment -= out.back().moment + contact.X_WC.p.cross(out.back().force);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const PlacedContact& contact = contacts.all()[i];
    if (!contact.is_base) continue;
    out[i].force = left.force;
    out[i].moment = left.moment - contact.X_WC.p.cross(left.force);
  }
  return out;
}

/// The name before the slash of "virtual_joint/x" is that of the joint.
std::optional<std::pair<std::string, VecX>> basePose(const Problem& problem, const VecX& q) {
  const std::vector<std::string> names = derivedBaseNames(problem);
  if (names.empty()) return std::nullopt;
  return std::pair(names.front().substr(0, names.front().rfind('/')),
                   VecX(derivedBase(problem, q)));
}

}  // namespace

PostureFigures postureFigures(const ClearanceEvaluator& evaluator, const PostureTarget* target,
                              const Posture& posture) {
  const Problem& problem = evaluator.problem();
  const Kinematics& kinematics = evaluator.builder().kinematics();
  PostureFigures out;
  PoseError pose_error(problem, kinematics);
  if (target != nullptr) {
    for (const PoseTarget& pose : target->poses) {
      const PoseError::Vec6 error = pose_error.error(pose, posture.q, nullptr);
      out.poses.push_back(
          {linkName(problem, pose.link), error.head<3>().norm(), error.tail<3>().norm()});
    }
    for (const LookAtTarget& look : target->looks) {
      const double off = pose_error.error(look, posture.q, nullptr).norm();
      out.poses.push_back({linkName(problem, look.link), 0.0, off});
    }
  }
  out.forces = contactForces(problem, posture);

  // The pairs with the least room, then the demands with the least.
  ClearanceEvaluator::Workspace workspace(evaluator);
  std::vector<Clearance> near;
  evaluator.pairsAtRest(posture.q, std::nullopt, PostureRows::kCeiling, workspace, &near);
  std::stable_sort(near.begin(), near.end(), [](const Clearance& a, const Clearance& b) {
    return a.upper - a.demand < b.upper - b.demand;
  });
  for (const Clearance& c : near) {
    const CollisionPair& pair = evaluator.model().pairs[c.pair];
    out.clearances.push_back({evaluator.model().bodies[pair.a].name,
                              evaluator.model().bodies[pair.b].name, c.upper, c.demand});
  }

  StateDemands demands(problem, kinematics);
  const VecX rest = VecX::Zero(problem.plannedCount());
  VecX values;
  demands.values(posture.q, rest, rest, posture.wrenches, &values);
  for (int d = 0; d < values.size(); ++d) out.demands.emplace_back(demands.name(d), values[d]);
  std::stable_sort(out.demands.begin(), out.demands.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });

  out.base = basePose(problem, posture.q);
  return out;
}

Posture postureAt(const Problem& problem, const VecX& q) {
  Posture posture;
  posture.q = q;
  if (usesWrenches(problem)) posture.wrenches = staticWrenches(problem, q);
  return posture;
}

}  // namespace allclear
