#pragma once

#include <optional>
#include <string>

#include "allclear/robot_models/files/joint_coordinates.h"
#include "allclear/robot_models/files/load_notes.h"
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

/// The virtual joint of an SRDF that joins the URDF's root link to the world, the first where there
/// are several; others are left out with a note, as MoveIt does. Throws `InputError` when this is
/// no SRDF.
std::optional<VirtualJoint> findVirtualJoint(const XmlElement& srdf, const XmlReader& reader,
                                             const std::string& root_link, LoadNotes& notes);

/// Adds the groups, group states and disabled pairs of an SRDF to `data`, whose links, joints and
/// coordinates are there already. What names something that the robot lacks, or cannot be read, is
/// left out with a note: nothing is exempt by it, and nothing planned. Returns false when the SRDF
/// says nothing about pairs.
///
/// As MoveIt reads them: passive and mimic joints are not planned, so they are in no group. A state
/// without a group, or of one that is not there, is one of the joints that it names.
bool applySrdf(const XmlElement& srdf, const XmlReader& reader, RobotModel::Data& data,
               LoadNotes& notes);

}  // namespace allclear
