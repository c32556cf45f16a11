// Groups, group states and disabled pairs of an SRDF, with MoveIt's rules.
//
// Groups refer to each other, so their elements are collected by name before any is read; a group
// within itself is an error. Of a group's joints the passive and mimic ones carry links but have no
// coordinates to plan. Pairs are disabled in MoveIt's order: defaults of single links first, then
// pairs that are enabled again, then pairs that are disabled explicitly. A broken reference is an
// error; a value that cannot be used is a warning, because files of real robots have them.
#include "allclear/robot_models/files/srdf_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

const std::vector<std::string> kElements{"group",
                                         "group_state",
                                         "end_effector",
                                         "virtual_joint",
                                         "passive_joint",
                                         "disable_collisions",
                                         "joint_property",
                                         "enable_collisions",
                                         "disable_default_collisions",
                                         "link_sphere_approximation"};
const std::vector<std::string> kGroupParts{"joint", "link", "chain", "group", "passive_joint"};

// [rad] or [m]: printed values of mimic joints differ from the exact ones by their rounding.
constexpr double kFollowerSlack = 1e-6;
constexpr std::size_t kDeepestGroups = 100;  // nested subgroups; bounds the recursion

class SrdfReader {
 public:
  SrdfReader(const XmlElement& srdf, const XmlReader& reader, RobotModel::Data& data)
      : srdf_(srdf), reader_(reader), data_(data) {
    for (std::size_t i = 0; i < data.links.size(); ++i)
      links_[data.links[i].name] = static_cast<int>(i);
    for (std::size_t i = 0; i < data.joints.size(); ++i)
      joints_[data.joints[i].name] = static_cast<int>(i);
  }

  bool run() {
    checkRoot();
    collectGroups();
    collectPassive(srdf_);
    for (const XmlElement* group : group_order_) addGroup(*group);
    for (const XmlElement& element : srdf_.children) {
      if (element.name == "group_state") addState(element);
      if (element.name == "end_effector") checkEndEffector(element);
    }
    return addPairs();
  }

 private:
  void warn(const XmlElement& element, const std::string& message) {
    data_.warnings.push_back(reader_.file() + ":" + std::to_string(element.line) + ": " + message);
  }

  void checkRoot() {
    if (const std::string* name = srdf_.attribute("name"); name && *name != data_.name) {
      warn(srdf_, "is for the robot '" + *name + "', not for '" + data_.name + "'");
    }
    for (const XmlElement& element : srdf_.children) {
      if (std::find(kElements.begin(), kElements.end(), element.name) == kElements.end()) {
        warn(element, "<" + element.name + "> is not read" + didYouMean(element.name, kElements));
      }
    }
  }

  /// The index of the name in the attribute `key`; an unknown one fails with the nearest spelling.
  int indexOf(const std::map<std::string, int>& index, const char* what, const XmlElement& element,
              const std::string& owner, const char* key) const {
    const std::string& name = reader_.name(element, owner, key);
    const auto it = index.find(name);
    if (it != index.end()) return it->second;
    std::vector<std::string> names;
    for (const auto& [known, i] : index) names.push_back(known);
    reader_.fail(element, owner, name, std::string("no such ") + what + didYouMean(name, names));
  }
  int linkOf(const XmlElement& element, const std::string& owner, const char* key) const {
    return indexOf(links_, "link", element, owner, key);
  }
  int jointOf(const XmlElement& element, const std::string& owner, const char* key) const {
    return indexOf(joints_, "joint", element, owner, key);
  }

  // MoveIt's own robots have passive joints inside groups too.
  void collectPassive(const XmlElement& parent) {
    for (const XmlElement& element : parent.children) {
      if (element.name == "passive_joint") passive_.insert(jointOf(element, "", "name"));
      if (element.name == "group") collectPassive(element);
    }
  }

  void collectGroups() {
    for (const XmlElement& element : srdf_.children) {
      if (element.name != "group") continue;
      const std::string& name = reader_.name(element, "");
      if (!group_elements_.emplace(name, &element).second) {
        reader_.fail(element, "", name, "a second group of that name");
      }
      group_order_.push_back(&element);
    }
  }

  const XmlElement& groupElement(const XmlElement& element, const std::string& owner,
                                 const char* key) const {
    const std::string& name = reader_.name(element, owner, key);
    const auto it = group_elements_.find(name);
    if (it != group_elements_.end()) return *it->second;
    std::vector<std::string> names;
    for (const auto& [known, group] : group_elements_) names.push_back(known);
    reader_.fail(element, owner, name, "no such group" + didYouMean(name, names));
  }

  void addChain(const XmlElement& chain, const std::string& owner, std::set<int>& joints) const {
    std::set<int> up_from_base;
    const int base = linkOf(chain, owner, "base_link");
    const int tip = linkOf(chain, owner, "tip_link");
    for (int j : jointsAbove(base)) up_from_base.insert(j);
    // The path between the links is what only one of the two ways to the root has.
    for (int j : jointsAbove(tip)) {
      if (!up_from_base.erase(j)) joints.insert(j);
    }
    joints.insert(up_from_base.begin(), up_from_base.end());
  }

