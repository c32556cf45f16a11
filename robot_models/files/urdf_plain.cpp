// Prints a plain copy of a URDF: checked elements alone, so that nothing unchecked reaches urdfdom.
// Extensions, materials, unused shapes and limits, and what the checker left out, are not in it.
#include "allclear/robot_models/files/urdf_check.h"

namespace allclear {
namespace {

using LeftOut = std::set<const XmlElement*>;

/// The element with its attributes and the named children only.
XmlElement picked(const XmlElement& element, const std::set<std::string>& children,
                  const LeftOut& left_out) {
  XmlElement out{element.name, element.line, element.attributes, {}, {}};
  for (const XmlElement& child : element.children) {
    if (children.contains(child.name) && !left_out.contains(&child)) out.children.push_back(child);
  }
  return out;
}

XmlElement plainLink(const XmlElement& link, const UrdfParts& parts, const LeftOut& left_out) {
  XmlElement out{"link", link.line, {{"name", *link.attribute("name")}}, {}, {}};
  for (const XmlElement& part : link.children) {
    if (left_out.contains(&part)) continue;
    if (part.name == "inertial") {
      out.children.push_back(picked(part, {"origin", "mass", "inertia"}, left_out));
    }
    if ((part.name == "collision" && parts.collision) || (part.name == "visual" && parts.visual)) {
      out.children.push_back(picked(part, {"origin", "geometry"}, left_out));
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

XmlElement plainJoint(const XmlElement& joint, const UrdfParts& parts, const LeftOut& left_out) {
  // The same parts that the checker has looked at, by type.
  std::set<std::string> wanted{"origin", "parent", "child"};
  const std::string& type = *joint.attribute("type");
  if (type != "fixed" && type != "floating") wanted.insert("axis");
  if (type == "revolute" || type == "continuous" || type == "prismatic") {
    wanted.insert({"limit", "mimic"});
    if (parts.soft_limits) wanted.insert("safety_controller");
  }
  XmlElement out = picked(joint, wanted, left_out);
  completeSafety(out);
  return out;
}

}  // namespace

std::string plainUrdf(const XmlElement& robot, const UrdfParts& parts, const LeftOut& left_out) {
  XmlElement out{"robot", robot.line, {{"name", *robot.attribute("name")}}, {}, {}};
  for (const XmlElement& element : robot.children) {
    if (element.name == "link") out.children.push_back(plainLink(element, parts, left_out));
    if (element.name == "joint") out.children.push_back(plainJoint(element, parts, left_out));
  }
  return printXml(out);
}

}  // namespace allclear
