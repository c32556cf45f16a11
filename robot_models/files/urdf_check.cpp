// Checks a URDF before urdfdom reads it.
//
// urdfdom accepts two links of one name, lower > upper, NaN and zero axes in silence, and its
// messages name no lines. The checker walks the elements in the order of the file. Files of real
// robots are full of oddities; each is judged by what a plan could claim wrongly:
//  - what no claim rests on (unknown elements, broken visuals) is a warning;
//  - what can be read in one safe way is read so, with a note that certificates repeat: masses that
//    are broken count as unknown, and whoever asks for torques is refused (planner/problem/claims);
//  - all else (shapes, axes, limits, references) is refused with file, line, value and the fix.
#include "allclear/robot_models/files/urdf_check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

#include "allclear/core/input_error.h"
#include "allclear/robot_models/files/urdf_tree.h"
#include "allclear/robot_models/files/urdf_vocabulary.h"

namespace allclear {
namespace {

constexpr double kFarthest =
    1e9;  // [m; rad], as for all that is bounded later: squares stay finite
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
    noteZeroLimits();
    // Elements are sound by themselves; now the joints must form one tree.
    if (outline_.link_elements.empty()) {
      const bool is_srdf = std::any_of(
          robot_.children.begin(), robot_.children.end(), [](const XmlElement& element) {
            return element.name == "group" || element.name == "disable_collisions";
          });
      reader_.fail(robot_, "", "", is_srdf ? "has no link: is it an SRDF?" : "has no link");
    }
    orderTree(robot_, joints, reader_, outline_);
    return std::move(outline_);
  }

 private:
  void warn(const XmlElement& element, const std::string& message) {
    outline_.notes.warn(reader_.file(), element.line, message);
  }
  void assume(const XmlElement& element, const std::string& message) {
    outline_.notes.assume("URDF", reader_.file(), element.line, message);
  }

