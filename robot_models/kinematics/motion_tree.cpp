// A robot as scalar motions, one node each.
//
// Joints become chains of nodes: a revolute or prismatic joint one; a planar one slides along two
// axes of its plane and turns about its normal; a floating one slides along x, y, z and turns about
// z, y, x (R = Rz(yaw) Ry(pitch) Rx(roll)). A fixed joint makes no node: its link is mounted on the
// node above it. A node's axis is an axis of its own frame N: where the joint's axis is not, N is
// turned so that its z is, and the links on it are mounted with the inverse turn, so no pose
// changes.
//
// Nodes are in depth-first order: every subtree is a contiguous range of indices, and a parent
// comes before its children. The inertias of all links on a node are combined into one body.
#include "allclear/robot_models/kinematics/motion_tree.h"

#include <algorithm>
#include <cmath>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

/// A rotation that takes z to the unit vector `axis`.
Mat3 rotationFromZ(const Vec3& axis) {
  return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), axis).toRotationMatrix();
}

/// Index of the coordinate axis that `axis` equals up to sign, or -1.
int alignedAxis(const Vec3& axis) {
  for (int i = 0; i < 3; ++i) {
    if (std::fabs(axis[i]) == 1.0) return i;
  }
  return -1;
}

bool isIdentity(const Pose& X) { return X.R == Mat3::Identity() && X.p == Vec3::Zero(); }

/// Joints so that subtrees are contiguous: depth first, siblings in the model's order.
std::vector<int> depthFirstJoints(const RobotModel& model) {
  std::vector<std::vector<int>> children(model.links().size());
  for (int j = 0; j < static_cast<int>(model.joints().size()); ++j) {
    children[model.joints()[j].parent_link].push_back(j);
  }
  // A stack pops its last entry: children are pushed in reverse.
  std::vector<int> order;
  std::vector<int> stack(children[0].rbegin(), children[0].rend());
  while (!stack.empty()) {
    const int joint = stack.back();
    stack.pop_back();
    order.push_back(joint);
    const auto& next = children[model.joints()[joint].child_link];
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  return order;
}

}  // namespace

Inertia combined(const Inertia& a, const Inertia& b) {
  if (a.mass == 0.0 && a.I_C.isZero(0.0)) return b;
  if (b.mass == 0.0 && b.I_C.isZero(0.0)) return a;
  // The parallel-axis theorem (Steiner) brings both to the common centre of mass.
  Inertia sum;
  sum.mass = a.mass + b.mass;
  sum.p_LC = sum.mass > 0.0 ? Vec3((a.mass * a.p_LC + b.mass * b.p_LC) / sum.mass) : a.p_LC;
  sum.I_C = a.I_C + b.I_C;
  for (const Inertia* part : {&a, &b}) {
    const Vec3 d = part->p_LC - sum.p_LC;
    sum.I_C += part->mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  }
  return sum;
}

Inertia expressedIn(const Pose& X_AB, const Inertia& inertia_B) {
  return {inertia_B.mass, X_AB * inertia_B.p_LC, X_AB.R * inertia_B.I_C * X_AB.R.transpose()};
}