  /// From the link up to the root.
  std::vector<int> jointsAbove(int link) const {
    std::vector<int> joints;
    for (int j = data_.links[link].parent_joint; j >= 0;
         j = data_.links[data_.joints[j].parent_link].parent_joint) {
      joints.push_back(j);
    }
    return joints;
  }

  /// All joints of a group. `open` are the groups that are being read, to find loops; groups read
  /// before are remembered, or nested subgroups would be read over and over.
  const std::set<int>& jointsOfGroup(const XmlElement& group,
                                     std::vector<const XmlElement*>& open) {
    if (const auto it = group_joints_.find(&group); it != group_joints_.end()) return it->second;
    const std::string& name = *group.attribute("name");
    const std::string owner = "group '" + name + "'";
    if (std::find(open.begin(), open.end(), &group) != open.end()) {
      reader_.fail(group, "", name, "a group within itself");
    }
    if (open.size() > kDeepestGroups)
      reader_.fail(group, "", name, "groups are nested more than 100 deep");
    open.push_back(&group);
    std::set<int> joints;
    for (const XmlElement& part : group.children) {
      if (part.name == "joint") {
        joints.insert(jointOf(part, owner, "name"));
      } else if (part.name == "link") {  // stands for the joint that carries it
        const int joint = data_.links[linkOf(part, owner, "name")].parent_joint;
        if (joint >= 0) joints.insert(joint);
      } else if (part.name == "chain") {
        addChain(part, owner, joints);
      } else if (part.name == "group") {
        const std::set<int>& more = jointsOfGroup(groupElement(part, owner, "name"), open);
        joints.insert(more.begin(), more.end());
      } else if (part.name == "passive_joint") {
        // Says what its joint is, not that it belongs to the group; see `collectPassive`.
      } else {
        warn(part,
             owner + ": <" + part.name + "> is not read" + didYouMean(part.name, kGroupParts));
      }
    }
    open.pop_back();
    return group_joints_[&group] = std::move(joints);
  }

  void addGroup(const XmlElement& element) {
    // All joints carry links of the group; those that can be planned give coordinates.
    std::vector<const XmlElement*> open;
    Group group;
    group.name = *element.attribute("name");
    for (int j : jointsOfGroup(element, open)) {
      group.links.push_back(data_.joints[j].child_link);
      if (passive_.contains(j)) continue;
      for (int c = 0; c < coordinateCount(j); ++c) {
        group.coordinates.push_back(data_.joints[j].first_coordinate + c);
      }
    }
    std::sort(group.links.begin(), group.links.end());
    std::sort(group.coordinates.begin(), group.coordinates.end());
    if (group.coordinates.empty()) {
      warn(element, "group '" + group.name + "': has no joint that can be planned");
    }
    data_.groups.push_back(std::move(group));
  }

  /// Coordinates of the joint's own: none for fixed and mimic joints.
  int coordinateCount(int joint) const {
    const Joint& j = data_.joints[joint];
    if (j.first_coordinate < 0) return 0;
    return j.type == JointType::kFloating ? 6 : j.type == JointType::kPlanar ? 3 : 1;
  }

  void addState(const XmlElement& element) {
    GroupState state;
    state.name = reader_.name(element, "");
    const std::string owner = "group_state '" + state.name + "'";
    const XmlElement& group = groupElement(element, owner, "group");
    state.group = *group.attribute("name");
    std::vector<const XmlElement*> none;
    const std::set<int>& members = jointsOfGroup(group, none);
    // Followers (mimic and fixed joints) are compared last, when all values are known.
    std::vector<std::pair<const XmlElement*, int>> followers;
    for (const XmlElement& part : element.children) {
      if (part.name != "joint") continue;
      const int joint = jointOf(part, owner, "name");
      reader_.text(part, owner, "value");
      if (coordinateCount(joint) == 0) {
        followers.emplace_back(&part, joint);
      } else if (!members.contains(joint)) {
        warn(part, owner + ": joint '" + data_.joints[joint].name + "' is not in the group '" +
                       state.group + "', its value is not used");
      } else {
        addValues(part, joint, owner, state);
      }
    }
    for (const auto& [part, joint] : followers) checkFollower(*part, joint, owner, state);
    data_.group_states.push_back(std::move(state));
  }

  /// A mimic or fixed joint has no value of its own: warns when the file gives another one than
  /// the value that follows from the others.
  void checkFollower(const XmlElement& part, int joint, const std::string& owner,
                     const GroupState& state) {
    const std::optional<Mimic>& mimic = data_.joints[joint].mimic;
    double follows = mimic ? mimic->offset : 0.0;
    for (const auto& [coordinate, value] : state.values) {
      if (mimic && mimic->coordinate == coordinate) follows += mimic->multiplier * value;
    }
    if (std::abs(reader_.number(part, owner, "value") - follows) <= kFollowerSlack) return;
    warn(part, owner + ": value " + *part.attribute("value") + " of joint '" +
                   data_.joints[joint].name + "' is not used: it is " +
                   (mimic ? "a mimic joint" : "fixed"));
  }

