// SRDFs are written for one state of a robot and kept when it changes: they name links that a
// gripper had, joints of another base. Every such name is a note, never silence.
#include "allclear/robot_models/files/srdf_names.h"

namespace allclear {
namespace {

/// The value of a name in `index`, or an error with the nearest one.
int indexOf(const std::map<std::string, int>& index, const char* what, const XmlReader& reader,
            const XmlElement& element, const std::string& owner, const char* key) {
  const std::string& name = reader.name(element, owner, key);
  const auto it = index.find(name);
  if (it != index.end()) return it->second;
  std::vector<std::string> names;
  for (const auto& [known, i] : index) names.push_back(known);
  reader.fail(element, owner, name, std::string("no such ") + what + didYouMean(name, names));
}

}  // namespace

SrdfNames::SrdfNames(const XmlElement& srdf, const XmlReader& reader, const RobotModel::Data& robot,
                     LoadNotes& notes)
    : reader_(reader), robot_(robot), notes_(notes) {
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    links_[robot.links[i].name] = static_cast<int>(i);
  for (std::size_t i = 0; i < robot.joints.size(); ++i)
    joints_[robot.joints[i].name] = static_cast<int>(i);
  for (const XmlElement& element : srdf.children) {
    const std::string* name = element.attribute("name");
    const std::string* type = element.attribute("type");
    if (element.name == "virtual_joint" && name) virtual_joints_[*name] = type ? *type : "";
  }
}

void SrdfNames::warn(const XmlElement& element, const std::string& message) {
  notes_.warn(reader_.file(), element.line, message);
}

void SrdfNames::assume(const XmlElement& element, const std::string& message) {
  notes_.assume("SRDF", reader_.file(), element.line, message);
}

int SrdfNames::findLink(const std::string& name) const {
  const auto it = links_.find(name);
  return it == links_.end() ? -1 : it->second;
}

int SrdfNames::findJoint(const std::string& name) const {
  const auto it = joints_.find(name);
  return it == joints_.end() ? -1 : it->second;
}

int SrdfNames::link(const XmlElement& element, const std::string& owner, const char* key) const {
  return indexOf(links_, "link", reader_, element, owner, key);
}

int SrdfNames::joint(const XmlElement& element, const std::string& owner, const char* key) const {
  const std::string* name = element.attribute(key);
  if (name && findJoint(*name) < 0 && virtual_joints_.contains(*name)) {
    reader_.fail(
        element, owner, *name,
        "is the virtual joint, which does not move here: the base is fixed unless 'base: srdf' "
        "is asked for");
  }
  return indexOf(joints_, "joint", reader_, element, owner, key);
}

bool SrdfNames::isFixedVirtualJoint(const std::string& name) const {
  const auto it = virtual_joints_.find(name);
  return it != virtual_joints_.end() && it->second == "fixed" && findJoint(name) < 0;
}

}  // namespace allclear
