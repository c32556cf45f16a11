#pragma once

#include "allclear/robot_models/files/urdf_check.h"

namespace allclear {

/// Fills `outline.links` and `.joints` in tree order from the element maps. `joints` are the joint
/// elements in the order of the file, their names and references not yet checked. Throws
/// `InputError` unless they form one tree over all links.
void orderTree(const XmlElement& robot, const std::vector<const XmlElement*>& joints,
               const XmlReader& reader, UrdfOutline& outline);

}  // namespace allclear
