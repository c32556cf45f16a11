// Which names the elements of a URDF may have, and what an <origin> says of rotations.
//
// Readers of URDFs leave out what they do not know. Of extensions that is harmless; of a slip of
// the pen it moves a joint or a solid in silence: `<origin pos="..">` is no origin at all. So an
// unknown attribute is refused where something of its element is missing that it may stand for, and
// otherwise noted. URDF 1.2 has quaternions in origins, which readers of older versions pass over.
#include "allclear/robot_models/files/urdf_vocabulary.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

using Words = std::vector<std::string>;

// Printed with three digits a full turn is this much too long [-].
constexpr double kTurnSlack = 1e-3;
// A quaternion printed with three digits is so far from length 1.
constexpr double kQuaternionSlack = 1e-3;

struct Attributes {
  Words read;
  /// Without one of them the element has a default that nobody may have meant: then nothing unknown
  /// may stand beside it.
  Words expected;
};

/// Origins may lack either half; a rotation has two names.
const std::map<std::string, Attributes>& attributesByElement() {
  static const std::map<std::string, Attributes> kAttributes = {
      {"origin", {{"xyz", "rpy", "quat_xyzw"}, {"xyz", "rpy"}}},
      {"axis", {{"xyz"}, {"xyz"}}},
      {"limit", {{"lower", "upper", "effort", "velocity"}, {}}},
      {"mimic", {{"joint", "multiplier", "offset"}, {"multiplier", "offset"}}},
      {"box", {{"size"}, {"size"}}},
      {"cylinder", {{"radius", "length"}, {"radius", "length"}}},
      {"sphere", {{"radius"}, {"radius"}}},
      {"mesh", {{"filename", "scale"}, {"filename"}}},
      {"mass", {{"value"}, {"value"}}}};
  return kAttributes;
}

const std::map<std::string, Words>& childrenByElement() {
  static const std::map<std::string, Words> kChildren = {
      {"link", {"inertial", "visual", "collision"}},
      {"inertial", {"origin", "mass", "inertia"}},
      {"collision", {"origin", "geometry"}},
      {"visual", {"origin", "geometry", "material"}},
      {"joint",
       {"origin", "parent", "child", "axis", "limit", "mimic", "safety_controller", "calibration",
        "dynamics"}}};
  return kChildren;
}

/// Elements that have one place each: elsewhere an end tag before them is missing.
const Words kStructure = {"link", "joint", "inertial", "collision", "visual", "geometry"};

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string lowered(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

/// The word that this one is but for the case or a slip; empty: none.
std::string meantBy(const std::string& word, const Words& known) {
  for (const std::string& candidate : known) {
    if (lowered(word) == lowered(candidate)) return " (did you mean '" + candidate + "'?)";
  }
  return didYouMean(word, known);
}

std::string listed(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "'" : ", '") + word + "'";
  return out;
}

/// Those of `words` that the element has not; the rotation of an origin may have its other name.
Words missingOf(const Words& words, const XmlElement& element) {
  Words missing;
  for (const std::string& word : words) {
    const bool has_other_name = word == "rpy" && element.attribute("quat_xyzw");
    if (!element.attribute(word) && !has_other_name) missing.push_back(word);
  }
  return missing;
}

/// Four numbers of length 1.
Eigen::Quaterniond quaternionOf(const XmlElement& origin, const std::string& owner,
                                const XmlReader& reader) {
  const std::vector<double> q = reader.numbers(origin, owner, "quat_xyzw", 4);
  const Eigen::Quaterniond out(q[3], q[0], q[1], q[2]);
  if (!(std::abs(out.norm() - 1.0) <= kQuaternionSlack)) {
    reader.fail(origin, owner, *origin.attribute("quat_xyzw"),
                "attribute 'quat_xyzw' must be a quaternion x y z w of length 1");
  }
  return out.normalized();
}

/// Angles with R = Rz(yaw) Ry(pitch) Rx(roll), accurate where yaw and roll turn about one axis too:
/// the roll is that of what yaw and pitch leave of R.
Vec3 anglesOf(const Mat3& R) {
  const double yaw = std::atan2(R(1, 0), R(0, 0));
  const double c = std::cos(yaw), s = std::sin(yaw);
  const double pitch = std::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0));
  const double roll = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  return {roll, pitch, yaw};
}

}  // namespace

void checkAttributes(const XmlElement& element, const std::string& owner, const XmlReader& reader,
                     LoadNotes* notes) {
  const auto rule = attributesByElement().find(element.name);
  if (rule == attributesByElement().end()) return;
  const auto& [read, expected] = rule->second;
  for (const auto& [name, value] : element.attributes) {
    if (contains(read, name)) continue;
    const Words missing = missingOf(expected, element);
    const std::string hint = meantBy(name, missingOf(read, element));
    // Names with a colon are extensions of others.
    if (name.find(':') == std::string::npos && (!hint.empty() || !missing.empty())) {
      reader.fail(element, owner, value,
                  "unknown attribute '" + name + "'" +
                      (hint.empty() ? ", and " + listed(missing) +
                                          " is not given: write that, or "
                                          "take '" +
                                          name + "' out"
                                    : hint));
    }
    notes->assume("URDF", reader.file(), element.line,
                  owner + ": attribute '" + name + "' of <" + element.name + "> is not read");
  }
}

void checkChildren(const XmlElement& element, const std::string& owner, const XmlReader& reader) {
  const auto rule = childrenByElement().find(element.name);
  if (rule == childrenByElement().end()) return;
  const Words& read = rule->second;
  for (const XmlElement& child : element.children) {
    if (contains(read, child.name)) continue;  // others are extensions, but for slips
    if (contains(kStructure, child.name)) {
      reader.fail(child, owner, "",
                  "a <" + child.name + "> inside of a <" + element.name +
                      "> would not be read: end the <" + element.name + "> before it, or give <" +
                      child.name + "> its own place");
    }
    const std::string hint = meantBy(child.name, read);
    if (!hint.empty()) reader.fail(child, owner, "", "<" + child.name + "> is not read" + hint);
  }
}

Vec3 originAngles(const XmlElement& origin, const std::string& owner, const XmlReader& reader,
                  const std::string& version) {
  // Angles stay as they are: only files with quaternions go through them.
  const std::string* quaternion = origin.attribute("quat_xyzw");
  if (!quaternion) {
    const Vec3 rpy = reader.vector(origin, owner, "rpy", Vec3::Zero());
    if (rpy.cwiseAbs().maxCoeff() <= 2.0 * std::numbers::pi * (1.0 + kTurnSlack)) return rpy;
    reader.fail(origin, owner, *origin.attribute("rpy"),
                "attribute 'rpy' is beyond a full turn: degrees? It must be in radians (90 degrees "
                "are 1.5707963267948966)");
  }
  if (origin.attribute("rpy")) {
    reader.fail(origin, owner, *quaternion,
                "gives its rotation twice, as 'rpy' and as 'quat_xyzw': give one of them");
  }
  if (version != "1.2") {
    reader.fail(
        origin, owner, *quaternion,
        "attribute 'quat_xyzw' is of URDF 1.2, and is passed over by readers of older ones: "
        "write <robot version=\"1.2\" ..>, or give 'rpy'");
  }
  return anglesOf(quaternionOf(origin, owner, reader).toRotationMatrix());
}

}  // namespace allclear
