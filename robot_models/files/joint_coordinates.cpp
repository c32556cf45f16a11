// From joints to the coordinates of a configuration vector.
//
// A joint that moves by itself gets its own coordinates, in tree order: one, or three (planar: x,
// y, angle), or six (floating: x, y, z, roll, pitch, yaw). A mimic joint gets none: its variable is
// multiplier * q[coordinate] + offset of the joint at the end of its chain of mimics. With joint j
// repeating k, x_j = m x_k + b, and x_k = m' x_l + b', the chain composes to x_j = m m' x_l + (m b'
// + b).
//
// What a mimic joint cannot do its coordinate cannot either: it is no faster than the slowest of
// them allows, and comes back to the same place after a turn only where all of them do.
#include "allclear/robot_models/files/joint_coordinates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "allclear/core/input_error.h"

namespace allclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// [rad] or [m]: files print limits with some digits, so a mimic may exceed its own by their
// rounding.
constexpr double kLimitSlack = 1e-3;

/// `wanted`, with underscores appended until no item has that name.
template <class Items, class Name>
std::string freeName(std::string wanted, const Items& items, Name name) {
  const auto taken = [&](const auto& item) { return name(item) == wanted; };
  while (std::any_of(items.begin(), items.end(), taken)) wanted += "_";
  return wanted;
}

/// One coordinate of a joint.
struct Part {
  const char* suffix;  ///< of its name, after the joint's
  bool is_angle;
};

std::vector<Part> partsOf(JointType type) {
  // The suffixes are part of the interface: trajectories and tasks name coordinates by them.
  switch (type) {
    case JointType::kFixed:
      return {};
    case JointType::kPrismatic:
      return {{"", false}};
    case JointType::kPlanar:
      return {{"/x", false}, {"/y", false}, {"/angle", true}};
    case JointType::kFloating:
      return {{"/x", false},   {"/y", false},    {"/z", false},
              {"/roll", true}, {"/pitch", true}, {"/yaw", true}};
    default:
      return {{"", true}};
  }
}

class MimicResolver {
 public:
  MimicResolver(const std::vector<UrdfJoint>& joints, const std::string& file)
      : joints_(joints), file_(file) {
    for (std::size_t i = 0; i < joints.size(); ++i)
      index_[joints[i].joint.name] = static_cast<int>(i);
  }

  /// The joint that the chain of mimics of joint `j` ends at, and the value as a function of its.
  struct Source {
    int joint;
    double multiplier;
    double offset;
  };

  Source resolve(int j) const {
    Source source{j, 1.0, 0.0};
    for (std::size_t steps = 0; !joints_[source.joint].mimicked.empty(); ++steps) {
      const UrdfJoint& at = joints_[source.joint];
      // A chain visits each joint at most once.
      if (steps > joints_.size())
        fail(joints_[j], "the mimics form a loop: take the <mimic> of one of them out");
      source.offset += source.multiplier * at.offset;
      source.multiplier *= at.multiplier;
      source.joint = index_.at(at.mimicked);
    }
    const JointType type = joints_[source.joint].joint.type;
    if (type == JointType::kFloating || type == JointType::kPlanar) {
      fail(joints_[j],
           "a joint with several coordinates cannot be repeated; take the <mimic> out and it moves "
           "on its own");
    }
    return source;
  }

 private:
  [[noreturn]] void fail(const UrdfJoint& mimic, const std::string& message) const {
    throw InputError({file_, mimic.line, "joint '" + mimic.joint.name + "': mimic", mimic.mimicked},
                     message);
  }

  const std::vector<UrdfJoint>& joints_;
  const std::string& file_;
  std::unordered_map<std::string, int> index_;
};

void addCoordinates(const UrdfJoint& from, int joint_index, JointCoordinates& out) {
  const std::vector<Part> parts = partsOf(from.joint.type);
  if (parts.empty()) return;
  out.joints[joint_index].first_coordinate = static_cast<int>(out.coordinates.size());
  // The limits of a URDF joint belong to its one coordinate; planar and floating joints have none.
  const bool is_alone = parts.size() == 1;
  for (const Part& part : parts) {
    Coordinate c;
    c.name = from.joint.name + part.suffix;
    c.joint = joint_index;
    c.is_angle = part.is_angle;
    c.wraps = part.is_angle && from.joint.type != JointType::kRevolute;
    c.lower = is_alone ? from.limits.lower : -kInfinity;
    c.upper = is_alone ? from.limits.upper : kInfinity;
    c.velocity = is_alone ? from.limits.velocity : kInfinity;
    c.effort = is_alone ? from.limits.effort : kInfinity;
    out.coordinates.push_back(std::move(c));
  }
}

/// X_J_child of a joint with one coordinate at `value`.
Pose motionAt(const Joint& joint, double value) {
  if (joint.type == JointType::kPrismatic) return {Mat3::Identity(), joint.axis * value};
  return {rotationAbout(joint.axis, value), Vec3::Zero()};
}

