// Checks a URDF before urdfdom reads it, and prints a plain copy of the parts that are read.
//
// urdfdom accepts two links of one name, lower > upper, NaN and zero axes in silence, and its
// messages name no lines. The checker walks the elements in the order of the file and refuses each
// of these with file, line and value; what is odd but harmless is a warning. The plain copy holds
// checked elements alone, so that nothing unchecked reaches urdfdom: extensions, materials, unused
// shapes and limits are left out.
#include "allclear/robot_models/files/urdf_check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <set>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/urdf_tree.h"

namespace allclear {
namespace {

// More links than any robot has; bounds the work and memory that a broken file can ask for.
constexpr std::size_t kMostLinks = 4096;
// Relative slack for rounding of the printed inertias.
constexpr double kInertiaSlack = 1e-3;
// A shorter axis is a slip: its direction would be the rounding of printed digits.
constexpr double kShortestAxis = 1e-6;
// Axes printed with three digits have this error in their length: no reason for a warning.
constexpr double kAxisLengthSlack = 1e-3;

const std::vector<std::string> kJointTypes{"revolute", "continuous", "prismatic",
                                           "fixed",    "floating",   "planar"};
// Of URDF and its common extensions; the rest may be a slip of the pen.
const std::vector<std::string> kKnownElements{"link",         "joint",  "material",     "gazebo",
                                              "transmission", "sensor", "ros2_control", "mujoco"};

class Checker {
 public:
  Checker(const XmlElement& robot, const UrdfParts& parts, const XmlReader& reader)
      : robot_(robot), parts_(parts), reader_(reader) {}

  UrdfOutline run() {
    checkRoot();
    std::vector<const XmlElement*> joints;
    for (const XmlElement& element : robot_.children) {
      if (element.name == "link") {
        checkLink(element);
      } else if (element.name == "joint") {
        checkJoint(element);
        joints.push_back(&element);
      } else {
        noteUnknown(element);
      }
    }
    // Elements are sound by themselves; now the joints must form one tree.
    if (outline_.link_elements.empty()) reader_.fail(robot_, "", "", "has no link");
    orderTree(robot_, joints, reader_, outline_);
    return std::move(outline_);
  }

 private:
  void warn(const XmlElement& element, const std::string& message) {
    outline_.warnings.push_back(reader_.file() + ":" + std::to_string(element.line) + ": " +
                                message);
  }

  void checkRoot() {
    if (robot_.name != "robot") {
      reader_.fail(robot_, "", "", "is not a URDF file: the root element must be <robot>");
    }
    reader_.name(robot_, "");
  }

  void noteUnknown(const XmlElement& element) {
    if (element.name.starts_with("xacro:")) {
      reader_.fail(robot_, "", element.name,
                   "is a xacro file: expand it first (xacro FILE > robot.urdf)");
    }
    const auto& known = kKnownElements;
    if (std::find(known.begin(), known.end(), element.name) != known.end()) return;
    warn(element, "<" + element.name + "> is not read" + didYouMean(element.name, known));
  }

  void checkLink(const XmlElement& link) {
    const std::string& name = reader_.name(link, "");
    if (!outline_.link_elements.emplace(name, &link).second) {
      reader_.fail(link, "", name, "a second link of that name");
    }
    if (outline_.link_elements.size() > kMostLinks) {
      reader_.fail(link, "", name, "more than " + std::to_string(kMostLinks) + " links");
    }
    const std::string owner = "link '" + name + "'";
    // Shapes that nobody asked for may be broken.
    for (const XmlElement& part : link.children) {
      const bool is_read = (part.name == "collision" && parts_.collision) ||
                           (part.name == "visual" && parts_.visual);
      if (is_read) checkGeometry(part, owner);
    }
    if (const XmlElement* inertial = reader_.onlyChild(link, owner, "inertial")) {
      checkInertial(*inertial, link, owner);
    }
  }

  void checkOrigin(const XmlElement& element, const std::string& owner) {
    const XmlElement* origin = reader_.onlyChild(element, owner, "origin");
    if (!origin) return;
    reader_.vector(*origin, owner, "xyz", Vec3::Zero());
    reader_.vector(*origin, owner, "rpy", Vec3::Zero());
  }

