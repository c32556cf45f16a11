#pragma once

#include <string>

#include "allclear/robot_models/files/srdf_names.h"
#include "allclear/robot_models/files/xml_element.h"

namespace allclear::test {

/// base -j1- a -j2- b -j3- c
inline RobotModel::Data chain() {
  RobotModel::Data data;
  for (const char* name : {"base", "a", "b", "c"}) {
    Link link;
    link.name = name;
    link.parent_joint = static_cast<int>(data.links.size()) - 1;
    data.links.push_back(link);
  }
  for (int j = 0; j < 3; ++j) {
    Joint joint;
    joint.name = "j" + std::to_string(j + 1);
    joint.parent_link = j;
    joint.child_link = j + 1;
    data.joints.push_back(joint);
  }
  return data;
}

/// An SRDF with that body, and what its names stand for.
struct Srdf {
  explicit Srdf(const std::string& body)
      : root(parseXml("<robot name=\"r\">" + body + "</robot>", "r.srdf")) {}

  RobotModel::Data data = chain();
  XmlElement root;
  XmlReader reader{"r.srdf"};
  LoadNotes notes;
  SrdfNames names{root, reader, data, notes};
};

}  // namespace allclear::test
