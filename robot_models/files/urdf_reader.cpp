// From the text of a URDF to links, joints and shapes, in three steps: parse the XML with line
// numbers (tinyxml2), check all that will be used (urdf_check.h), and let urdfdom read a plain copy
// of the checked parts. urdfdom knows URDF's defaults and conventions (angles, mimics, safety
// limits), but knows no lines and accepts broken files in silence; so it never sees an unchecked
// value, and every complaint is ours. Lines for later messages come from the XML elements: urdfdom
// keeps the order of a link's shapes.
#include "allclear/robot_models/files/urdf_reader.h"

#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <limits>

#include "allclear/core/assert.h"
#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/captured_log.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

urdf::ModelInterfaceSharedPtr parsed(const std::string& text, const std::string& file) {
  // urdfdom reports by its log, by returning nothing, or by an exception: all three become an
  // InputError.
  CapturedLog log;
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& error) {
    throw InputError({file, 0, "", ""}, std::string("not a valid URDF: ") + error.what());
  }
  if (!model) {
    throw InputError({file, 0, "", ""},
                     "not a valid URDF: " +
                         (log.first_error.empty() ? "urdfdom gives no reason" : log.first_error));
  }
  return model;
}

Vec3 vectorOf(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Pose poseOf(const urdf::Pose& pose) {
  const urdf::Rotation& q = pose.rotation;
  return {Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix(),
          vectorOf(pose.position)};
}

// The inertial frame may be turned against the link frame: I_L = R_LC I_C R_LC^T. The product is
// symmetric up to rounding; it is made symmetric to the bit, because the dynamics rely on it.
Inertia inertiaOf(const urdf::Link& link) {
  if (!link.inertial || link.inertial->mass == 0.0) return {};
  const urdf::Inertial& from = *link.inertial;
  const Pose X_LC = poseOf(from.origin);
  Mat3 I;
  I << from.ixx, from.ixy, from.ixz, from.ixy, from.iyy, from.iyz, from.ixz, from.iyz, from.izz;
  const Mat3 turned = X_LC.R * I * X_LC.R.transpose();
  return {from.mass, X_LC.p, 0.5 * (turned + turned.transpose())};
}

UrdfShape shapeOf(const urdf::Geometry& geometry, const urdf::Pose& origin, int line) {
  UrdfShape out;
  out.X_LG = poseOf(origin);
  out.line = line;
  switch (geometry.type) {
    case urdf::Geometry::SPHERE:
      out.shape = Sphere(static_cast<const urdf::Sphere&>(geometry).radius);
      break;
    case urdf::Geometry::BOX:
      out.shape = Box(vectorOf(static_cast<const urdf::Box&>(geometry).dim));
      break;
    case urdf::Geometry::CYLINDER: {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
      out.shape = Cylinder(cylinder.radius, cylinder.length);
      break;
    }
    case urdf::Geometry::MESH: {
      // Loaded later, once the package paths are known.
      const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
      out.mesh_uri = mesh.filename;
      out.mesh_scale = vectorOf(mesh.scale);
      break;
    }
  }
  return out;
}

/// Lines of the children of that name, in the order in which urdfdom keeps them.
std::vector<int> linesOf(const XmlElement& element, const std::string& name,
                         const UrdfOutline& outline) {
  std::vector<int> lines;
  for (const XmlElement& child : element.children) {
    if (child.name == name && !outline.left_out.contains(&child)) lines.push_back(child.line);
  }
  return lines;
}

template <class Parts>
std::vector<UrdfShape> shapesOf(const Parts& parts, const std::vector<int>& lines) {
  std::vector<UrdfShape> shapes;
  ALLCLEAR_ASSERT(parts.size() <= lines.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    shapes.push_back(shapeOf(*parts[i]->geometry, parts[i]->origin, lines[i]));
  }
  return shapes;
}

UrdfLink linkOf(const urdf::Link& from, const UrdfOutline& outline) {
  const XmlElement& element = *outline.link_elements.at(from.name);
  const auto fault = outline.inertia_faults.find(from.name);
  UrdfLink link;
  link.name = from.name;
  link.inertia = inertiaOf(from);
  if (fault != outline.inertia_faults.end()) link.inertia_fault = fault->second;
  link.collision = shapesOf(from.collision_array, linesOf(element, "collision", outline));
  link.visual = shapesOf(from.visual_array, linesOf(element, "visual", outline));
  link.has_visuals = element.child("visual") != nullptr;
  return link;
}

JointType typeOf(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
      return JointType::kRevolute;
    case urdf::Joint::CONTINUOUS:
      return JointType::kContinuous;
    case urdf::Joint::PRISMATIC:
      return JointType::kPrismatic;
    case urdf::Joint::FLOATING:
      return JointType::kFloating;
    case urdf::Joint::PLANAR:
      return JointType::kPlanar;
    default:
      return JointType::kFixed;
  }
}

