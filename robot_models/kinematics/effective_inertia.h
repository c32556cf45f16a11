#pragma once

#include <array>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/robot_models/kinematics/builtin_kernels.h"
#include "allclear/robot_models/kinematics/motion_tree.h"
#include "allclear/robot_models/kinematics/node_frames.h"

namespace allclear {

/// T(q, v) [J] and its derivatives.
struct KineticEnergy {
  double value = 0.0;
  VecX by_q;  ///< dT/dq
  VecX by_v;  ///< dT/dv = M v, the generalised momentum
};

/// Angular velocity [rad/s] and velocity of a point [m/s], world axes.
struct BodyVelocity {
  Vec3 angular = Vec3::Zero();
  Vec3 linear = Vec3::Zero();
};

/// Spatial quantities as the kernels read them: world axes, about a node's origin.
struct SpatialPack {
  Pack4 angular;  ///< angular velocity, or moment
  Pack4 linear;   ///< velocity of the origin, or force
};

/// The mass of a robot as a contact feels it: how much the velocity of a point of a link changes by
/// an impulse there, when all joints are free, in time linear in the number of joints.
///
/// Every joint's own inertia counts: rotor inertia is that of motor and gear as the joint feels it
/// (the rotor's times the square of the gear ratio) [kg m^2, or kg for a slide], by coordinate. An
/// infinite one holds the coordinate: it does not answer, and its rate must be zero.
///
/// A motion that moves no mass (the joint of a massless last link) has no finite inverse mass: it
/// counts as held, so that what it carries is as heavy as what carries it, never lighter than in
/// truth. A free base may stand in any orientation; pitch = 90 degrees costs nothing.
///
/// Immutable and shared between threads; each thread works in a `Workspace` of its own. No call
/// allocates once the workspace and outputs have their size.
class EffectiveInertia {
 public:
  struct Workspace;

  /// `rotor_inertia` by coordinate, not negative; empty: none.
  explicit EffectiveInertia(const MotionTree& tree, const VecX& rotor_inertia = VecX());

  int dimension() const { return dimension_; }
  int linkCount() const { return static_cast<int>(mounts_.size()); }
  Workspace makeWorkspace() const;

  /// Places the robot at q; all calls below answer for the q placed last. O(nodes).
  void place(const VecX& q, Workspace& workspace) const;

  /// W [1/kg]: the velocity of the point of `link` that is at p_W changes by W P when an impulse P
  /// [N s] acts on the link there. Symmetric, not negative; zero for a link that cannot move. The
  /// first call after `place` is O(nodes (1 + shared coordinates)) and serves all links; the others
  /// are O(1).
  Mat3 inverseMass(int link, const Vec3& p_W, Workspace& workspace) const;

  /// 1 / (n^T W n) [kg] for the unit vector n; infinite when the link cannot move along n.
  double effectiveMass(int link, const Vec3& p_W, const Vec3& n, Workspace& workspace) const;

  /// T(q, v) [J], rotors included. O(nodes).
  double kineticEnergy(const VecX& v, Workspace& workspace) const;
  /// The same with its derivatives, in O(nodes) too.
  void kineticEnergy(const VecX& v, Workspace& workspace, KineticEnergy& out) const;

  /// Velocity of the point of `link` that is at p_W, for the rates v.
  Vec3 pointVelocity(int link, const Vec3& p_W, const VecX& v, const Workspace& workspace) const;

  /// K [1/kg]: how much faster the points of `link` and `other` at p_W part, by an impulse P on
  /// `link` and -P on `other` there. `other` = -1: something that does not move. O(depth), after
  /// O(nodes) once for each configuration. The two may belong to separate trees on the world.
  Mat3 contactInverseMass(int link, int other, const Vec3& p_W, Workspace& workspace) const;

  /// Lets the impulse P [N s] act on `link`, and -P on `other` (or -1), at p_W. Sets the changes of
  /// the rates; those of a floating base's roll, pitch and yaw are not finite at a pitch of 90
  /// degrees. O(nodes). `velocityChange` then answers for all links.
  void applyImpulse(int link, int other, const Vec3& p_W, const Vec3& P, Workspace& workspace,
                    VecX& dv) const;
  /// What the last impulse changed: the link's motion, `linear` that of its frame's origin.
  BodyVelocity velocityChange(int link, const Workspace& workspace) const;
  const LinkMount& mount(int link) const { return mounts_[link]; }
  /// Whether a node's origin is always that of `parent`, the node before it or itself.
  bool coincide(int node, int parent) const {
    return node == parent ||
           (node >= 0 && frames_.nodes()[node].parent == parent && inertial_[node].coincides);
  }
  /// World pose of a link as placed.
  Pose linkPose(int link, const Workspace& workspace) const;

