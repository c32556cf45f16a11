#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "allclear/robot_models/files/srdf_names.h"

namespace allclear {

/// The groups of an SRDF, as MoveIt reads them: a group holds its joints, the parent joints of its
/// links, the joints along its chains and those of its subgroups. Parts that name what the robot
/// lacks, and second groups of one name, are left out with a note.
class SrdfGroups {
 public:
  SrdfGroups(const XmlElement& srdf, SrdfNames& names);

  bool contains(const std::string& group) const { return groups_.contains(group); }
  /// In the order of the file.
  const std::vector<std::string>& inOrder() const { return order_; }
  /// All joints of a group that is there.
  const std::set<int>& joints(const std::string& group) const { return groups_.at(group).joints; }
  const XmlElement& element(const std::string& group) const { return *groups_.at(group).element; }
  /// Joints that are not planned: MoveIt's passive joints, in groups or beside them.
  const std::set<int>& passive() const { return passive_; }

 private:
  struct Group {
    const XmlElement* element = nullptr;
    std::set<int> joints;
    std::vector<const XmlElement*> subgroups;  ///< the elements that name them
  };

  void readPassive(const XmlElement& parent);
  void readGroup(const XmlElement& element);
  void readPart(const XmlElement& part, const std::string& owner, Group& group);
  void addChain(const XmlElement& chain, const std::string& owner, Group& group);
  void dropUnknownSubgroups();
  std::set<int> reachedJoints(const std::string& name);
  void addSubgroups();
  std::vector<int> jointsAbove(int link) const;

  SrdfNames& names_;
  std::map<std::string, Group> groups_;
  std::vector<std::string> order_;
  std::set<int> passive_;
};

}  // namespace allclear
