#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "allclear/robot_models/files/load_notes.h"
#include "allclear/robot_models/files/xml_element.h"

namespace allclear {

/// The outline of a checked URDF: names in tree order, their elements, and what was odd.
struct UrdfOutline {
  std::vector<std::string> links;   ///< parents first; siblings in the order of their joints
  std::vector<std::string> joints;  ///< joints[i] carries links[i + 1]
  std::unordered_map<std::string, const XmlElement*> link_elements;
  std::unordered_map<std::string, const XmlElement*> joint_elements;
  /// Broken parts that nothing needs: visuals and inertias. Each has a note.
  std::set<const XmlElement*> left_out;
  /// By <origin> with a quaternion: the angles [rad] of that rotation.
  std::map<const XmlElement*, Vec3> angles;
  /// By link: why its mass and inertia cannot be used.
  std::unordered_map<std::string, std::string> inertia_faults;
  LoadNotes notes;
};

/// Which optional parts of a URDF are to be read.
struct UrdfParts {
  bool collision = true;
  bool visual = false;
  bool visual_collides = false;  ///< of links without <collision>: a broken one is an error then
  bool soft_limits = false;
};

/// Checks all parts of a URDF that are read later: names, numbers, sizes, limits, references, and
/// that the joints form one tree. (urdfdom accepts many of these errors in silence: two links of
/// one name, lower > upper, NaN, zero axes.) What is broken is left out with a note where no claim
/// can become false by it; anything else throws `InputError`. The outline points into `robot`.
UrdfOutline checkUrdf(const XmlElement& robot, const UrdfParts& parts, const XmlReader& reader);

/// Prints a checked URDF with nothing in it but the parts that are to be read, rotations as angles.
std::string plainUrdf(const XmlElement& robot, const UrdfParts& parts,
                      const std::set<const XmlElement*>& left_out = {},
                      const std::map<const XmlElement*, Vec3>& angles = {});

}  // namespace allclear
