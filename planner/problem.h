#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "allclear/core/input_error.h"
#include "allclear/core/pose.h"
#include "allclear/planner/scene.h"
#include "allclear/planner/settings.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Coordinates at values [rad or m]. As a goal it names every planned coordinate; as a waypoint the
/// planned coordinates that it leaves out are free.
struct JointTarget {
  std::vector<int> coordinates;  ///< of the robot, planned ones, ascending
  VecX values;
};

/// Bounds on three components, one for each axis of a pose target's frame.
struct AxisBounds {
  /// [m or rad] Of the size of each component that is not free; may be infinite.
  Vec3 most = Vec3::Constant(std::numeric_limits<double>::infinity());
  std::array<bool, 3> is_free{};  ///< this component does not count at all

  bool bindNothing() const { return most.array().isInf().all() && freeCount() == 0; }
  int freeCount() const { return is_free[0] + is_free[1] + is_free[2]; }
};

/// A pose, within tolerances, for a frame P that is fixed to a link. An infinite tolerance leaves
/// the position or the orientation free.
///
/// With e the place of P seen from the target, along the axes of X_WP, the pose is met where the
/// components of e that are not free have a norm of at most `position_tolerance`, and each of them
/// is within `position_axes`. The turn, in the same axes, is the rotation vector (axis times angle)
/// from the target to P; where the turn about one axis is free, it is that of the least rotation
/// which brings this axis of the target to that of P, and has no component along it.
struct PoseTarget {
  int link = -1;
  Pose X_LP;  ///< frame P in the link frame: a tool's tip, for example
  Pose X_WP;
  double position_tolerance = 1e-3;  ///< [m], radius of the ball around the position
  double angle_tolerance = 1e-2;     ///< [rad], of the rotation from frame P to the target
  AxisBounds position_axes = {};     ///< along x, y, z of X_WP
  AxisBounds angle_axes = {};        ///< about x, y, z of X_WP; one may be free

  bool hasFreePosition() const;  ///< nothing is asked of the position
  bool hasFreeAngle() const;     ///< nothing is asked of the orientation
};

/// An axis of a link points at a point of the world: the angle between the axis and the line from
/// its origin to the point is at most `tolerance`.
struct LookAtTarget {
  int link = -1;
  Vec3 p_L = Vec3::Zero();      ///< the axis' origin, in the link frame: a camera's centre [m]
  Vec3 axis_L = Vec3::UnitZ();  ///< unit, in the link frame
  Vec3 point_W = Vec3::Zero();  ///< [m]
  double tolerance = 1e-2;      ///< [rad]
};

/// Several poses at once, met by the configuration nearest to a reference posture:
/// 1/2 sum w (q - q_ref)^2 is least among those that keep everything at rest (limits, contacts,
/// torques, balance, path constraints, clearances). A waypoint looks near the way there instead.
struct PostureTarget {
  std::vector<PoseTarget> poses;
  JointTarget reference;  ///< q_ref: every planned coordinate
  VecX weights;           ///< w: positive, in the order of the reference
  std::vector<LookAtTarget> looks = {};
};

using SingleTarget = std::variant<JointTarget, PoseTarget, PostureTarget>;

/// One of the goals that would do.
struct GoalAlternative {
  std::string name;  ///< for messages; may be empty
  SingleTarget target;
};

/// Several goals of which one is to be reached. Only as a goal.
struct AnyTarget {
  std::vector<GoalAlternative> alternatives;
};

using Target = std::variant<JointTarget, PoseTarget, PostureTarget, AnyTarget>;

/// A target to pass on the way. Waypoints are passed in their order.
struct Waypoint {
  Target target;
  std::optional<double> time;  ///< [s]; free when absent
};

/// Keeps an axis of a link within `tolerance` of a direction of the world, at every instant.
struct KeepAxis {
  int link = -1;
  Vec3 axis_L = Vec3::UnitZ();       ///< unit, in the link frame
  Vec3 direction_W = Vec3::UnitZ();  ///< unit, in the world
  double tolerance = 0.1;            ///< [rad]
};

/// Keeps a point of a link inside a box of the world, at every instant.
struct KeepInBox {
  int link = -1;
  Vec3 p_L = Vec3::Zero();   ///< the point, in the link frame [m]
  Pose X_WB;                 ///< the box's centre and axes
  Vec3 size = Vec3::Ones();  ///< full edge lengths [m]
};

/// Keeps frame P of a link at a pose relative to another link A or to the world, at every instant:
/// two hands on a tray, a tool that keeps its orientation. An infinite tolerance leaves the
/// position or the orientation free.
struct KeepPose {
  int link = -1;
  Pose X_LP;                         ///< frame P in the link frame
  int relative_to = -1;              ///< link A; -1: the world, and A is W
  Pose X_AP;                         ///< where P is to be
  double position_tolerance = 2e-3;  ///< [m], radius of the ball around the position
  double angle_tolerance = 2e-2;     ///< [rad], of the rotation that is left
};

