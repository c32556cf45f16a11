// Groups, group states and disabled pairs of an SRDF, with MoveIt's rules.
//
// A reference that leads nowhere is left out with a note (srdf_names.h): MoveIt loads such files,
// and leaving out adds no joint and exempts no pair. A state holds whole joints or is left out
// itself: half a state would be another one.
#include "allclear/robot_models/files/srdf_reader.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/srdf_groups.h"
#include "allclear/robot_models/files/srdf_names.h"
#include "allclear/robot_models/files/srdf_pairs.h"

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

// [rad] or [m]: printed values of mimic joints differ from the exact ones by their rounding.
constexpr double kFollowerSlack = 1e-6;
// A quaternion printed with three digits has this error in its length: no reason for a note.
constexpr double kQuaternionSlack = 1e-3;

class SrdfReader {
 public:
  SrdfReader(const XmlElement& srdf, RobotModel::Data& data, SrdfNames& names)
      : srdf_(srdf), reader_(names.reader()), data_(data), names_(names), groups_(srdf, names) {}

  // Groups first: states and end effectors refer to them. Each state is an attempt of its own, so
  // that a broken one costs no other.
  bool run() {
    checkRoot();
    for (const std::string& name : groups_.inOrder()) addGroup(name);
    for (const XmlElement& element : srdf_.children) {
      if (element.name == "group_state") {
        names_.attempt([&] { addState(element); }, "the state is left out");
      }
      if (element.name == "end_effector") checkEndEffector(element);
    }
    SrdfPairs pairs = readSrdfPairs(srdf_, names_);
    data_.disabled_pairs = std::move(pairs.disabled);
    return pairs.says_something;
  }

 private:
  void checkRoot() {
    if (const std::string* name = srdf_.attribute("name"); name && *name != data_.name) {
      names_.assume(srdf_, "is for the robot '" + *name + "', not for '" + data_.name + "'");
    }
    for (const XmlElement& element : srdf_.children) {
      if (std::find(kElements.begin(), kElements.end(), element.name) == kElements.end()) {
        names_.warn(element,
                    "<" + element.name + "> is not read" + didYouMean(element.name, kElements));
      }
    }
  }

