#pragma once

#include <vector>

#include "allclear/core/types.h"
#include "allclear/robot_models/kinematics/effective_inertia.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// How two surfaces meet.
struct ContactLaw {
  Vec3 normal = Vec3::UnitX();  ///< unit; from the first body into the second
  double restitution = 0.0;     ///< 0: they stay together, 1: they part as fast as they met
  /// Coulomb's coefficient. Infinite: nothing slides, even where that takes a pull.
  double friction = 0.0;
};

enum class ContactMode { kParting, kSticking, kSliding };

/// Returns "parting", "sticking" or "sliding".
const char* contactModeName(ContactMode mode);

/// The impulse of a contact.
struct ContactImpulse {
  ContactMode mode = ContactMode::kParting;  ///< parting: they did not approach, nothing happens
  Vec3 impulse = Vec3::Zero();               ///< on the first body [N s]
  Vec3 velocity_after = Vec3::Zero();        ///< of the first seen from the second [m/s]
  /// Energy that both lose together [J]. Negative: a fault of the law, see `safe_restitution`.
  double energy_lost = 0.0;
  /// Sticking with a greater restitution e can gain energy: e^2 (n'Kn) (n'K^-1 n) > 1.
  double safe_restitution = 1.0;
};

/// Newton's law of restitution along the normal, Coulomb's along the plane. Bodies stick when an
/// impulse within the cone of friction stops the sliding; else the impulse is on the cone, against
/// the sliding that is left. `K` [1/kg]: inverse mass of the contact, `velocity`: of the first body
/// seen from the second [m/s]. Pre: K symmetric, not negative; `velocity` in its range (what
/// cannot move does not).
ContactImpulse contactImpulse(const Mat3& K, const Vec3& velocity, const ContactLaw& law);

/// The impulse K^-1 u [N s] that stops a contact, the least where K has no rank: along it as normal
/// a contact that stays together has the most energy, u.K^-1 u / 2, of all normals, with or without
/// friction.
Vec3 stoppingImpulse(const Mat3& K, const Vec3& velocity);

/// A robot's link meets something.
struct Impact {
  int link = -1;
  /// Another link of the robot, or -1: a body off the robot.
  int other_link = -1;
  Vec3 p_W = Vec3::Zero();  ///< where
  ContactLaw law;
  // A body off the robot, free to move, hit through its centre of mass.
  double inverse_mass = 0.0;  ///< [1/kg]; 0: a rigid wall
  Vec3 velocity = Vec3::Zero();
};

/// What passes through a joint [N s, N m s], from the parent link to the child, in world axes.
struct JointImpulse {
  Vec3 force = Vec3::Zero();
  Vec3 moment = Vec3::Zero();  ///< about the joint's origin
};

/// What an impact does to a robot whose joints are all free: drives do not push in so short a time.
struct ImpactResponse {
  ContactImpulse contact;
  VecX velocity_after;                 ///< by coordinate
  Vec3 other_velocity = Vec3::Zero();  ///< of a body off the robot, after
  std::vector<JointImpulse> joints;    ///< by joint of the model, fixed ones too
};

/// Impacts of one robot. Immutable; scratch is in the workspace.
class RobotImpacts {
 public:
  struct Workspace;

  /// See `EffectiveInertia` for the rotors.
  explicit RobotImpacts(const RobotModel& model, const VecX& rotor_inertia = VecX());

  const EffectiveInertia& inertia() const { return inertia_; }
  Workspace makeWorkspace() const;

  /// The response of the robot that `inertia().place` placed, with the rates v. O(nodes + links);
  /// does not allocate once `out` has its size.
  void respond(const Impact& impact, const VecX& v, Workspace& workspace,
               ImpactResponse& out) const;

 private:
  /// What a link weighs, in its node's frame.
  struct Body {
    Columns4 I_C;
    Pack4 p_NL;  ///< the link's origin, which is that of the joint above it
    Pack4 p_NC;
    double mass;
    int node;
    int link;
  };
  /// Where a link hangs.
  struct Place {
    int node;
    int joint;        ///< above it; -1 for the root
    int parent;       ///< link
    bool is_at_node;  ///< its origin is the node's
    bool coincides;   ///< its origin is always its parent's
  };
  struct Kernels;

  EffectiveInertia inertia_;
  std::vector<Place> places_;  ///< by link
  std::vector<Vec3> p_NL_;     ///< by link
  std::vector<Body> bodies_;   ///< of links with inertia
  int joints_ = 0;
};

struct RobotImpacts::Workspace : EffectiveInertia::Workspace {
  std::vector<SpatialPack> load;  ///< by link: what its joint passes on
  struct Origin {
    Pack4 p_W;
  };
  std::vector<Origin> origin;  ///< by link
};

}  // namespace allclear
