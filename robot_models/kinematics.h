#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "allclear/core/types.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

inline const Vec3 kStandardGravity(0.0, 0.0, -9.81);  ///< [m/s^2]

using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Generalised forces and their derivatives; matrices are dimension x dimension.
struct InverseDynamics {
  VecX tau;
  MatX dtau_dq;
  MatX dtau_dv;
  MatX dtau_da;  ///< the mass matrix
};

/// A force [N] and its moment [N m] about the world origin.
struct Wrench {
  Vec3 force = Vec3::Zero();
  Vec3 moment = Vec3::Zero();
};

/// The point of the plane through `point` with unit normal `normal` about which the wrench has no
/// moment along the plane (the zero-moment point); empty when the force does not press on the
/// plane.
std::optional<Vec3> zeroMomentPoint(const Wrench& ground_reaction, const Vec3& point,
                                    const Vec3& normal);

/// The implementations of `Kinematics`.
enum class KinematicsBackend {
  kBuiltin,    ///< over Eigen alone; always available
  kPinocchio,  ///< over pinocchio, where CMake found it (`ALLCLEAR_WITH_PINOCCHIO`)
};

/// The backends that this build of the library has; never empty, the default one first.
std::vector<KinematicsBackend> availableKinematicsBackends();

/// Returns kPinocchio where it is available, else kBuiltin.
KinematicsBackend defaultKinematicsBackend();

/// Returns "builtin" or "pinocchio".
const char* kinematicsBackendName(KinematicsBackend backend);

/// Kinematics and dynamics of a robot. All vectors are in the world frame W, which is the root
/// link's; configurations are vectors over `RobotModel::coordinates()`.
///
/// Immutable and shared between threads; each thread works in a `Workspace` of its own. With the
/// built-in backend no call allocates once its outputs have their size.
class Kinematics {
 public:
  class Workspace;

  /// `gravity_W` in m/s^2. Pre: `backend` is available.
  explicit Kinematics(const RobotModel& model, const Vec3& gravity_W = kStandardGravity,
                      KinematicsBackend backend = defaultKinematicsBackend());
  Kinematics(Kinematics&&) noexcept;
  ~Kinematics();

  KinematicsBackend backend() const;
  int dimension() const;
  int linkCount() const;

  /// A workspace for this object alone. It holds no configuration yet.
  Workspace makeWorkspace() const;

  /// Places the robot at q in the workspace and returns the poses X_WL of all links. O(links).
  void linkPoses(const VecX& q, Workspace& workspace, std::vector<Pose>& X_WL) const;

  /// Geometric Jacobian at the point p_WQ that moves with `link`, at the configuration that the
  /// workspace holds: rows 0-2 velocity of Q [m/s], rows 3-5 angular velocity [rad/s], per unit of
  /// q̇. O(depth of the link).
  void pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ, Jacobian& J) const;

  /// Generalised forces τ(q, q̇, q̈) [N m or N], gravity included (recursive Newton-Euler). Places
  /// the robot at q.
  void inverseDynamics(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                       VecX& tau) const;

  /// τ and its analytic derivatives with respect to q, q̇ and q̈ (the mass matrix). Places the robot
  /// at q. O(nodes · depth).
  void inverseDynamicsDerivatives(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                                  InverseDynamics& out) const;

  /// Centre of mass of the whole robot [m], at the configuration that the workspace holds. Zero
  /// mass: the origin.
  Vec3 centerOfMass(const Workspace& workspace) const;
  /// Its Jacobian, 3 x dimension, at the same configuration.
  void centerOfMassJacobian(Workspace& workspace, Mat3X& J) const;

  /// Net force and moment about the world origin that the ground must supply for this motion.
  /// Places the robot at q.
  Wrench groundReaction(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

/// The scratch memory of one thread, and the configuration at which the robot was placed last.
///
/// Every call that takes a configuration q places the robot at it: the workspace then holds q and
/// the frames of all links there. The calls without a q (`pointJacobian`, `centerOfMass` and its
/// Jacobian) answer for the configuration held; to ask them of a workspace that holds none is a
/// `ContractViolation`. A workspace serves only the `Kinematics` that made it.
class Kinematics::Workspace {
 public:
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  /// True when some call has placed the robot in this workspace.
  bool holdsConfiguration() const;

 private:
  friend class Kinematics;
  struct Impl;
  explicit Workspace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allclear