/// Keeps frame P of a link on a line of the world, of one or several straight stretches, at every
/// instant: there is a pose of the line from which P is within the tolerances. Along a stretch the
/// position goes straight and the orientation turns about one axis, both in proportion. The
/// stretches are followed in their order, and each corner is passed within the tolerances. P may go
/// back and forth; beyond an end it is within the tolerances of the end.
struct KeepOnLine {
  struct Stretch {
    Vec3 way_W = Vec3::Zero();   ///< to its end [m]
    Vec3 turn_W = Vec3::Zero();  ///< axis times angle, at most half a turn [rad]
  };
  int link = -1;
  Pose X_LP;  ///< frame P in the link frame
  Pose X_WA;  ///< where the line starts
  std::vector<Stretch> stretches;
  double position_tolerance = 1e-3;  ///< [m]
  double angle_tolerance = 1e-2;     ///< [rad]; infinite: the orientation is free
};

using PathConstraint = std::variant<KeepAxis, KeepInBox, KeepPose, KeepOnLine>;

/// Balance of a legged robot, at every instant.
struct Balance {
  enum class Criterion {
    kZmp,     ///< the zero-moment point of the whole ground reaction is in the support polygon
    kCom,     ///< the same for the robot at rest in every configuration
    kForces,  ///< there are forces at the contacts, within friction and soles, that carry the
              ///< motion
  };
  std::vector<int> support_links;  ///< their contact surfaces span the support polygon
  Criterion criterion = Criterion::kZmp;
  double margin = 0.0;  ///< distance kept from the polygon's edge [m]
};

/// A place of a link that stays where the start configuration puts it, at every instant.
struct Contact {
  enum class Kind {
    kFlat,   ///< a sole: the link neither moves nor turns
    kPoint,  ///< the place stays, the link may turn about it
  };
  int link = -1;
  Kind kind = Kind::kFlat;
  Pose X_LC;  ///< the contact frame: the sole's centre, z out of the ground
  Eigen::Vector2d half_size = Eigen::Vector2d::Zero();  ///< of the sole along x and y [m]
  double friction = 0.5;                                ///< coefficient
  double margin = 0.002;             ///< that the centre of pressure keeps from the sole's edge [m]
  double position_tolerance = 1e-4;  ///< how far any point of the sole may drift [m]
  double angle_tolerance = 8.7e-4;   ///< how far a sole may turn [rad]
  /// How deep the link may be in what it touches [m]. The default is twice what models are off by
  /// (`kTouchingDepth`): the other half is for a round tip that turns about its place; one of
  /// 20 mm radius comes 0.9 mm deeper by 0.3 rad.
  double depth = 2e-3;
  static constexpr double kGreatestDepth = 0.02;  ///< of the softest pads; deeper is no touch [m]
};

/// A point of a link that holds a cable.
struct CableClip {
  int link = -1;
  Vec3 p_L = Vec3::Zero();  ///< in the link frame [m]
};

/// A cable or hose along the robot: flexible, of any shape that its lengths allow, and it does not
/// stretch. It is never pulled taut and keeps `CollisionSettings::margin` from every body, at every
/// instant, whatever its shape.
struct Cable {
  std::string id;                    ///< unique among cables
  std::vector<CableClip> clips;      ///< two or more, in their order along the cable
  std::vector<double> lengths;       ///< between neighbouring clips [m]
  double radius = 0.0;               ///< [m]
  double reserve = 0.0;              ///< of each length, that stays unused [m]
  std::vector<std::string> allowed;  ///< links, attached objects and obstacles that it may touch,
                                     ///< besides the links that hold a stretch's two ends
};

/// What to plan. A plain value; the world frame W is the frame of the robot's root link.
///
/// Vectors over "the robot" have `robot->dimension()` entries, vectors over "planned coordinates"
/// have `planned.size()`.
struct Problem {
  std::string name;
  std::shared_ptr<const RobotModel> robot;
  std::string group;         ///< for messages and exports; may be empty
  std::vector<int> planned;  ///< the coordinates that move, ascending; the others stay at `start`

  VecX start;               ///< configuration of the robot; coordinates not planned stay there
  VecX start_velocity;      ///< over planned coordinates; empty: at rest
  VecX start_acceleration;  ///< over planned coordinates; empty: zero
  Target goal;
  VecX goal_velocity;      ///< over planned coordinates; empty: at rest
  VecX goal_acceleration;  ///< over planned coordinates; empty: zero
  std::vector<Waypoint> waypoints;
  std::vector<PathConstraint> path_constraints;

  std::vector<Obstacle> obstacles;
  std::vector<AttachedObject> attached;
  CollisionSettings collision;
  Uncertainty uncertainty;
  LimitSettings limits;
  DurationBounds duration;
  AfterEnd after = AfterEnd::kRest;
  ObjectiveWeights objective;
  std::optional<Balance> balance;
  std::vector<Contact> contacts;
  std::vector<Cable> cables;

