#include "allclear/planner/problem/contacts.h"

#include "allclear/planner/problem/support_polygon.h"
#include "allclear/robot_models/kinematics.h"

namespace allclear {
namespace {

/// Whether the link hangs on the world by the floating joint itself, which no plan moves.
bool hangsOnWorld(const Problem& problem, int link) {
  const Link& carried = problem.robot->links()[link];
  if (carried.parent_joint < 0) return false;
  const Joint& joint = problem.robot->joints()[carried.parent_joint];
  return joint.type == JointType::kFloating && joint.parent_link == problem.robot->rootLink();
}

}  // namespace

ContactSet::ContactSet(const Problem& problem) {
  if (problem.contacts.empty()) return;
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  for (const Contact& contact : problem.contacts) {
    PlacedContact placed;
    placed.contact = contact;
    placed.X_WC = X_WL[contact.link] * contact.X_LC;
    placed.is_held = !isMoved(problem, contact.link);
    placed.is_base = placed.is_held && base() == nullptr && contact.kind == Contact::Kind::kFlat &&
                     hangsOnWorld(problem, contact.link);
    if (!placed.is_base) {
      placed.first_wrench = wrench_count_;
      wrench_count_ += placed.rows();
    }
    all_.push_back(placed);
  }
}

const PlacedContact* ContactSet::base() const {
  for (const PlacedContact& contact : all_) {
    if (contact.is_base) return &contact;
  }
  return nullptr;
}

std::vector<const PlacedContact*> ContactSet::moving() const {
  std::vector<const PlacedContact*> out;
  for (const PlacedContact& contact : all_) {
    if (!contact.is_held) out.push_back(&contact);
  }
  return out;
}

std::vector<std::string> ContactSet::wrenchNames(const RobotModel& robot) const {
  static constexpr const char* kRows[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  std::vector<std::string> names;
  for (const PlacedContact& contact : all_) {
    if (contact.is_base) continue;
    const std::string& link = robot.links()[contact.contact.link].name;
    for (int i = 0; i < contact.rows(); ++i) names.push_back(link + "/" + kRows[i]);
  }
  return names;
}

bool usesWrenches(const Problem& problem) {
  if (ContactSet(problem).base() == nullptr) return false;
  return problem.limits.torque ||
         (problem.balance && problem.balance->criterion == Balance::Criterion::kForces);
}

}  // namespace allclear