UrdfLimits limitsOf(const urdf::Joint& joint, int line, const std::string& file) {
  UrdfLimits limits{-kInfinity, kInfinity, kInfinity, kInfinity};
  if (!joint.limits) return limits;
  // A continuous joint has limits of velocity and effort alone; its positions wrap.
  // As MoveIt takes them: without a sign, and a velocity of zero is none given (see the checker's
  // notes).
  limits.velocity = std::abs(joint.limits->velocity);
  if (limits.velocity == 0.0) limits.velocity = kInfinity;
  limits.effort = std::abs(joint.limits->effort);
  if (joint.type == urdf::Joint::CONTINUOUS) return limits;
  limits.lower = joint.limits->lower;
  limits.upper = joint.limits->upper;
  // Soft limits, when they are asked for, narrow the hard ones.
  if (joint.safety) {
    limits.lower = std::max(limits.lower, joint.safety->soft_lower_limit);
    limits.upper = std::min(limits.upper, joint.safety->soft_upper_limit);
    if (limits.lower > limits.upper) {
      throw InputError({file, line, "joint '" + joint.name + "'", ""},
                       "its soft limits leave no position");
    }
  }
  return limits;
}

UrdfJoint jointOf(const urdf::Joint& from, int line, const std::string& file) {
  UrdfJoint out;
  out.joint.name = from.name;
  out.joint.type = typeOf(from);
  out.joint.X_PJ = poseOf(from.parent_to_joint_origin_transform);
  // urdfdom gives joints without an axis element (1, 0, 0), fixed ones may have a zero.
  const Vec3 axis = vectorOf(from.axis);
  if (axis.norm() > 0.0) out.joint.axis = axis.normalized();
  out.limits = limitsOf(from, line, file);
  if (from.mimic) {
    out.mimicked = from.mimic->joint_name;
    out.multiplier = from.mimic->multiplier;
    out.offset = from.mimic->offset;
  }
  out.line = line;
  return out;
}

}  // namespace

UrdfRobot readUrdf(const std::string& content, const std::string& file, const UrdfParts& parts) {
  const XmlElement root = parseXml(content, file);
  UrdfOutline outline = checkUrdf(root, parts, XmlReader(file));
  const urdf::ModelInterfaceSharedPtr model =
      parsed(plainUrdf(root, parts, outline.left_out, outline.angles), file);
  ALLCLEAR_ASSERT(model->links_.size() == outline.links.size());
  ALLCLEAR_ASSERT(model->joints_.size() == outline.joints.size());

  // urdfdom keeps maps by name; the outline gives the tree order that the rest relies on.
  UrdfRobot robot;
  robot.name = model->getName();
  std::unordered_map<std::string, int> link_index;
  for (const std::string& name : outline.links) {
    link_index[name] = static_cast<int>(robot.links.size());
    robot.links.push_back(linkOf(*model->links_.at(name), outline));
  }
  for (const std::string& name : outline.joints) {
    const urdf::Joint& from = *model->joints_.at(name);
    UrdfJoint joint = jointOf(from, outline.joint_elements.at(name)->line, file);
    joint.joint.parent_link = link_index.at(from.parent_link_name);
    joint.joint.child_link = link_index.at(from.child_link_name);
    robot.joints.push_back(std::move(joint));
  }
  robot.notes = std::move(outline.notes);
  return robot;
}

}  // namespace allclear
