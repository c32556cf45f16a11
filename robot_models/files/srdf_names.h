#pragma once

#include <map>
#include <string>
#include <vector>

#include "allclear/robot_models/files/load_notes.h"
#include "allclear/robot_models/files/xml_element.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// What the names in an SRDF stand for: links, joints and virtual joints; and the notes about those
/// that stand for nothing. Robot, reader and notes must outlive it.
class SrdfNames {
 public:
  SrdfNames(const XmlElement& srdf, const XmlReader& reader, const RobotModel::Data& robot,
            LoadNotes& notes);

  const XmlReader& reader() const { return reader_; }
  const RobotModel::Data& robot() const { return robot_; }

  void warn(const XmlElement& element, const std::string& message);
  void assume(const XmlElement& element, const std::string& message);

  /// The link or joint of that name, or -1.
  int findLink(const std::string& name) const;
  int findJoint(const std::string& name) const;
  /// The one that an attribute names. Throws `InputError`, with the nearest name, when there is
  /// none; of a virtual joint that does not move here the message says so.
  int link(const XmlElement& element, const std::string& owner, const char* key) const;
  int joint(const XmlElement& element, const std::string& owner, const char* key) const;
  /// Whether a name is that of a virtual joint of type fixed: it means nothing, and nothing is
  /// wrong with it.
  bool isFixedVirtualJoint(const std::string& name) const;

  /// Calls `read`. An `InputError` of it becomes a note that ends in `consequence`; returns whether
  /// there was none.
  template <class Read>
  bool attempt(Read read, const std::string& consequence) {
    try {
      read();
      return true;
    } catch (const InputError& error) {
      notes_.forgive("SRDF", error, consequence);
      return false;
    }
  }

 private:
  const XmlReader& reader_;
  const RobotModel::Data& robot_;
  LoadNotes& notes_;
  std::map<std::string, int> links_;
  std::map<std::string, int> joints_;
  std::map<std::string, std::string> virtual_joints_;  ///< type by name
};

}  // namespace allclear
