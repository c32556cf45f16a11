#pragma once

#include <string>

#include "allclear/robot_models/files/load_notes.h"
#include "allclear/robot_models/files/xml_element.h"

namespace allclear {

/// Checks the names of an element's attributes. One that is not read is an assumption; where it
/// seems to stand for one that is missing (`pos` without `xyz`), the element would mean something
/// else than was written: `InputError`. Elements of unknown names have no rules.
void checkAttributes(const XmlElement& element, const std::string& owner, const XmlReader& reader,
                     LoadNotes* notes);

/// Refuses children of a link, joint, inertial, collision or visual that are in the wrong place (a
/// <collision> inside a <collision>) or nearly have the name of one that is read (<orign>).
void checkChildren(const XmlElement& element, const std::string& owner, const XmlReader& reader);

/// The rotation that an <origin> gives by `rpy` [rad] or, of URDF 1.2, by `quat_xyzw`: as the three
/// angles. Refuses both at once, quaternions in a file that does not say version="1.2" or of
/// another length than 1, and angles beyond a full turn.
Vec3 originAngles(const XmlElement& origin, const std::string& owner, const XmlReader& reader,
                  const std::string& version);

}  // namespace allclear