 private:
  /// How the recursions treat a node.
  enum class Motion {
    kFree,      ///< its coordinate is its own: it answers to impulses
    kShared,    ///< repeats a coordinate of other nodes: answers in a second step
    kBase,      ///< the last of a floating base's six: any motion of a rigid body
    kPassedBy,  ///< one of the five before it: no body, no link
    kBall,      ///< the last of three turns that are taken as one (`isBall`)
  };
  /// What the recursions know of a node besides its `KernelNode`.
  struct InertialNode {
    double rotor;    ///< of the joint variable: the coordinate's / multiplier^2
    bool coincides;  ///< its origin is always its parent's
    Motion motion;
    int last_descendant;
    int children = 0;
    bool is_last_child = false;  ///< but not the only one
    bool is_only_child = false;
    bool is_in_ball = false;  ///< one of the first two turns of a ball joint
    bool ends_ball = false;   ///< the last
  };
  /// A coordinate that several nodes repeat (mimic joints).
  struct SharedCoordinate {
    int coordinate;
    std::vector<int> users;                                         ///< nodes
    std::vector<SpatialPack> momentum_of_three, velocity_of_three;  ///< 3 of each node
    std::vector<double> rate_of_three;
    std::vector<int> path;  ///< users and their ancestors, the last first
  };
  struct Kernels;
  struct Sweeps;

  int nodeCount() const { return frames_.count(); }
  void classifyNodes(const MotionTree& tree);
  bool isFloatingBase(const MotionTree& tree, int first) const;
  bool isBall(const MotionTree& tree, int first) const;
  void findBalls(const MotionTree& tree);
  bool sweepInward(Workspace& w, bool by_balls) const;
  void sweepOutward(Workspace& w) const;
  /// By balls: where it may be, three turns at one place are taken as one.
  void computeFactors(Workspace& w, bool by_balls = false) const;
  bool isInBall(int node) const { return node >= 0 && inertial_[node].is_in_ball; }
  static double weightOf(int first, int last, const KernelNode* nodes, const Frame4* frames,
                         const SpatialPack* velocity);
  void computeInverseMasses(Workspace& w) const;
  // Impulses; impulse_sweeps.cpp.
  void setPath(int node, int other, Workspace& w) const;
  double sharedMomentum(const SharedCoordinate& shared, const Workspace& w) const;
  void releaseShared(int shared, Workspace& w) const;
  void factorShared(Workspace& w) const;
  double wholeInertia(const SharedCoordinate& shared, const Workspace& w) const;
  double inertiaOfShared(int shared, Workspace& w) const;
  double rateOf(int node, const Workspace& w) const;
  void addShared(Workspace& w) const;
  void changesOfRates(Workspace& w, VecX& dv) const;

  NodeFrames frames_;
  std::vector<LinkMount> mounts_;
  std::vector<InertialNode> inertial_;
  std::vector<SharedCoordinate> shared_;
  std::vector<int> coordinate_;     ///< by node
  std::vector<double> multiplier_;  ///< by node
  std::vector<double> inverse_multiplier_;
  VecX rotor_;          ///< by coordinate
  VecX turning_rotor_;  ///< the same, 0 where it is infinite
  int dimension_ = 0;
  std::vector<int> many_ways_;  ///< last nodes of floating bases and balls
  std::vector<int> all_;        ///< nodes
  bool has_balls_ = false;
};

/// Scratch of one thread and the configuration placed last. Everything by node, about its origin.
struct EffectiveInertia::Workspace : NodeFrames::Workspace {
  /// What an impulse feels of subtrees: moment = J w + G^T v, force = G w + M v.
  struct Articulated {
    Columns4 J, G, M;
    double removed_J;  ///< traces that free joints below took away
    double removed_M;
    double weakest;  ///< least share of its whole inertia that a joint below has
  };
  /// How a joint answers, and what sweeps read of its node.
  struct Answer {
    SpatialPack U;     ///< momentum of the subtree by a unit rate of the joint
    Pack4 z;           ///< axis
    Pack4 r;           ///< from the parent's origin, or the world's, to the node's
    double inverse_D;  ///< zero where the joint does not answer by itself
    double whole;      ///< inertia about all axes, what joints below take away added
    int parent;
    bool turns;
    bool coincides;  ///< r is zero
    Motion motion;
  };
  /// How a ball joint answers: to the velocity v of what carries it, and to the moment n on its
  /// subtree, by the angular velocity w = inverse_J n - K v; the force K' n it passes on.
  struct BallJoint {
    Columns4 inverse_J, K;
    Columns4 rates;  ///< from angular velocities to the rates of the three turns
  };
  /// Inverse mass: w = a n + b f, v = b^T n + d f for the impulse f with the moment n.
  struct Inverse {
    Columns4 a, b, d;
  };
  std::vector<Articulated> below;  ///< what the children of a node with several pass to it
  std::vector<Answer> answer;
  std::vector<Inverse> inverse;
  std::vector<Inverse> base_inverse;  ///< of floating bases, shared coordinates held
  std::vector<BallJoint> ball;        ///< of the last node of each ball
  std::vector<SpatialPack> momentum;
  std::vector<SpatialPack> velocity;
  VecX rate;  ///< of the joint variables
  VecX by_x;
  std::vector<SpatialPack> momentum_of_three, velocity_of_three;  ///< 3 of each node
  std::vector<double> rate_of_three;
  std::vector<int> path;                 ///< nodes from an impulse to the base, the last first
  std::array<int, 2> path_from{-1, -1};  ///< the nodes that it goes inward from; -1: none
  /// Of shared coordinates: the motion of all nodes by a unit rate of each, the others' impulses
  /// zero (node by node, then as orthogonal directions of the inverse mass); what they weigh; and
  /// the inverse of its Cholesky factor.
  std::vector<SpatialPack> shared_motion;
  MatX shared_mass, shared_factor;
  bool holds_configuration = false;
  bool has_factors = false;
  bool has_balls = false;  ///< the factors take balls as one joint
  bool has_inverse = false;
};

}  // namespace allclear