  void checkGeometry(const XmlElement& collision, const std::string& owner) {
    checkOrigin(collision, owner);
    const XmlElement& geometry = reader_.requiredChild(collision, owner, "geometry");
    if (geometry.children.size() != 1) {
      reader_.fail(geometry, owner, "", "must hold one of <box>, <cylinder>, <sphere>, <mesh>");
    }
    // Shapes must have a volume: distances and bounds divide by sizes.
    const XmlElement& shape = geometry.children.front();
    if (shape.name == "box") {
      const Vec3 size = reader_.vector(shape, owner, "size");
      if ((size.array() <= 0.0).any()) {
        reader_.fail(shape, owner, *shape.attribute("size"), "attribute 'size' must be positive");
      }
    } else if (shape.name == "cylinder") {
      reader_.positiveNumber(shape, owner, "radius");
      reader_.positiveNumber(shape, owner, "length");
    } else if (shape.name == "sphere") {
      reader_.positiveNumber(shape, owner, "radius");
    } else if (shape.name == "mesh") {
      checkMesh(shape, owner);
    } else {
      reader_.fail(shape, owner, "",
                   "unknown shape: must be <box>, <cylinder>, <sphere> or <mesh>" +
                       didYouMean(shape.name, {"box", "cylinder", "sphere", "mesh"}));
    }
  }

  void checkMesh(const XmlElement& mesh, const std::string& owner) {
    reader_.name(mesh, owner, "filename");
    const Vec3 scale = reader_.vector(mesh, owner, "scale", Vec3::Ones());
    if ((scale.array() == 0.0).any()) {
      reader_.fail(mesh, owner, *mesh.attribute("scale"), "attribute 'scale' must not be zero");
    }
  }

  void checkInertial(const XmlElement& inertial, const XmlElement& link, const std::string& owner) {
    checkOrigin(inertial, owner);
    const XmlElement& mass = reader_.requiredChild(inertial, owner, "mass");
    const double m = reader_.number(mass, owner, "value");
    const std::string& value = *mass.attribute("value");
    if (m < 0.0) reader_.fail(mass, owner, value, "mass must not be negative");
    // Frames without a body are often given as a link of mass zero and any inertia.
    if (m == 0.0 && link.child("collision")) {
      reader_.fail(mass, owner, value, "mass of a link with collision geometry must not be zero");
    }
    const XmlElement& element = reader_.requiredChild(inertial, owner, "inertia");
    const Mat3 I = inertia(element, owner);
    if (m == 0.0) {
      if (!I.isZero()) warn(mass, owner + ": mass is zero, its inertia is not used");
      return;
    }
    checkInertia(I, element, owner);
  }

  Mat3 inertia(const XmlElement& element, const std::string& owner) const {
    const auto at = [&](const char* key) { return reader_.number(element, owner, key); };
    const double xx = at("ixx"), xy = at("ixy"), xz = at("ixz");
    const double yy = at("iyy"), yz = at("iyz"), zz = at("izz");
    Mat3 I;
    I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return I;
  }

  // Principal moments a <= b <= c of a body are positive with a + b >= c (each is an integral of
  // two squared coordinates). Files of real robots break the second rule now and then; then the
  // torques are wrong, but nothing else is, so it is a warning. A negative moment makes the mass
  // matrix indefinite and is refused.
  void checkInertia(const Mat3& I, const XmlElement& element, const std::string& owner) {
    const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(I).eigenvalues();
    const double slack = kInertiaSlack * std::abs(moments[2]);
    if (moments[0] < -slack) {
      reader_.fail(element, owner, "", "a principal moment of inertia is negative");
    }
    if (moments[2] == 0.0) {
      warn(element, owner + ": inertia is zero: taken as a point mass");
    } else if (moments[0] + moments[1] < moments[2] - slack) {
      warn(element, owner +
                        ": no body has this inertia (the largest principal moment exceeds the "
                        "sum of the others); used as it is");
    }
  }

  void checkJoint(const XmlElement& joint) {
    const std::string& name = reader_.name(joint, "");
    if (!outline_.joint_elements.emplace(name, &joint).second) {
      reader_.fail(joint, "", name, "a second joint of that name");
    }
    const std::string owner = "joint '" + name + "'";
    const std::string& type = reader_.text(joint, "", "type");
    const auto& types = kJointTypes;
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      reader_.fail(joint, owner, type, "unknown joint type" + didYouMean(type, kJointTypes));
    }
    checkOrigin(joint, owner);
    if (type == "fixed") return;  // axis, limits and mimic of it mean nothing
    if (type != "floating") checkAxis(joint, owner);
    const bool one_coordinate = type != "floating" && type != "planar";
    if (one_coordinate) {
      checkLimit(joint, type, owner);
      checkSafety(joint, owner);
    } else if (const XmlElement* limit = joint.child("limit")) {
      warn(*limit, owner + ": limits of a " + type + " joint are not used");
    }
    checkMimic(joint, one_coordinate, owner);
  }

