// Prints a plain copy of a URDF: checked elements alone, so that nothing unchecked reaches urdfdom.
// Extensions, materials, unused shapes and limits, and what the checker left out, are not in it.
#include "allclear/robot_models/files/urdf_check.h"

#include <charconv>

namespace allclear {
namespace {

/// What the checker found: the elements to leave out, and the angles of quaternions.
struct Findings {
  const std::set<const XmlElement*>& left_out;
  const std::map<const XmlElement*, Vec3>& angles;
};

/// An <origin> with its quaternion as angles, which all versions of urdfdom read.
XmlElement withAngles(XmlElement origin, const Vec3& rpy) {
  std::erase_if(origin.attributes, [](const auto& entry) { return entry.first == "quat_xyzw"; });
  std::string text;
  for (int k = 0; k < 3; ++k) {
    char digits[32];
    if (k > 0) text += ' ';
    text.append(digits, std::to_chars(digits, digits + sizeof digits, rpy[k]).ptr);
  }
  origin.attributes.emplace_back("rpy", std::move(text));
  return origin;
}

/// The element with its attributes and the named children only.
XmlElement picked(const XmlElement& element, const std::set<std::string>& children,
                  const Findings& found) {
  XmlElement out{element.name, element.line, element.attributes, {}, {}};
  for (const XmlElement& child : element.children) {
    if (!children.contains(child.name) || found.left_out.contains(&child)) continue;
    const auto angles = found.angles.find(&child);
    out.children.push_back(angles == found.angles.end() ? child
                                                        : withAngles(child, angles->second));
  }
  return out;
}

XmlElement plainLink(const XmlElement& link, const UrdfParts& parts, const Findings& found) {
  XmlElement out{"link", link.line, {{"name", *link.attribute("name")}}, {}, {}};
  for (const XmlElement& part : link.children) {
    if (found.left_out.contains(&part)) continue;
    if (part.name == "inertial") {
      out.children.push_back(picked(part, {"origin", "mass", "inertia"}, found));
    }
    if ((part.name == "collision" && parts.collision) || (part.name == "visual" && parts.visual)) {
      out.children.push_back(picked(part, {"origin", "geometry"}, found));
    }
  }
  return out;
}

// urdfdom reads a missing soft limit as zero, which would lock the joint, and requires k_velocity.
// A missing soft limit becomes the hard one.
void completeSafety(XmlElement& joint) {
  const XmlElement* limit = joint.child("limit");
  for (XmlElement& safety : joint.children) {
    if (safety.name != "safety_controller") continue;
    const auto add = [&](const char* key, const std::string* value) {
      if (!safety.attribute(key)) safety.attributes.emplace_back(key, value ? *value : "0");
    };
    add("soft_lower_limit", limit ? limit->attribute("lower") : nullptr);
    add("soft_upper_limit", limit ? limit->attribute("upper") : nullptr);
    add("k_position", nullptr);
    add("k_velocity", nullptr);
  }
}

XmlElement plainJoint(const XmlElement& joint, const UrdfParts& parts, const Findings& found) {
  // The same parts that the checker has looked at, by type.
  std::set<std::string> wanted{"origin", "parent", "child"};
  const std::string& type = *joint.attribute("type");
  if (type != "fixed" && type != "floating") wanted.insert("axis");
  if (type == "revolute" || type == "continuous" || type == "prismatic") {
    wanted.insert({"limit", "mimic"});
    if (parts.soft_limits) wanted.insert("safety_controller");
  }
  XmlElement out = picked(joint, wanted, found);
  completeSafety(out);
  return out;
}

}  // namespace

std::string plainUrdf(const XmlElement& robot, const UrdfParts& parts,
                      const std::set<const XmlElement*>& left_out,
                      const std::map<const XmlElement*, Vec3>& angles) {
  const Findings found{left_out, angles};
  XmlElement out{"robot", robot.line, {{"name", *robot.attribute("name")}}, {}, {}};
  for (const XmlElement& element : robot.children) {
    if (element.name == "link") out.children.push_back(plainLink(element, parts, found));
    if (element.name == "joint") out.children.push_back(plainJoint(element, parts, found));
  }
  return printXml(out);
}

}  // namespace allclear
