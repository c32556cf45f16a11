#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allclear/core/types.h"

namespace allclear {

/// How links' collision meshes are represented. Primitives are always used exactly.
enum class GeometryMode {
  kAuto,       ///< by their convex hull; in pairs where that is too coarse, or when no plan is
               ///< found, by convex pieces that follow them closely; at last, if they are closed,
               ///< exactly
  kCapsule,    ///< by enclosing capsules: a little larger than the robot
  kMesh,       ///< by convex pieces that follow them closely, in all pairs; at last, if they are
               ///< closed, exactly
  kPrimitive,  ///< not at all: a mesh is an error
};

/// Which signed distance leads the optimiser out of contact. The certificate always rests on the
/// Euclidean one.
enum class DistanceMode {
  kAuto,       ///< `kSoft` for pairs that are deep in contact, `kEuclidean` for all others
  kEuclidean,  ///< the Euclidean distance always; in contact its direction jumps
  kSoft,       ///< a softened distance (smooth-distance.md) for every pair in contact
};

/// What to do with links that the URDF gives visuals but no collision geometry.
enum class MissingCollision {
  kError,   ///< refuse the problem when planned joints move such a link
  kVisual,  ///< enclose their visuals as if they were collision geometry (when the robot is read)
  kIgnore,  ///< leave them out; the certificate names them
};

/// A clearance that differs from `CollisionSettings::margin`. Names are links, obstacles or
/// attached objects (a name that is both a link's and an object's may not be used here); `b` is
/// empty for "any other body". A pair named in full wins over one body; among several entries of
/// one kind the largest margin wins.
struct PairMargin {
  std::string a;
  std::string b;
  double margin = 0.0;  ///< [m]
};

/// What to do where two bodies are nearer than their margin at start or goal.
enum class EndMargin {
  kStrict,  ///< there is no plan then
  kRelax,   ///< they keep about that distance near that end, and their margin elsewhere; the
            ///< certificate says which pairs, how much and how long (`EndRelief`)
};

/// A gap that two bodies keep so that a part of a human body between them is not clamped (the idea
/// of ISO 13854; the number is the user's).
struct MinimumGap {
  std::string region;  ///< "hand": for messages
  double gap = 0.0;    ///< [m]
};

struct CollisionSettings {
  GeometryMode geometry = GeometryMode::kAuto;
  DistanceMode distance = DistanceMode::kAuto;
  /// Clearance kept at every instant [m]: 1 mm is more than the repeatability of industrial arms
  /// and their model error after calibration, and leaves narrow passages open.
  double margin = 1e-3;
  /// Width of the certified bracket of a distance [m]: a tenth of the default margin, so that
  /// the certificate takes away little of the free space.
  double tolerance = 1e-4;
  std::vector<PairMargin> pair_margins;
  /// Every pair of bodies that move against each other keeps the largest of these as its margin,
  /// unless `pair_margins` names the pair in full.
  std::vector<MinimumGap> gaps;
  EndMargin end_margin = EndMargin::kStrict;
  /// Pairs that may touch, besides those that the robot model disables.
  std::vector<std::pair<std::string, std::string>> allowed;
  /// Pairs that are to keep their margin although the robot model, `allowed` or the touch links of
  /// a carried object let them touch.
  std::vector<std::pair<std::string, std::string>> avoided;
  /// Pairs that touch at the start, up to 1 mm deep, and part: they never go deeper than they are
  /// there (but for four tolerances), and keep their margin from an instant in the first quarter of
  /// the motion on. An object that is lifted from its table.
  std::vector<std::pair<std::string, std::string>> leaves;
  /// The mirror image, at the goal: an object that is put onto its table.
  std::vector<std::pair<std::string, std::string>> lands;
  /// The same as `allowed`, from the allowed collision matrix of a scene file.
  std::vector<std::pair<std::string, std::string>> allowed_by_scene;
  MissingCollision missing = MissingCollision::kError;
};

/// A region of the human body that the robot may run into, unplanned, and the force that it bears:
/// a mass on a spring (docs/contact-limits.md). Limits the force of a contact at any point, in any
/// direction, at any time.
struct ContactLimit {
  std::string region;              ///< "hand": for messages
  double stiffness = 0.0;          ///< of the spring [N/m]
  double mass = 0.0;               ///< of the region [kg]
  double force = 0.0;              ///< that it bears [N]
  std::optional<double> pressure;  ///< that it bears [Pa], with the area
  std::optional<double> area;      ///< of a contact [m^2]
  double human_speed = 0.0;        ///< in any direction [m/s]
  std::vector<int> links;          ///< that are limited; empty: all