MotionTree::MotionTree(const RobotModel& model)
    : mounts_(model.links().size()), dimension_(model.dimension()) {
  mounts_[0].is_identity = true;
  for (int j : depthFirstJoints(model)) addJoint(model, model.joints()[j]);
  for (const Coordinate& c : model.coordinates()) rotors_.push_back(c.rotor_inertia.value_or(0.0));

  for (std::size_t l = 0; l < mounts_.size(); ++l) {
    LinkMount& mount = mounts_[l];
    mount.is_identity = isIdentity(mount.X_NL);
    const Inertia inertia = expressedIn(mount.X_NL, model.links()[l].inertia);
    Inertia& body = mount.node < 0 ? world_inertia_ : nodes_[mount.node].inertia;
    body = combined(body, inertia);
  }
  // From the leaves, so that a node's last descendant is known when its parent asks for it.
  std::vector<int> users(dimension_, 0);
  for (int i = nodeCount() - 1; i >= 0; --i) {
    MotionNode& node = nodes_[i];
    node.has_inertia = node.inertia.mass != 0.0 || !node.inertia.I_C.isZero(0.0);
    node.last_descendant = std::max(node.last_descendant, i);
    if (node.parent >= 0) {
      MotionNode& parent = nodes_[node.parent];
      parent.last_descendant = std::max(parent.last_descendant, node.last_descendant);
    }
    ++users[node.coordinate];
  }
  has_mimics_ = std::any_of(users.begin(), users.end(), [](int n) { return n > 1; }) ||
                std::any_of(nodes_.begin(), nodes_.end(),
                            [](const MotionNode& n) { return n.multiplier != 1.0; });
}

LinkMount MotionTree::addNode(const LinkMount& on, const Pose& X_LF, const Vec3& axis, bool turns,
                              int coordinate, double multiplier, double offset) {
  MotionNode node;
  node.parent = on.node;
  node.X_PF = on.X_NL * X_LF;
  node.turns = turns;
  node.coordinate = coordinate;
  node.multiplier = multiplier;
  node.offset = offset;
  LinkMount mount;
  node.axis = alignedAxis(axis);
  if (node.axis >= 0) {
    // Against the axis: turn or slide by the negative variable.
    const double sign = axis[node.axis];
    node.multiplier *= sign;
    node.offset *= sign;
  } else {
    // Turn the frame so that the axis becomes z, and turn back for what is mounted on it.
    const Mat3 R = rotationFromZ(axis);
    node.axis = 2;
    node.X_PF.R = node.X_PF.R * R;
    mount.X_NL.R = R.transpose();
  }
  mount.node = nodeCount();
  nodes_.push_back(node);
  return mount;
}

void MotionTree::addJoint(const RobotModel& model, const Joint& joint) {
  LinkMount mount = mounts_[joint.parent_link];
  Pose X_LF = joint.X_PJ;
  // Puts one motion on top of what is there; only the first of a joint has the joint's own offset.
  const auto add = [&](const Vec3& axis, bool turns, int coordinate, double multiplier,
                       double offset) {
    mount = addNode(mount, X_LF, axis, turns, coordinate, multiplier, offset);
    X_LF = Pose{};
  };
  const int first = joint.first_coordinate;
  switch (joint.type) {
    case JointType::kFixed:
      mount.X_NL = mount.X_NL * X_LF;
      break;
    case JointType::kRevolute:
    case JointType::kContinuous:
    case JointType::kPrismatic: {
      const Mimic motion = joint.mimic.value_or(Mimic{first, 1.0, 0.0});
      add(joint.axis, joint.type != JointType::kPrismatic, motion.coordinate, motion.multiplier,
          motion.offset);
      break;
    }
    case JointType::kFloating:
      for (int i = 0; i < 3; ++i) add(Vec3::Unit(i), false, first + i, 1.0, 0.0);
      for (int i = 2; i >= 0; --i) add(Vec3::Unit(i), true, first + 3 + i, 1.0, 0.0);
      break;
    case JointType::kPlanar: {
      const Mat3 R = rotationFromZ(joint.axis);
      add(R.col(0), false, first, 1.0, 0.0);
      add(R.col(1), false, first + 1, 1.0, 0.0);
      add(joint.axis, true, first + 2, 1.0, 0.0);
      break;
    }
  }
  ALLCLEAR_ASSERT(model.links()[joint.child_link].parent_joint >= 0);
  mounts_[joint.child_link] = mount;
}

std::vector<int> MotionTree::pathTo(int node) const {
  std::vector<int> path;
  for (int i = node; i >= 0; i = nodes_[i].parent) path.push_back(i);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace allclear