/// Ranges are not made narrower: files have grippers whose mimics overshoot, and their start states
/// would be refused.
void noteBeyondLimits(const UrdfJoint& mimic, const Mimic& how, const Coordinate& source,
                      const std::string& file, LoadNotes& notes) {
  if (how.multiplier == 0.0) return;  // stays where it is; infinity times zero is no place
  // The mimic's variable is linear in the coordinate: its extremes are at the coordinate's.
  const double a = how.multiplier * source.lower + how.offset;
  const double b = how.multiplier * source.upper + how.offset;
  if (std::min(a, b) < mimic.limits.lower - kLimitSlack ||
      std::max(a, b) > mimic.limits.upper + kLimitSlack) {
    notes.assume("URDF", file, mimic.line,
                 "joint '" + mimic.joint.name + "': following '" + source.name +
                     "' takes it beyond its own limits, which are not kept");
  }
}

/// The coordinate as slow as a joint that repeats it must be, and equal after a turn only where
/// that joint is.
void followMimic(const UrdfJoint& mimic, const Mimic& how, Coordinate& source) {
  if (how.multiplier == 0.0) return;
  source.velocity = std::min(source.velocity, mimic.limits.velocity / std::abs(how.multiplier));
  const bool comes_back =
      mimic.joint.type != JointType::kPrismatic && how.multiplier == std::nearbyint(how.multiplier);
  source.wraps = source.wraps && comes_back;
}

/// A mimic of a joint that is not there moves on its own, as in MoveIt. Then it is planned, or held
/// and named as held, like any joint.
void freeUnknownMimics(std::vector<UrdfJoint>& joints, const std::string& file, LoadNotes& notes) {
  std::vector<std::string> names;
  for (const UrdfJoint& joint : joints) names.push_back(joint.joint.name);
  for (UrdfJoint& joint : joints) {
    const std::string& mimicked = joint.mimicked;
    if (mimicked.empty() || std::find(names.begin(), names.end(), mimicked) != names.end())
      continue;
    notes.assume("URDF", file, joint.line,
                 "joint '" + joint.joint.name + "': mimic: '" + mimicked + "': no such joint" +
                     didYouMean(mimicked, names) + "; it moves on its own");
    joint.mimicked.clear();
  }
}

}  // namespace

void addBase(BaseJoint type, const std::string& joint_name, const std::string& frame_name,
             UrdfRobot& robot) {
  if (type == BaseJoint::kFixed) return;
  UrdfLink world;
  world.name = freeName(frame_name, robot.links, [](const UrdfLink& l) { return l.name; });
  UrdfJoint base;
  base.joint.name =
      freeName(joint_name, robot.joints, [](const UrdfJoint& j) { return j.joint.name; });
  base.joint.type = type == BaseJoint::kPlanar ? JointType::kPlanar : JointType::kFloating;
  base.joint.axis = Vec3::UnitZ();
  base.joint.parent_link = -1;
  base.joint.child_link = 0;
  base.limits = {-kInfinity, kInfinity, kInfinity, kInfinity};
  robot.links.insert(robot.links.begin(), std::move(world));
  robot.joints.insert(robot.joints.begin(), std::move(base));
  // The new link and joint come first, so every index moves up by one; the old root becomes link 1.
  for (UrdfJoint& joint : robot.joints) {
    ++joint.joint.parent_link;
    ++joint.joint.child_link;
  }
}

VecX floatingCoordinates(const VecX& pose) {
  const Eigen::Quaterniond q(pose[6], pose[3], pose[4], pose[5]);
  VecX out(6);
  out << pose.head<3>(), rpyFromRotation(q.normalized().toRotationMatrix());
  return out;
}

JointCoordinates makeCoordinates(std::vector<UrdfJoint> joints, const std::string& file,
                                 LoadNotes& notes) {
  freeUnknownMimics(joints, file, notes);
  JointCoordinates out;
  for (const UrdfJoint& joint : joints) out.joints.push_back(joint.joint);
  const int count = static_cast<int>(joints.size());
  for (int j = 0; j < count; ++j) {
    if (joints[j].mimicked.empty()) addCoordinates(joints[j], j, out);
  }
  // Mimics second: they may repeat a joint that comes after them.
  const MimicResolver resolver(joints, file);
  for (int j = 0; j < count; ++j) {
    if (joints[j].mimicked.empty()) continue;
    const MimicResolver::Source source = resolver.resolve(j);
    Joint& joint = out.joints[j];
    const Mimic mimic{out.joints[source.joint].first_coordinate, source.multiplier, source.offset};
    if (mimic.coordinate < 0) {  // a fixed joint stands at zero
      joint.X_PJ = joint.X_PJ * motionAt(joint, mimic.offset);
      joint.type = JointType::kFixed;
      notes.assume("URDF", file, joints[j].line,
                   "joint '" + joint.name + "': repeats the fixed joint '" +
                       joints[source.joint].joint.name + "' and is fixed");
      continue;
    }
    noteBeyondLimits(joints[j], mimic, out.coordinates[mimic.coordinate], file, notes);
    followMimic(joints[j], mimic, out.coordinates[mimic.coordinate]);
    joint.mimic = mimic;
  }
  return out;
}

}  // namespace allclear