  void checkAxis(const XmlElement& joint, const std::string& owner) {
    const XmlElement* axis = reader_.onlyChild(joint, owner, "axis");
    if (!axis) return;
    const double length = reader_.vector(*axis, owner, "xyz", Vec3::UnitX()).norm();
    if (length < kShortestAxis) {
      reader_.fail(*axis, owner, *axis->attribute("xyz"), "axis must not be zero");
    }
    if (std::abs(length - 1.0) > kAxisLengthSlack)
      warn(*axis, owner + ": axis is scaled to length 1");
  }

  void checkLimit(const XmlElement& joint, const std::string& type, const std::string& owner) {
    const XmlElement* limit = reader_.onlyChild(joint, owner, "limit");
    if (!limit) {
      if (type == "continuous") return;
      reader_.fail(joint, owner, "", "a " + type + " joint needs a <limit>");
    }
    // URDF's defaults: no bounds given means both are zero.
    const double lower = reader_.number(*limit, owner, "lower", 0.0);
    const double upper = reader_.number(*limit, owner, "upper", 0.0);
    if (type != "continuous" && lower > upper) {
      reader_.fail(*limit, owner, shownRange(*limit), "lower limit is above the upper limit");
    }
    for (const char* key : {"effort", "velocity"}) {
      if (reader_.number(*limit, owner, key) < 0.0) {
        reader_.fail(*limit, owner, *limit->attribute(key),
                     std::string("attribute '") + key + "' must not be negative");
      }
    }
  }

  static std::string shownRange(const XmlElement& limit) {
    const auto shown = [&](const char* key) {
      const std::string* value = limit.attribute(key);
      return value ? *value : std::string("0");
    };
    return shown("lower") + " .. " + shown("upper");
  }

  void checkSafety(const XmlElement& joint, const std::string& owner) {
    const XmlElement* safety = reader_.onlyChild(joint, owner, "safety_controller");
    if (!safety) return;
    for (const char* key : {"soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"}) {
      reader_.number(*safety, owner, key, 0.0);
    }
  }

  void checkMimic(const XmlElement& joint, bool one_coordinate, const std::string& owner) {
    const XmlElement* mimic = reader_.onlyChild(joint, owner, "mimic");
    if (!mimic) return;
    reader_.name(*mimic, owner, "joint");
    reader_.number(*mimic, owner, "multiplier", 1.0);
    reader_.number(*mimic, owner, "offset", 0.0);
    if (!one_coordinate) reader_.fail(*mimic, owner, "", "a joint of this type cannot mimic");
  }

  const XmlElement& robot_;
  const UrdfParts& parts_;
  const XmlReader& reader_;
  UrdfOutline outline_;
};

/// The element with the named children and attributes only.
XmlElement picked(const XmlElement& element, const std::set<std::string>& children) {
  XmlElement out{element.name, element.line, element.attributes, {}, {}};
  for (const XmlElement& child : element.children) {
    if (children.contains(child.name)) out.children.push_back(child);
  }
  return out;
}

XmlElement plainLink(const XmlElement& link, const UrdfParts& parts) {
  XmlElement out{"link", link.line, {{"name", *link.attribute("name")}}, {}, {}};
  for (const XmlElement& part : link.children) {
    if (part.name == "inertial") out.children.push_back(part);
    if ((part.name == "collision" && parts.collision) || (part.name == "visual" && parts.visual)) {
      out.children.push_back(picked(part, {"origin", "geometry"}));
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

XmlElement plainJoint(const XmlElement& joint, const UrdfParts& parts) {
  // The same parts that the checker has looked at, by type.
  std::set<std::string> wanted{"origin", "parent", "child"};
  const std::string& type = *joint.attribute("type");
  if (type != "fixed" && type != "floating") wanted.insert("axis");
  if (type == "revolute" || type == "continuous" || type == "prismatic") {
    wanted.insert({"limit", "mimic"});
    if (parts.soft_limits) wanted.insert("safety_controller");
  }
  XmlElement out = picked(joint, wanted);
  completeSafety(out);
  return out;
}

}  // namespace

UrdfOutline checkUrdf(const XmlElement& robot, const UrdfParts& parts, const XmlReader& reader) {
  return Checker(robot, parts, reader).run();
}

std::string plainUrdf(const XmlElement& robot, const UrdfParts& parts) {
  XmlElement out{"robot", robot.line, {{"name", *robot.attribute("name")}}, {}, {}};
  for (const XmlElement& element : robot.children) {
    if (element.name == "link") out.children.push_back(plainLink(element, parts));
    if (element.name == "joint") out.children.push_back(plainJoint(element, parts));
  }
  return printXml(out);
}

}  // namespace allclear