  /// The first child of that name, as urdfdom and MoveIt take it; others are left out with a note.
  const XmlElement* first(const XmlElement& element, const std::string& owner, const char* name) {
    const XmlElement* found = nullptr;
    for (const XmlElement& child : element.children) {
      if (child.name != name) continue;
      if (found) {
        outline_.left_out.insert(&child);
        assume(child, owner + ": a second <" + name + ">; the first one counts");
      } else {
        found = &child;
      }
    }
    return found;
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
      reader_.fail(link, "", name, "a second link of that name: rename one of them");
    }
    if (outline_.link_elements.size() > kMostLinks) {
      reader_.fail(link, "", name, "more than " + std::to_string(kMostLinks) + " links");
    }
    const std::string owner = "link '" + name + "'";
    checkChildren(link, owner, reader_);
    // Shapes that nobody asked for may be broken.
    const bool counts = parts_.visual_collides && !link.child("collision");
    for (const XmlElement& part : link.children) {
      if (part.name == "collision" && parts_.collision) checkGeometry(part, owner);
      if (part.name == "visual" && parts_.visual) checkVisual(part, owner, counts);
    }
    if (const XmlElement* inertial = first(link, owner, "inertial")) {
      readInertial(*inertial, link, owner);
    }
  }

  /// Visuals show in reports alone, unless they stand in for collision geometry.
  void checkVisual(const XmlElement& visual, const std::string& owner, bool collides) {
    try {
      checkGeometry(visual, owner);
    } catch (const InputError& error) {
      if (collides) throw;
      outline_.left_out.insert(&visual);
      outline_.notes.warnings.push_back(std::string("visual left out: ") + error.what());
    }
  }

  /// Masses matter to torques and balance alone, which are refused where they are unknown. So a
  /// broken one does not keep the robot from being read.
  void readInertial(const XmlElement& inertial, const XmlElement& link, const std::string& owner) {
    try {
      checkInertial(inertial, link, owner);
    } catch (const InputError& error) {
      outline_.left_out.insert(&inertial);
      outline_.inertia_faults[*link.attribute("name")] = error.message();
      outline_.notes.forgive("URDF", error,
                             "mass and inertia count as unknown (torque limits and balance need "
                             "them)");
    }
  }

  void checkOrigin(const XmlElement& element, const std::string& owner) {
    const XmlElement* origin = first(element, owner, "origin");
    if (!origin) return;
    checkNames(*origin, owner);
    if (!(reader_.vector(*origin, owner, "xyz", Vec3::Zero()).cwiseAbs().maxCoeff() <= kFarthest)) {
      reader_.fail(*origin, owner, *origin->attribute("xyz"), "attribute 'xyz' is beyond 1e9");
    }
    const std::string* version = robot_.attribute("version");
    const Vec3 rpy = originAngles(*origin, owner, reader_, version ? *version : "");
    if (origin->attribute("quat_xyzw")) outline_.angles[origin] = rpy;
  }
  void checkNames(const XmlElement& element, const std::string& owner) {
    checkAttributes(element, owner, reader_, &outline_.notes);
  }

  void checkGeometry(const XmlElement& collision, const std::string& owner) {
    checkChildren(collision, owner, reader_);
    checkOrigin(collision, owner);
    const XmlElement& geometry = reader_.requiredChild(collision, owner, "geometry");
    if (geometry.children.size() != 1) {
      reader_.fail(
          geometry, owner, "",
          "must hold one of <box>, <cylinder>, <sphere>, <mesh>: give the shape, or take this <" +
              collision.name + "> out");
    }
    // Shapes must have a volume: distances and bounds divide by sizes.
    const XmlElement& shape = geometry.children.front();
    checkNames(shape, owner);
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
    checkChildren(inertial, owner, reader_);
    checkOrigin(inertial, owner);
    const XmlElement& mass = reader_.requiredChild(inertial, owner, "mass");
    checkNames(mass, owner);
    const double m = reader_.number(mass, owner, "value");
    const std::string& value = *mass.attribute("value");
    if (m < 0.0) reader_.fail(mass, owner, value, "mass must not be negative");
    // Frames without a body are often given as a link of mass zero and any inertia.
    if (m == 0.0 && link.child("collision")) {
      reader_.fail(mass, owner, value, "mass of a link with collision geometry is zero");
    }
    const XmlElement& element = reader_.requiredChild(inertial, owner, "inertia");
    const Mat3 I = inertia(element, owner);
    if (m == 0.0) {
      if (!I.isZero()) assume(mass, owner + ": mass is zero, its inertia is not used");
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
  // torques are wrong, but nothing else is, so it is a note. A negative moment makes the mass
  // matrix indefinite: mass and inertia count as unknown.
  void checkInertia(const Mat3& I, const XmlElement& element, const std::string& owner) {
    const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(I).eigenvalues();
    const double slack = kInertiaSlack * std::abs(moments[2]);
    if (moments[0] < -slack) {
      reader_.fail(element, owner, "", "a principal moment of inertia is negative");
    }
    if (moments[2] == 0.0) {
      assume(element, owner + ": inertia is zero: taken as a point mass");
    } else if (moments[0] + moments[1] < moments[2] - slack) {
      assume(element, owner +
                          ": no body has this inertia (the largest principal moment exceeds the "
                          "sum of the others); used as it is");
    }
  }

  void checkJoint(const XmlElement& joint) {
    const std::string& name = reader_.name(joint, "");
    if (!outline_.joint_elements.emplace(name, &joint).second) {
      reader_.fail(joint, "", name, "a second joint of that name: rename one of them");
    }
    const std::string owner = "joint '" + name + "'";
    const std::string& type = reader_.text(joint, "", "type");
    const auto& types = kJointTypes;
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      reader_.fail(joint, owner, type, "unknown joint type" + didYouMean(type, kJointTypes));
    }
    checkChildren(joint, owner, reader_);
    checkOrigin(joint, owner);
    if (type == "fixed") return;  // axis, limits and mimic of it mean nothing
    if (type != "floating") checkAxis(joint, owner);
    const bool one_coordinate = type != "floating" && type != "planar";
    if (one_coordinate) {
      checkLimit(joint, type, owner);
      checkSafety(joint, owner);
    } else if (const XmlElement* limit = joint.child("limit")) {
      assume(*limit, owner + ": limits of a " + type + " joint are not used");
    }
    checkMimic(joint, one_coordinate, owner);
  }

  void checkAxis(const XmlElement& joint, const std::string& owner) {
    const XmlElement* axis = first(joint, owner, "axis");
    if (!axis) return;
    checkNames(*axis, owner);
    const double length = reader_.vector(*axis, owner, "xyz", Vec3::UnitX()).norm();
    if (length < kShortestAxis) {
      reader_.fail(*axis, owner, *axis->attribute("xyz"),
                   "axis must not be zero: give its direction, or make the joint fixed");
    }
    if (std::abs(length - 1.0) > kAxisLengthSlack) {
      assume(*axis, owner + ": axis is scaled to length 1");
    }
  }

  void checkLimit(const XmlElement& joint, const std::string& type, const std::string& owner) {
    const XmlElement* limit = first(joint, owner, "limit");
    if (!limit) {
      if (type == "continuous") return;
      reader_.fail(joint, owner, "",
                   "a " + type + " joint needs a <limit> with lower, upper, effort and velocity" +
                       (type == "revolute" ? " (one that turns without end is continuous)" : ""));
    }
    checkNames(*limit, owner);
    // URDF's defaults: no bounds given means both are zero.
    const double lower = reader_.number(*limit, owner, "lower", 0.0);
    const double upper = reader_.number(*limit, owner, "upper", 0.0);
    if (type != "continuous" && lower > upper) {
      reader_.fail(*limit, owner, shownRange(*limit),
                   "lower limit is above the upper limit: swap them if that is meant");
    }
    checkRate(*limit, owner, "velocity", *joint.attribute("name"), zero_velocity_);
    checkRate(*limit, owner, "effort", *joint.attribute("name"), zero_effort_);
  }

  /// Limits of velocity and effort are sizes, so a sign means nothing. Zeros are collected: files
  /// that have one often have one for every joint.
  void checkRate(const XmlElement& limit, const std::string& owner, const char* key,
                 const std::string& joint, std::vector<std::string>& zeros) {
    const double value = reader_.number(limit, owner, key);
    if (value < 0.0) assume(limit, owner + ": attribute '" + key + "' is taken without its sign");
    if (value == 0.0) zeros.push_back(joint);
  }

  /// MoveIt takes a velocity limit of zero for none. An effort of zero stays what it is; it matters
  /// to torque limits alone, which are refused then.
  void noteZeroLimits() {
    if (!zero_velocity_.empty()) {
      assume(robot_, "the velocity limit is zero, taken for none given, of the joints " +
                         someNames(zero_velocity_));
    }
    if (!zero_effort_.empty()) {
      warn(robot_, "the effort limit is zero, so torque limits cannot be kept, of the joints " +
                       someNames(zero_effort_));
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
    const XmlElement* safety = first(joint, owner, "safety_controller");
    if (!safety) return;
    for (const char* key : {"soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"}) {
      reader_.number(*safety, owner, key, 0.0);
    }
  }

  void checkMimic(const XmlElement& joint, bool one_coordinate, const std::string& owner) {
    const XmlElement* mimic = first(joint, owner, "mimic");
    if (!mimic) return;
    checkNames(*mimic, owner);
    reader_.name(*mimic, owner, "joint");
    reader_.number(*mimic, owner, "multiplier", 1.0);
    reader_.number(*mimic, owner, "offset", 0.0);
    if (!one_coordinate)
      reader_.fail(
          *mimic, owner, "",
          "a joint of this type cannot mimic; take the <mimic> out and it moves on its own");
  }

  const XmlElement& robot_;
  const UrdfParts& parts_;
  const XmlReader& reader_;
  UrdfOutline outline_;
  std::vector<std::string> zero_velocity_;  ///< joints with a limit of zero
  std::vector<std::string> zero_effort_;
};

}  // namespace

UrdfOutline checkUrdf(const XmlElement& robot, const UrdfParts& parts, const XmlReader& reader) {
  return Checker(robot, parts, reader).run();
}

}  // namespace allclear