  std::vector<std::string> warnings;  ///< doubtful input, and how it was read
  /// Those of the warnings about the scene that a claim rests on: certificates list them.
  std::vector<std::string> scene_assumptions;
  std::string source_file;
  std::string source_sha256;  ///< of the task and every file it names, except the robot's

  int plannedCount() const { return static_cast<int>(planned.size()); }
  /// The planned coordinates of a configuration of the robot.
  VecX plannedPart(const VecX& q) const;
  /// The configuration of the robot in which the planned coordinates are `q_planned`.
  VecX configuration(const VecX& q_planned) const;
};

/// A stretch of motion of a sequence, from rest to rest.
struct SequenceMotion {
  std::string name;  ///< unique; in messages and names of folders
  /// Makes the problem of this segment from what all segments share: robot, settings, and the start
  /// and scene to which the steps before lead (motions of obstacles count from the segment's
  /// start). Adds the planned coordinates, the goal, and all else that is this segment's own. May
  /// throw `InputError`. Called with many starts.
  std::function<Problem(const Problem& shared)> problem;
};

/// An obstacle becomes an object that the robot carries, in the pose that it has then.
struct SequenceAttach {
  std::string object;
  int link = -1;
  std::vector<int> touch_links;    ///< besides `link`
  std::optional<Inertia> inertia;  ///< in the obstacle's frame
};

/// A carried object becomes an obstacle, where it is.
struct SequenceDetach {
  std::string object;
};

struct SequenceStep {
  std::variant<SequenceMotion, SequenceAttach, SequenceDetach> what;
  InputPlace where = {};  ///< in the task file
};

/// Motions one after the other, each from where the one before it ended, and between them objects
/// that are taken up and put down. Every motion begins and ends at rest.
struct Sequence {
  /// What all segments share: robot, start, scene, collision, limits. Its goal counts for nothing.
  Problem shared;
  std::vector<SequenceStep> steps;
};

/// The same problem for a robot that stands: the link of its first flat contact hangs on the world
/// where the start puts it, and the floating base follows from the joints. Joints and coordinates
/// keep their names and indices; the base's coordinates are not planned any more, and those of the
/// start are 0. Indices of links change. Nothing changes where the base is not planned or there is
/// no flat contact. A task file is read so. Throws `InputError` when the robot cannot be turned
/// round at that link.
Problem standOn(const Problem& problem);

/// Where a line ends.
Pose endOf(const KeepOnLine& line);

/// A line of straight stretches between these poses, the first one included. Half a turn goes about
/// the axis that rounding decides: give such a stretch a pose half way.
std::vector<KeepOnLine::Stretch> stretchesBetween(const std::vector<Pose>& poses);

/// The goal becomes the end of the line, and the line a path constraint: what `goal: linear` is.
void goAlong(Problem& problem, KeepOnLine line);

/// Whether start and goal are at rest: velocities and accelerations zero.
bool isRestToRest(const Problem& problem);

/// Limits of the planned coordinates after scaling and defaults; infinite where there are none.
struct PlannedLimits {
  VecX lower, upper;  ///< position [rad or m]
  VecX velocity;      ///< of |q̇|
  VecX acceleration;  ///< of |q̈|, always finite
  VecX jerk;          ///< of |q⃛|, always finite
  VecX effort;        ///< of |torque or force|; infinite when `LimitSettings::torque` is off
};
PlannedLimits plannedLimits(const Problem& problem);

/// Adds whole turns to the wrapping coordinates of joint goals and waypoints, so that each is
/// nearest to the target before it (the start for the first): the shorter arc.
void chooseNearestTurns(Problem& problem);

/// A mesh of a problem and what stands for it.
struct MeshStance {
  std::string body;  ///< link, attached object or obstacle
  std::size_t triangles = 0;
  std::string closedness;         ///< `closednessText`
  std::string stands_for;         ///< `stanceText`
  bool is_faultless = true;       ///< closed as it is, without a hole
  bool has_closed_holes = false;  ///< small ones, that count as closed
  bool has_surface = false;  ///< open parts are surfaces: what is wholly inside of them is free
};

/// All meshes that are collision geometry: of links, attached objects and obstacles, in this order.
std::vector<MeshStance> meshStances(const Problem& problem);
/// The meshes among some geometry of a body.
std::vector<MeshStance> meshStances(const std::string& body, const std::vector<Geometry>& geometry);

/// Something that makes a problem unsolvable or meaningless.
struct Finding {
  std::string what;     ///< "start: joint 'elbow'", "goal: velocity of joint 'elbow'", ...
  double value = 0.0;   ///< NaN when the fault is not in a number
  double limit = 0.0;   ///< NaN when there is none
  std::string message;  ///< one line that names all of the above
};

/// Every finding except collisions: wrong dimensions or indices, numbers that are not finite,
/// start, goal and waypoints beyond limits (by how much), times out of order, names that are used
/// twice or unknown. Empty when the problem is well posed. Wrong dimensions and indices are
/// reported alone, as nothing else can be evaluated then.
std::vector<Finding> validate(const Problem& problem);

}  // namespace allclear
