// Hangs the robot of a problem on the world by the foot that it stands on, and renumbers what the
// problem says of links.
#include <algorithm>

#include "allclear/core/input_error.h"
#include "allclear/planner/problem.h"
#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/kinematics/rerooted.h"

namespace allclear {
namespace {

constexpr int kBaseCoordinates = 6;

/// Only a flat contact holds a link in all six directions, as the base of a tree must be held; a
/// point would leave the turns free.
const Contact* firstFlat(const Problem& problem) {
  for (const Contact& contact : problem.contacts) {
    if (contact.kind == Contact::Kind::kFlat) return &contact;
  }
  return nullptr;
}

/// The first of the base's six coordinates; -1 where the base does not float or is not planned.
int plannedBase(const Problem& problem) {
  const int joint = floatingBase(*problem.robot);
  if (joint < 0) return -1;
  const int first = problem.robot->joints()[joint].first_coordinate;
  const bool is_planned = std::any_of(problem.planned.begin(), problem.planned.end(), [&](int c) {
    return c >= first && c < first + kBaseCoordinates;
  });
  return is_planned ? first : -1;
}

/// Only joints of one coordinate, and fixed ones, can be turned round.
void requireTurnable(const Problem& problem, int link) {
  const RobotModel& robot = *problem.robot;
  for (int l = link; robot.links()[l].parent_joint >= 0;) {
    const Joint& joint = robot.joints()[robot.links()[l].parent_joint];
    if (joint.parent_link == robot.rootLink()) return;
    if (joint.type == JointType::kFloating || joint.type == JointType::kPlanar) {
      throw InputError({problem.source_file, 0, "contacts: link", robot.links()[link].name},
                       "cannot be stood on: the " + std::string(jointTypeName(joint.type)) +
                           " joint '" + joint.name + "' is between it and the base");
    }
    l = joint.parent_link;
  }
}

/// Leaves out entries of `values`, one per planned coordinate, that are of the base.
VecX withoutBase(const VecX& values, const std::vector<int>& planned, int base) {
  if (values.size() != static_cast<Eigen::Index>(planned.size())) return values;
  std::vector<double> kept;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (planned[i] >= base && planned[i] < base + kBaseCoordinates) continue;
    kept.push_back(values[static_cast<Eigen::Index>(i)]);
  }
  return Eigen::Map<const VecX>(kept.data(), static_cast<Eigen::Index>(kept.size()));
}

/// Renumbers links, and takes the base's coordinates out of targets.
class Renumbering {
 public:
  Renumbering(const std::vector<int>& link_of, int base) : link_of_(link_of), base_(base) {}

  void visit(int& link) const {
    if (link >= 0) link = link_of_[link];
  }
  void visit(Target& target) const {
    std::visit([this](auto& of_kind) { visit(of_kind); }, target);
  }
  void visit(AnyTarget& any) const {
    for (GoalAlternative& alternative : any.alternatives) {
      std::visit([this](auto& of_kind) { visit(of_kind); }, alternative.target);
    }
  }
  void visit(PoseTarget& pose) const { visit(pose.link); }
  void visit(PostureTarget& posture) const {
    for (PoseTarget& pose : posture.poses) visit(pose.link);
    for (LookAtTarget& look : posture.looks) visit(look.link);
    posture.weights = withoutBase(posture.weights, posture.reference.coordinates, base_);
    visit(posture.reference);
  }
  void visit(JointTarget& joints) const {
    joints.values = withoutBase(joints.values, joints.coordinates, base_);
    std::erase_if(joints.coordinates,
                  [&](int c) { return c >= base_ && c < base_ + kBaseCoordinates; });
  }
  void visit(Problem& problem) const {
    visit(problem.goal);
    for (Waypoint& waypoint : problem.waypoints) visit(waypoint.target);
    for (PathConstraint& constraint : problem.path_constraints) {
      std::visit([&](auto& c) { visit(c.link); }, constraint);
      if (auto* kept = std::get_if<KeepPose>(&constraint)) visit(kept->relative_to);
    }
    for (AttachedObject& object : problem.attached) {
      visit(object.link);
      for (int& link : object.touch_links) visit(link);
    }
    if (problem.balance) {
      for (int& link : problem.balance->support_links) visit(link);
    }
    for (Contact& contact : problem.contacts) visit(contact.link);
    for (ContactLimit& limit : problem.limits.contact) {
      for (int& link : limit.links) visit(link);
    }
    for (Cable& cable : problem.cables) {
      for (CableClip& clip : cable.clips) visit(clip.link);
    }
  }

 private:
  const std::vector<int>& link_of_;
  int base_;
};

}  // namespace

/// A floating base and a planted foot are a loop: six equations that every configuration of a plan
/// would have to meet, to rounding at best. With the foot as the root of the tree they hold by
/// construction, at every instant and exactly; the force that the foot needs is what the floating
/// joint, now between world and foot, has to carry. Its six coordinates are 0, as the pose of the
/// foot at the start has become the origin of that joint.
Problem standOn(const Problem& problem) {
  const Contact* foot = firstFlat(problem);
  const int base = foot == nullptr ? -1 : plannedBase(problem);
  if (base < 0) return problem;
  requireTurnable(problem, foot->link);
  const Kinematics kinematics(*problem.robot);
  Kinematics::Workspace workspace = kinematics.makeWorkspace();
  std::vector<Pose> X_WL;
  kinematics.linkPoses(problem.start, workspace, X_WL);
  RerootedRobot turned = rerooted(*problem.robot, foot->link, X_WL[foot->link]);

  Problem standing = problem;
  standing.robot = std::make_shared<const RobotModel>(std::move(turned.model));
  standing.start.segment<kBaseCoordinates>(base).setZero();
  for (VecX* rates : {&standing.start_velocity, &standing.start_acceleration,
                      &standing.goal_velocity, &standing.goal_acceleration}) {
    *rates = withoutBase(*rates, problem.planned, base);
  }
  std::erase_if(standing.planned, [&](int c) { return c >= base && c < base + kBaseCoordinates; });
  // Last, over all that names a link: one that was forgotten here would point to another link
  // without any error.
  Renumbering(turned.link_of, base).visit(standing);
  return standing;
}

}  // namespace allclear