  void addValues(const XmlElement& part, int joint, const std::string& owner, GroupState& state) {
    const std::string& text = *part.attribute("value");
    // A joint with several coordinates has as many numbers in one attribute.
    std::istringstream words(text);
    std::string word;
    int count = 0;
    const int first = data_.joints[joint].first_coordinate;
    while (words >> word) {
      const XmlElement single{part.name, part.line, {{"value", word}}, {}, {}};
      const double value = reader_.number(single, owner, "value");
      if (count < coordinateCount(joint)) setValue(part, first + count, value, owner, state);
      ++count;
    }
    if (count != coordinateCount(joint)) {
      reader_.fail(part, owner, text,
                   "joint '" + data_.joints[joint].name + "' has " +
                       std::to_string(coordinateCount(joint)) + " coordinates, not " +
                       std::to_string(count));
    }
  }

  void setValue(const XmlElement& part, int coordinate, double value, const std::string& owner,
                GroupState& state) {
    const Coordinate& c = data_.coordinates[coordinate];
    for (auto& [known, old] : state.values) {
      if (known == coordinate) {
        reader_.fail(part, owner, c.name, "has two values");
      }
    }
    if (value < c.lower || value > c.upper) {
      warn(part, owner + ": " + c.name + " = " + *part.attribute("value") +
                     " is beyond the joint's limits");
    }
    state.values.emplace_back(coordinate, value);
  }

  void checkEndEffector(const XmlElement& element) const {
    const std::string owner = "end_effector '" + reader_.name(element, "") + "'";
    linkOf(element, owner, "parent_link");
    groupElement(element, owner, "group");
    if (element.attribute("parent_group")) groupElement(element, owner, "parent_group");
  }

  /// Both links of a pair, the lower index first.
  std::pair<int, int> pairOf(const XmlElement& element) const {
    const int a = linkOf(element, "", "link1");
    const int b = linkOf(element, "", "link2");
    if (a == b) {
      reader_.fail(element, "", data_.links[a].name, "link1 and link2 are the same");
    }
    return std::minmax(a, b);
  }

  /// Returns whether the file says anything about pairs: an SRDF with groups alone does not.
  bool addPairs() {
    // The order of the three loops is MoveIt's, not that of the file.
    std::map<std::pair<int, int>, std::string> disabled;
    bool says_something = false;
    for (const XmlElement& element : srdf_.children) {
      if (element.name != "disable_default_collisions") continue;
      const int link = linkOf(element, "", "link");
      for (int other = 0; other < static_cast<int>(data_.links.size()); ++other) {
        if (other != link) disabled[std::minmax(link, other)] = "Default";
      }
    }
    for (const XmlElement& element : srdf_.children) {
      if (element.name == "enable_collisions") disabled.erase(pairOf(element));
      says_something |= element.name == "disable_default_collisions";
    }
    for (const XmlElement& element : srdf_.children) {
      if (element.name != "disable_collisions") continue;
      says_something = true;
      const std::string* reason = element.attribute("reason");
      disabled.emplace(pairOf(element), reason ? *reason : "User");
    }
    for (const auto& [pair, reason] : disabled) {
      data_.disabled_pairs.push_back({pair.first, pair.second, reason, true});
    }
    return says_something;
  }

  const XmlElement& srdf_;
  const XmlReader& reader_;
  RobotModel::Data& data_;
  std::map<std::string, int> links_;
  std::map<std::string, int> joints_;
  std::map<std::string, const XmlElement*> group_elements_;
  std::vector<const XmlElement*> group_order_;
  std::map<const XmlElement*, std::set<int>> group_joints_;
  std::set<int> passive_;
};

}  // namespace

std::optional<VirtualJoint> findVirtualJoint(const XmlElement& srdf, const XmlReader& reader) {
  if (srdf.name != "robot") {
    reader.fail(srdf, "", "", "is not an SRDF file: the root element must be <robot>");
  }
  // Only the first: a robot has one base.
  const XmlElement* element = srdf.child("virtual_joint");
  if (!element) return std::nullopt;
  VirtualJoint joint;
  joint.name = reader.name(*element, "");
  const std::string owner = "virtual_joint '" + joint.name + "'";
  joint.parent_frame = reader.name(*element, owner, "parent_frame");
  joint.child_link = reader.name(*element, owner, "child_link");
  const std::string& type = reader.text(*element, owner, "type");
  if (type == "floating") {
    joint.type = BaseJoint::kFloating;
  } else if (type == "planar") {
    joint.type = BaseJoint::kPlanar;
  } else if (type != "fixed") {
    reader.fail(*element, owner, type,
                "unknown type" + didYouMean(type, {"fixed", "planar", "floating"}));
  }
  return joint;
}

bool applySrdf(const XmlElement& srdf, const XmlReader& reader, RobotModel::Data& data) {
  return SrdfReader(srdf, reader, data).run();
}

}  // namespace allclear
