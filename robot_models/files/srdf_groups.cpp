// Groups of an SRDF and which joints they hold.
//
// Groups refer to each other, in any order and even in circles. So each is read by itself first;
// then every group gets the joints of all groups that it reaches. A group that reaches itself gains
// nothing by that, which is a note.
#include "allclear/robot_models/files/srdf_groups.h"

#include <algorithm>

namespace allclear {
namespace {

const std::vector<std::string> kGroupParts{"joint", "link", "chain", "group", "passive_joint"};

// More groups than any robot has; bounds the work that a broken file can ask for.
constexpr std::size_t kMostGroups = 1000;

}  // namespace

SrdfGroups::SrdfGroups(const XmlElement& srdf, SrdfNames& names) : names_(names) {
  readPassive(srdf);
  for (const XmlElement& element : srdf.children) {
    if (element.name != "group") continue;
    names_.attempt([&] { readGroup(element); }, "the group is left out");
    if (order_.size() > kMostGroups) {
      names_.reader().fail(element, "", "", "more than " + std::to_string(kMostGroups) + " groups");
    }
  }
  addSubgroups();
}

// MoveIt's own robots have passive joints inside groups too.
void SrdfGroups::readPassive(const XmlElement& parent) {
  for (const XmlElement& element : parent.children) {
    if (element.name == "group") readPassive(element);
    const std::string* name = element.attribute("name");
    if (element.name != "passive_joint" || (name && names_.isFixedVirtualJoint(*name))) continue;
    names_.attempt([&] { passive_.insert(names_.joint(element, "", "name")); },
                   "the element is left out");
  }
}

void SrdfGroups::readGroup(const XmlElement& element) {
  const std::string& name = names_.reader().name(element, "");
  if (groups_.contains(name)) {
    return names_.assume(element, "group '" + name + "': a second group of that name is left out");
  }
  Group& group = groups_[name];
  group.element = &element;
  order_.push_back(name);
  const std::string owner = "group '" + name + "'";
  for (const XmlElement& part : element.children) {
    names_.attempt([&] { readPart(part, owner, group); }, "left out of the group");
  }
}

void SrdfGroups::readPart(const XmlElement& part, const std::string& owner, Group& group) {
  if (part.name == "joint") {
    const std::string& name = names_.reader().name(part, owner);
    if (!names_.isFixedVirtualJoint(name)) group.joints.insert(names_.joint(part, owner, "name"));
  } else if (part.name == "link") {  // stands for the joint that carries it
    const int joint = names_.robot().links[names_.link(part, owner, "name")].parent_joint;
    if (joint >= 0) group.joints.insert(joint);
  } else if (part.name == "chain") {
    addChain(part, owner, group);
  } else if (part.name == "group") {
    names_.reader().name(part, owner);
    group.subgroups.push_back(&part);
  } else if (part.name == "passive_joint") {
    // Says what its joint is, not that it belongs to the group; see `readPassive`.
  } else {
    names_.warn(part,
                owner + ": <" + part.name + "> is not read" + didYouMean(part.name, kGroupParts));
  }
}

void SrdfGroups::addChain(const XmlElement& chain, const std::string& owner, Group& group) {
  const int base = names_.link(chain, owner, "base_link");
  const int tip = names_.link(chain, owner, "tip_link");
  const std::vector<int> above = jointsAbove(base);
  std::set<int> up_from_base(above.begin(), above.end());
  // The path between the links is what only one of the two ways to the root has.
  for (int j : jointsAbove(tip)) {
    if (!up_from_base.erase(j)) group.joints.insert(j);
  }
  group.joints.insert(up_from_base.begin(), up_from_base.end());
}

/// From the link up to the root.
std::vector<int> SrdfGroups::jointsAbove(int link) const {
  const RobotModel::Data& robot = names_.robot();
  std::vector<int> joints;
  for (int j = robot.links[link].parent_joint; j >= 0;
       j = robot.links[robot.joints[j].parent_link].parent_joint) {
    joints.push_back(j);
  }
  return joints;
}

/// MoveIt leaves unknown subgroups out, too.
void SrdfGroups::dropUnknownSubgroups() {
  for (auto& [name, group] : groups_) {
    const std::string owner = "group '" + name + "'";
    std::erase_if(group.subgroups, [&](const XmlElement* part) {
      const std::string& subgroup = *part->attribute("name");
      return !names_.attempt(
          [&] {
            if (groups_.contains(subgroup)) return;
            names_.reader().fail(*part, owner, subgroup,
                                 "no such group" + didYouMean(subgroup, order_));
          },
          "left out of the group");
    });
  }
}

/// The joints of a group and of all that it reaches.
std::set<int> SrdfGroups::reachedJoints(const std::string& name) {
  std::set<std::string> reached;
  std::set<int> joints = groups_.at(name).joints;
  std::vector<const XmlElement*> open = groups_.at(name).subgroups;
  while (!open.empty()) {
    const std::string& at = *open.back()->attribute("name");
    open.pop_back();
    if (!reached.insert(at).second) continue;
    const Group& group = groups_.at(at);
    joints.insert(group.joints.begin(), group.joints.end());
    open.insert(open.end(), group.subgroups.begin(), group.subgroups.end());
  }
  if (reached.contains(name)) {
    names_.assume(element(name), "group '" + name + "': is within itself, which adds nothing");
  }
  return joints;
}

void SrdfGroups::addSubgroups() {
  dropUnknownSubgroups();
  // What a group reaches is gathered from the groups by themselves, so none changes before the end.
  std::map<std::string, std::set<int>> gathered;
  for (const std::string& name : order_) gathered[name] = reachedJoints(name);
  for (auto& [name, joints] : gathered) groups_.at(name).joints = std::move(joints);
}

}  // namespace allclear
