// Turns round the joints between a link and the base.
//
// Symbols: P parent and C child of a joint, J its frame in P, M(axis, q) its motion. Downward the
// joint says X_PC = X_PJ M(axis, q). Upward, X_CP = M(-axis, q) X_PJ^-1: a joint of the opposite
// axis at the origin of C that carries a massless link Q, and P fixed to Q by X_PJ^-1.
#include "allclear/robot_models/kinematics/rerooted.h"

#include <algorithm>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

/// A name that no link or joint has yet: the wanted one, with a prime for each that has it.
template <class Items>
std::string freshName(std::string name, const Items& items) {
  while (std::any_of(items.begin(), items.end(), [&](const auto& i) { return i.name == name; })) {
    name += "'";
  }
  return name;
}

/// What the name of a link on a joint that was turned round ends in.
constexpr const char* kTurned = " turned";

class Rerooting {
 public:
  Rerooting(const RobotModel& robot, int link, const Pose& X_WF)
      : old_(robot.data()), data_(robot.data()), link_of_(robot.links().size(), -1) {
    const int base = floatingBase(robot);
    ALLCLEAR_ASSERT(base >= 0 && link > 0);
    data_.links.clear();
    data_.joints.clear();
    joint_of_.assign(old_.joints.size(), -1);
    addLink(0, -1);
    Joint floating = old_.joints[base];
    floating.X_PJ = X_WF;
    addChild(base, floating, 0, link);
    addBelow(link, -1);
    turnRound(link);
  }

  RerootedRobot take() {
    for (Coordinate& c : data_.coordinates) c.joint = joint_of_[c.joint];
    for (Group& group : data_.groups) {
      for (int& link : group.links) link = link_of_[link];
      std::sort(group.links.begin(), group.links.end());
    }
    for (DisabledPair& pair : data_.disabled_pairs) {
      const auto [a, b] = std::minmax({link_of_[pair.link_a], link_of_[pair.link_b]});
      pair.link_a = a;
      pair.link_b = b;
    }
    return {RobotModel(std::move(data_)), std::move(link_of_)};
  }

 private:
  int addLink(int old_link, int parent_joint) {
    link_of_[old_link] = static_cast<int>(data_.links.size());
    data_.links.push_back(old_.links[old_link]);
    data_.links.back().parent_joint = parent_joint;
    return link_of_[old_link];
  }

  /// Hangs a link of the original by a joint that stands for joint `old_joint`, or for none.
  void addChild(int old_joint, Joint joint, int parent, int old_link) {
    const auto index = static_cast<int>(data_.joints.size());
    if (old_joint >= 0) joint_of_[old_joint] = index;
    joint.parent_link = parent;
    joint.child_link = addLink(old_link, index);
    data_.joints.push_back(std::move(joint));
  }

  /// Everything below a link of the original, but for what is below one of its joints.
  void addBelow(int old_link, int but_joint) {
    for (std::size_t j = 0; j < old_.joints.size(); ++j) {
      const Joint& joint = old_.joints[j];
      if (joint.parent_link != old_link || static_cast<int>(j) == but_joint) continue;
      addChild(static_cast<int>(j), joint, link_of_[old_link], joint.child_link);
      addBelow(joint.child_link, -1);
    }
  }

  /// The joint above a link, its parent, and all that hangs on that: up to the old base.
  void turnRound(int old_link) {
    const int above = old_.links[old_link].parent_joint;
    const Joint& joint = old_.joints[above];
    if (joint.parent_link == 0) return;  // the floating joint
    Link frame;
    frame.name = freshName(joint.name + kTurned, old_.links);
    frame.parent_joint = static_cast<int>(data_.joints.size());
    Joint turned = joint;
    turned.X_PJ = Pose();
    turned.axis = -joint.axis;
    turned.parent_link = link_of_[old_link];
    turned.child_link = static_cast<int>(data_.links.size());
    joint_of_[above] = frame.parent_joint;
    const int at = turned.child_link;
    data_.links.push_back(std::move(frame));
    data_.joints.push_back(std::move(turned));
    Joint origin;
    origin.name = freshName(joint.name + " origin", old_.joints);
    origin.X_PJ = joint.X_PJ.inverse();
    addChild(-1, origin, at, joint.parent_link);
    addBelow(joint.parent_link, above);
    turnRound(joint.parent_link);
  }

  const RobotModel::Data& old_;
  RobotModel::Data data_;
  std::vector<int> link_of_;
  std::vector<int> joint_of_;  ///< by joint of the original
};

}  // namespace

int baseBeforeRerooting(const RobotModel& robot) {
  const int floating = floatingBase(robot);
  ALLCLEAR_ASSERT(floating >= 0);
  // Up the chain that was turned round: its joints' origins, of which each is on the one before.
  int base = robot.joints()[floating].child_link;
  for (const Joint& joint : robot.joints()) {
    const int above = robot.links()[joint.parent_link].parent_joint;
    const bool is_origin =
        above >= 0 && joint.type == JointType::kFixed &&
        robot.links()[joint.parent_link].name.starts_with(robot.joints()[above].name + kTurned) &&
        robot.joints()[above].parent_link == base;
    if (is_origin) base = joint.child_link;
  }
  return base;
}

int floatingBase(const RobotModel& robot) {
  int base = -1;
  for (std::size_t j = 0; j < robot.joints().size(); ++j) {
    const Joint& joint = robot.joints()[j];
    if (joint.parent_link != 0) continue;
    if (base >= 0 || joint.type != JointType::kFloating) return -1;
    base = static_cast<int>(j);
  }
  return base;
}

RerootedRobot rerooted(const RobotModel& robot, int link, const Pose& X_WF) {
  return Rerooting(robot, link, X_WF).take();
}

}  // namespace allclear