  void addGroup(const std::string& name) {
    // All joints carry links of the group; those that can be planned give coordinates.
    Group group;
    group.name = name;
    for (int j : groups_.joints(name)) {
      group.links.push_back(data_.joints[j].child_link);
      if (groups_.passive().contains(j)) continue;
      for (int c = 0; c < coordinateCount(j); ++c) {
        group.coordinates.push_back(data_.joints[j].first_coordinate + c);
      }
    }
    std::sort(group.links.begin(), group.links.end());
    std::sort(group.coordinates.begin(), group.coordinates.end());
    if (group.coordinates.empty()) {
      names_.warn(groups_.element(name), "group '" + name + "': has no joint that can be planned");
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
    state.group = groupOfState(element, owner);
    // Followers (mimic and fixed joints) are compared last, when all values are known.
    std::vector<std::pair<const XmlElement*, int>> followers;
    for (const XmlElement& part : element.children) {
      if (part.name != "joint") continue;
      const int joint = jointOfState(part, owner, state);
      if (joint < 0) continue;
      if (coordinateCount(joint) == 0) {
        followers.emplace_back(&part, joint);
      } else {
        addValues(part, joint, owner, state);
      }
    }
    for (const auto& [part, joint] : followers) checkFollower(*part, joint, owner, state);
    replaceOrAdd(element, owner, std::move(state));
  }

  /// Empty where the state names no group that is there; pinocchio never looks at it.
  std::string groupOfState(const XmlElement& element, const std::string& owner) {
    const std::string* group = element.attribute("group");
    if (group && groups_.contains(*group)) return *group;
    names_.assume(element, owner +
                               (group ? ": there is no group '" + *group + "'" +
                                            didYouMean(*group, groups_.inOrder())
                                      : ": names no group") +
                               "; taken as a state of the joints that it names");
    return "";
  }

  /// The joint of a value, or -1 where the value is left out.
  int jointOfState(const XmlElement& part, const std::string& owner, const GroupState& state) {
    int joint = -1;
    const std::string& name = reader_.name(part, owner);
    if (names_.isFixedVirtualJoint(name)) return -1;
    names_.attempt([&] { joint = names_.joint(part, owner, "name"); }, "its value is left out");
    if (joint < 0) return -1;
    // The value has to be there even where it is not used: a file that forgot it is broken.
    reader_.text(part, owner, "value");
    // Followers pass whatever group they are in: they are only compared, and set nothing.
    const bool is_member = state.group.empty() || groups_.joints(state.group).contains(joint);
    if (is_member || coordinateCount(joint) == 0) return joint;
    names_.warn(part, owner + ": joint '" + name + "' is not in the group '" + state.group +
                          "', its value is not used");
    return -1;
  }

  /// A second state of one name and group replaces the first, as in MoveIt and pinocchio.
  void replaceOrAdd(const XmlElement& element, const std::string& owner, GroupState state) {
    for (GroupState& known : data_.group_states) {
      if (known.name != state.name || known.group != state.group) continue;
      names_.assume(element, owner + ": a second state of that name" +
                                 (state.group.empty() ? "" : " for group '" + state.group + "'") +
                                 "; the last one counts");
      known = std::move(state);
      return;
    }
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
    names_.warn(part, owner + ": value " + *part.attribute("value") + " of joint '" +
                          data_.joints[joint].name + "' is not used: it is " +
                          (mimic ? "a mimic joint" : "fixed"));
  }

  void addValues(const XmlElement& part, int joint, const std::string& owner, GroupState& state) {
    // A joint with several coordinates has as many numbers in one attribute.
    std::vector<double> numbers;
    std::istringstream words(*part.attribute("value"));
    for (std::string word; words >> word;) {
      const XmlElement single{part.name, part.line, {{"value", word}}, {}, {}};
      numbers.push_back(reader_.number(single, owner, "value"));
    }
    const int count = coordinateCount(joint);
    if (count == 6 && numbers.size() == 7) numbers = fromQuaternion(part, owner, numbers);
    if (static_cast<int>(numbers.size()) != count) {
      reader_.fail(part, owner, *part.attribute("value"),
                   "joint '" + data_.joints[joint].name + "' has " + std::to_string(count) +
                       (count == 6 ? " coordinates (or 7: x y z qx qy qz qw)" : " coordinates") +
                       ", not " + std::to_string(numbers.size()));
    }
    const int first = data_.joints[joint].first_coordinate;
    for (int c = 0; c < count; ++c) setValue(part, first + c, numbers[c], owner, state);
  }

  /// x y z and a quaternion, scaled to length 1 as MoveIt does; one of zeros is no rotation.
  std::vector<double> fromQuaternion(const XmlElement& part, const std::string& owner,
                                     std::vector<double> pose) {
    const double length = VecX::Map(pose.data() + 3, 4).norm();
    if (length == 0.0) pose[6] = 1.0;
    if (!(std::abs(length - 1.0) <= kQuaternionSlack)) {
      names_.assume(
          part, owner + ": the quaternion of joint '" + *part.attribute("name") + "' " +
                    (length == 0.0 ? "is zero, taken as no rotation" : "is scaled to length 1"));
    }
    const VecX values = floatingCoordinates(VecX::Map(pose.data(), 7));
    return {values.begin(), values.end()};
  }

  void setValue(const XmlElement& part, int coordinate, double value, const std::string& owner,
                GroupState& state) {
    const Coordinate& c = data_.coordinates[coordinate];
    for (const auto& [known, old] : state.values) {
      if (known != coordinate) continue;
      // Said twice with one value is harmless; with two, which of them is meant cannot be known.
      if (old == value) return;
      reader_.fail(part, owner, c.name, "has two values");
    }
    // Only a warning: a state is no start or goal yet, and a task that uses it is checked by
    // itself.
    if (value < c.lower || value > c.upper) {
      names_.warn(part, owner + ": " + c.name + " = " + *part.attribute("value") +
                            " is beyond the joint's limits");
    }
    state.values.emplace_back(coordinate, value);
  }

  /// Nothing here depends on end effectors: what is wrong with one is a warning.
  void checkEndEffector(const XmlElement& element) {
    const std::string* name = element.attribute("name");
    const std::string owner = "end_effector '" + (name ? *name : "") + "'";
    const std::string* link = element.attribute("parent_link");
    if (!link || names_.findLink(*link) < 0) {
      names_.warn(element, owner + ": its parent_link is no link of the URDF");
    }
    for (const char* key : {"group", "parent_group"}) {
      const std::string* group = element.attribute(key);
      if (!group || groups_.contains(*group)) continue;
      names_.warn(element, owner + ": there is no group '" + *group + "'" +
                               didYouMean(*group, groups_.inOrder()));
    }
  }

  const XmlElement& srdf_;
  const XmlReader& reader_;
  RobotModel::Data& data_;
  SrdfNames& names_;
  SrdfGroups groups_;
};

/// Throws where it cannot be read at all. An unknown type is fixed, as in MoveIt.
VirtualJoint readVirtualJoint(const XmlElement& element, const XmlReader& reader,
                              const std::string& root_link, LoadNotes& notes) {
  VirtualJoint joint;
  joint.name = reader.name(element, "");
  const std::string owner = "virtual_joint '" + joint.name + "'";
  joint.parent_frame = reader.name(element, owner, "parent_frame");
  joint.child_link = reader.name(element, owner, "child_link");
  if (joint.child_link != root_link) {
    reader.fail(element, owner, joint.child_link,
                "child_link must be the root link '" + root_link + "'");
  }
  const std::string& type = reader.text(element, owner, "type");
  if (type == "floating") {
    joint.type = BaseJoint::kFloating;
  } else if (type == "planar") {
    joint.type = BaseJoint::kPlanar;
  } else if (type != "fixed") {
    notes.assume("SRDF", reader.file(), element.line,
                 owner + ": unknown type '" + type + "'" +
                     didYouMean(type, {"fixed", "planar", "floating"}) + ", taken as fixed");
  }
  return joint;
}

}  // namespace

