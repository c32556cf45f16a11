#pragma once

#include <optional>
#include <string>

#include "allclear/robot_models/files/joint_coordinates.h"
#include "allclear/robot_models/files/xml_element.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// The joint between the world and the robot that an SRDF declares.
struct VirtualJoint {
  std::string name;
  BaseJoint type = BaseJoint::kFixed;
  std::string parent_frame;
  std::string child_link;
};

/// The virtual joint of a checked SRDF root element, the first where there are several. Throws
/// `InputError` when it is broken.
std::optional<VirtualJoint> findVirtualJoint(const XmlElement& srdf, const XmlReader& reader);

/// Adds the groups, group states and disabled pairs of an SRDF to `data`, whose links, joints and
/// coordinates are there already. Unknown link, joint and group names are errors with the nearest
/// spelling; unknown elements, and values that cannot be used, are warnings. Returns false when the
/// SRDF says nothing about pairs.
///
/// As MoveIt reads them: a group holds its joints, the parent joints of its links, the joints along
/// its chains and those of its subgroups. Passive and mimic joints are not planned, so they are in
/// no group.
bool applySrdf(const XmlElement& srdf, const XmlReader& reader, RobotModel::Data& data);

}  // namespace allclear
