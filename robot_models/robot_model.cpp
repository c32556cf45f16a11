#include "allclear/robot_models/robot_model.h"

#include <algorithm>

#include "allclear/core/assert.h"

namespace allclear {
namespace {

template <class Items>
int indexByName(const Items& items, const std::string& name) {
  const auto it =
      std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it == items.end() ? -1 : static_cast<int>(it - items.begin());
}

}  // namespace

const char* jointTypeName(JointType type) {
  static constexpr const char* kNames[] = {"fixed",     "revolute", "continuous",
                                           "prismatic", "floating", "planar"};
  return kNames[static_cast<int>(type)];
}

RobotModel::RobotModel(Data data) : data_(std::move(data)) {
  // A tree in order: link 0 is the root, every other link has one joint above it, and parents come
  // before their children. All recursions rely on it.
  const int link_count = static_cast<int>(data_.links.size());
  const int joint_count = static_cast<int>(data_.joints.size());
  ALLCLEAR_ASSERT(link_count >= 1);
  ALLCLEAR_ASSERT(joint_count == link_count - 1);
  for (int l = 0; l < link_count; ++l) {
    const int parent_joint = data_.links[l].parent_joint;
    ALLCLEAR_ASSERT((parent_joint == -1) == (l == 0));
    ALLCLEAR_ASSERT(parent_joint < joint_count);
    if (l > 0) ALLCLEAR_ASSERT(data_.joints[parent_joint].child_link == l);
  }
  for (const Joint& joint : data_.joints) {
    ALLCLEAR_ASSERT(joint.parent_link >= 0 && joint.parent_link < joint.child_link);
    ALLCLEAR_ASSERT(!joint.mimic || (joint.mimic->coordinate >= 0 && joint.first_coordinate == -1));
  }
  // A symmetric table: pairs are asked for in inner loops.
  disabled_.assign(static_cast<std::size_t>(link_count) * link_count, false);
  for (const DisabledPair& pair : data_.disabled_pairs) {
    ALLCLEAR_ASSERT(pair.link_a >= 0 && pair.link_a < pair.link_b && pair.link_b < link_count);
    disabled_[pair.link_a * link_count + pair.link_b] = true;
    disabled_[pair.link_b * link_count + pair.link_a] = true;
  }
}

double RobotModel::totalMass() const {
  double mass = 0.0;
  for (const Link& link : data_.links) mass += link.inertia.mass;
  return mass;
}

int RobotModel::findLink(const std::string& name) const { return indexByName(data_.links, name); }
int RobotModel::findJoint(const std::string& name) const { return indexByName(data_.joints, name); }
int RobotModel::findCoordinate(const std::string& name) const {
  return indexByName(data_.coordinates, name);
}

const Group* RobotModel::findGroup(const std::string& name) const {
  const int index = indexByName(data_.groups, name);
  return index < 0 ? nullptr : &data_.groups[index];
}

bool RobotModel::isPairDisabled(int link_a, int link_b) const {
  return link_a == link_b || disabled_[link_a * data_.links.size() + link_b];
}

std::vector<std::pair<int, int>> RobotModel::collisionPairs() const {
  std::vector<std::pair<int, int>> pairs;
  const int count = static_cast<int>(data_.links.size());
  for (int a = 0; a < count; ++a) {
    if (data_.links[a].collision.empty()) continue;
    for (int b = a + 1; b < count; ++b) {
      if (!data_.links[b].collision.empty() && !isPairDisabled(a, b)) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

VecX RobotModel::neutralConfiguration() const {
  VecX q(dimension());
  for (int i = 0; i < dimension(); ++i) {
    // Zero where the limits allow it, else the limit next to it.
    q[i] = std::clamp(0.0, data_.coordinates[i].lower, data_.coordinates[i].upper);
  }
  return q;
}

}  // namespace allclear
