#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/core/pose.h"
#include "allclear/distance/shape.h"

namespace allclear {

/// Mass properties of a link. `p_LC` is the centre of mass in the link frame L [m], `I_C` the
/// rotational inertia about it with axes along L [kg m^2].
struct Inertia {
  double mass = 0.0;  ///< [kg]
  Vec3 p_LC = Vec3::Zero();
  Mat3 I_C = Mat3::Zero();
};

enum class JointType { kFixed, kRevolute, kContinuous, kPrismatic, kFloating, kPlanar };

const char* jointTypeName(JointType type);

/// A joint that repeats another one: value = multiplier * q[coordinate] + offset.
struct Mimic {
  int coordinate = -1;  ///< index into `RobotModel::coordinates()`, chains of mimics resolved
  double multiplier = 1.0;
  double offset = 0.0;  ///< [rad] or [m]
};

/// A joint of the URDF. The child link frame is X_parent_child = X_PJ * motion(q).
struct Joint {
  std::string name;
  JointType type = JointType::kFixed;
  int parent_link = -1;
  int child_link = -1;
  Pose X_PJ;
  Vec3 axis = Vec3::UnitX();  ///< unit, in J; of a planar joint: the plane's normal
  int first_coordinate = -1;  ///< index into `coordinates()`; -1 for fixed and mimic joints
  std::optional<Mimic> mimic;
};

/// One scalar coordinate of the configuration q. A floating joint has six (x, y, z, then roll,
/// pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll)), a planar one three (x, y in the plane, then the
/// angle): every configuration is a plain vector in R^n.
struct Coordinate {
  std::string
      name;  ///< the joint's name; with "/x", "/y", "/z", "/roll", ... where a joint has several
  int joint = -1;
  bool is_angle = true;  ///< [rad] if true, else [m]
  /// Without position limits, and the same place modulo 2 pi: a continuous joint that no other
  /// repeats by a fraction.
  bool wraps = false;
  double lower = 0.0;  ///< position limits; infinite where there is none
  double upper = 0.0;
  double velocity = 0.0;  ///< limit of |q̇|; infinite where there is none
  double effort = 0.0;    ///< limit of |torque or force|; infinite where there is none
  /// Inertia of the drive's rotor, seen from the joint: gear ratio squared times the rotor's own
  /// [kg m^2 or kg]. URDF has none: empty where nobody gave it.
  std::optional<double> rotor_inertia;
};

struct Link {
  std::string name;
  int parent_joint = -1;  ///< -1 for the root link
  Inertia inertia;
  std::vector<Geometry> collision;  ///< in the link frame
  std::vector<Geometry> visual;     ///< in the link frame; filled on request only
  bool has_visuals = false;         ///< the URDF gives it some, read or not
  bool collides_as_visual = false;  ///< `collision` is the URDF's visual geometry
  /// Why the file's mass and inertia cannot be used, so that `inertia` is none; empty: they can.
  std::string inertia_fault;
  bool inertia_is_given = false;  ///< `inertia` is not the file's, but was given beside it
};

/// A named set of coordinates that are planned together (SRDF group).
struct Group {
  std::string name;
  std::vector<int> coordinates;  ///< in tree order
  std::vector<int> links;        ///< links that the group's joints carry directly
};

/// Named values of some coordinates (SRDF group_state).
struct GroupState {
  std::string name;
  std::string group;
  std::vector<std::pair<int, double>> values;  ///< coordinate, value
};

/// Two links (indices, first < second) whose collision is not considered, and why.
struct DisabledPair {
  int link_a = -1;
  int link_b = -1;
  std::string reason;  ///< of the SRDF, or "Adjacent", "Never", "Always" when found by us
  bool from_srdf = false;
};

/// What a robot is. Immutable once loaded; shared by const reference.
///
/// Links and joints are in tree order: a parent comes before its children.
class RobotModel {
 public:
  struct Data {
    std::string name;
    std::vector<Link> links;
    std::vector<Joint> joints;
    std::vector<Coordinate> coordinates;
    std::vector<Group> groups;
    std::vector<GroupState> group_states;
    std::vector<DisabledPair> disabled_pairs;
    std::vector<std::string> warnings;  ///< what was odd in the files and how it was read
    /// Those of the warnings that a claim about the robot rests on, without paths.
    std::vector<std::string> assumptions;
    std::string source_file;
    std::string source_sha256;  ///< of the URDF, SRDF and collision meshes
  };

  /// Checks the tree (order, indices, one root); broken invariants are `ContractViolation`s.
  explicit RobotModel(Data data);

  const Data& data() const { return data_; }
  const std::string& name() const { return data_.name; }
  const std::vector<Link>& links() const { return data_.links; }
  const std::vector<Joint>& joints() const { return data_.joints; }
  const std::vector<Coordinate>& coordinates() const { return data_.coordinates; }
  const std::vector<Group>& groups() const { return data_.groups; }
  const std::vector<GroupState>& groupStates() const { return data_.group_states; }
  const std::vector<DisabledPair>& disabledPairs() const { return data_.disabled_pairs; }
  const std::vector<std::string>& warnings() const { return data_.warnings; }
  const std::vector<std::string>& assumptions() const { return data_.assumptions; }
  const std::string& sourceFile() const { return data_.source_file; }
  const std::string& sourceSha256() const { return data_.source_sha256; }

  /// Number of coordinates of q.
  int dimension() const { return static_cast<int>(data_.coordinates.size()); }
  int rootLink() const { return 0; }
  double totalMass() const;

  /// Index by name, or -1.
  int findLink(const std::string& name) const;
  int findJoint(const std::string& name) const;
  int findCoordinate(const std::string& name) const;
  const Group* findGroup(const std::string& name) const;

  /// True when links a and b are not to be checked against each other (same link included).
  bool isPairDisabled(int link_a, int link_b) const;

  /// All pairs of distinct links with collision geometry that are to be checked, first < second.
  std::vector<std::pair<int, int>> collisionPairs() const;

  /// A configuration inside the limits: zero, moved to the nearest limit where zero is outside.
  VecX neutralConfiguration() const;

 private:
  Data data_;
  std::vector<bool> disabled_;  ///< links x links
};

}  // namespace allclear