std::optional<VirtualJoint> findVirtualJoint(const XmlElement& srdf, const XmlReader& reader,
                                             const std::string& root_link, LoadNotes& notes) {
  if (srdf.name != "robot") {
    reader.fail(srdf, "", "", "is not an SRDF file: the root element must be <robot>");
  }
  for (const XmlElement& element : srdf.children) {
    if (element.name != "joint" || element.attribute("type") == nullptr) continue;
    reader.fail(srdf, "", "", "is a URDF: give the SRDF of this robot here, or leave it out");
  }
  std::optional<VirtualJoint> found;
  for (const XmlElement& element : srdf.children) {
    if (element.name != "virtual_joint") continue;
    if (found) {
      notes.assume("SRDF", reader.file(), element.line,
                   "a second <virtual_joint> is left out: a robot has one base");
      continue;
    }
    try {
      found = readVirtualJoint(element, reader, root_link, notes);
    } catch (const InputError& error) {
      notes.forgive("SRDF", error,
                    "the virtual joint is left out, so the base is fixed unless the task moves it");
    }
  }
  return found;
}

bool applySrdf(const XmlElement& srdf, const XmlReader& reader, RobotModel::Data& data,
               LoadNotes& notes) {
  SrdfNames names(srdf, reader, data, notes);
  return SrdfReader(srdf, data, names).run();
}

}  // namespace allclear