  /// The force that counts [N]: where a pressure is given, the lesser of the two.
  double forceLimit() const {
    const double pressed =
        pressure && area ? *pressure * *area : std::numeric_limits<double>::infinity();
    return pressed < force ? pressed : force;
  }
};

/// Limits besides the position, velocity and effort limits of the robot model.
struct LimitSettings {
  double max_velocity_scaling_factor = 1.0;      ///< in (0, 1], of the model's velocity limits
  double max_acceleration_scaling_factor = 1.0;  ///< in (0, 1], of the acceleration limits
  /// Limit of |q̇| per coordinate of the robot [rad/s or m/s], at most the model's own; NaN or an
  /// empty vector: the model's. The scaling factor applies to it too.
  VecX velocity;
  /// Limit of |q̈| per coordinate of the robot [rad/s^2 or m/s^2]; NaN or an empty vector: the
  /// default, `kAccelerationPerVelocity` times the velocity limit.
  VecX acceleration;
  /// Limit of |q⃛| per coordinate of the robot [rad/s^3 or m/s^3]; NaN or an empty vector: the
  /// default, `kJerkPerVelocity` times the velocity limit. Infinite: none but that the acceleration
  /// takes `kSwitch` from 0 to its limit.
  VecX jerk;
  /// Keep the joint torques and forces within the model's effort limits. Off by default: inertias
  /// and efforts of many URDFs are made up, and limits computed from them mean nothing.
  bool torque = false;
  /// Forces of unplanned contacts with people.
  std::vector<ContactLimit> contact;
  /// Plan without regard to `contact`, then stretch the plan by the factor that keeps them.
  bool slow_down = false;

  /// URDF has no acceleration limits. Full speed in 0.2 s is what arms of this size are rated for
  /// (a Panda's joints are rated for 3.4 to 7.7 times their speed limit per second).
  static constexpr double kAccelerationPerVelocity = 5.0;  ///< [1/s]
  /// Full acceleration in 0.1 s: smooth for the structure, far below the drives' own limit.
  static constexpr double kJerkPerVelocity = 50.0;  ///< [1/s^2]
  /// [s] What a jump of the acceleration from 0 to its limit takes where no jerk is limited: a few
  /// cycles of a drive's control, and too short to cost a motion time. So curves stay smooth, and
  /// every limit that is proven is a number.
  static constexpr double kSwitch = 4e-3;
  /// Stands for the velocity limit, in the two defaults, of a joint that has none.
  static constexpr double kVelocityWhenUnlimited = 1.0;  ///< [rad/s or m/s]
};

/// What the robot does after the end of the trajectory.
enum class AfterEnd {
  kRest,     ///< it stays where it is: obstacles that still move must pass it there
  kUnknown,  ///< nothing is known, and nothing is claimed
};

/// How far the real motion and scene may be from the planned ones. The clearance is kept in every
/// case within it: whatever each joint does between its bounds, at every instant anew.
struct Uncertainty {
  /// Per coordinate of the robot, planned or held: it may stray so far from the planned value [rad
  /// or m]. Empty: not at all. A mimic joint strays with the coordinate that it follows.
  VecX joints;
  /// Per obstacle: each of its points may be so far from where it should be [m]. Empty: not at all.
  VecX obstacles;
  double base_position = 0.0;  ///< displacement of the robot's root in the scene [m]
  /// Rotation of the root about its origin, about any axis [rad]; zero where the base moves.
  double base_angle = 0.0;

  bool isZero() const;
};

/// Bounds of the plan's duration [s]; equal bounds fix it.
struct DurationBounds {
  double min = 0.1;    ///< shorter motions are below a controller's reaction
  double max = 300.0;  ///< bounds the search when the objective does not ask for haste
  bool isFixed() const { return min == max; }
};

/// Weights of the cost's terms. In the optimiser each term is scaled to order one on the first
/// guess; which of several certified plans is the best is decided by terms that do not depend on a
/// guess (docs/task.md, `objective`).
struct ObjectiveWeights {
  double duration = 1.0;
  double velocity = 0.0;      ///< mean squared joint velocity: shortens the path
  double acceleration = 0.0;  ///< mean squared joint acceleration
  double jerk = 0.1;          ///< mean squared joint jerk: enough to smooth without slowing
  double torque = 0.0;        ///< mean squared joint torque, over the effort limits

  static ObjectiveWeights minTime();   ///< the duration alone
  static ObjectiveWeights balanced();  ///< the default: nearly as fast, with less jerk
  static ObjectiveWeights smooth();    ///< slower, with much less jerk and acceleration
  static ObjectiveWeights shortest();  ///< the shortest path first, then the duration
};

inline ObjectiveWeights ObjectiveWeights::minTime() { return {.duration = 1.0, .jerk = 0.0}; }
inline ObjectiveWeights ObjectiveWeights::balanced() { return {}; }
inline ObjectiveWeights ObjectiveWeights::smooth() {
  return {.duration = 1.0, .acceleration = 0.5, .jerk = 1.0};
}
inline ObjectiveWeights ObjectiveWeights::shortest() {
  return {.duration = 0.1, .velocity = 1.0, .jerk = 0.01};
}

/// What to do with the time that is left after the first certified plan.
enum class Improve {
  kNone,  ///< nothing: the first certified plan is the plan
  kSome,  ///< make it faster, and look for better ones while that is likely to gain something:
          ///< judged by counted work, so that the result is the same on every machine
  kAll,   ///< until the time limit
};

/// How to solve: changes the time that it takes and which of several good plans is found, never the
/// conditions of the certificate.
struct PlanOptions {
  double time_limit = 10.0;  ///< [s] of wall clock; the best certified plan so far is returned
  int attempts = 8;          ///< first guesses at most (with `Improve::kAll`: to the first plan)
  std::uint64_t seed = 1;    ///< of the random guesses
  int threads = 0;           ///< 0: one per processor. The plan does not depend on it
  int spans = 0;             ///< polynomial pieces of the trajectory; 0: as many as the path needs
  Improve improve = Improve::kSome;
};

}  // namespace allclear
