#pragma once

#include <memory>
#include <vector>

#include "allclear/robot_models/kinematics_types.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// Kinematics and dynamics of a robot over Eigen alone. All vectors are in the world frame W, which
/// is the root link's; configurations are vectors over `RobotModel::coordinates()`.
///
/// Immutable and shared between threads; each thread works in a `Workspace` of its own. No call
/// allocates once its outputs have their size.
class BuiltinKinematics {
 public:
  class Workspace;
  struct Impl;  ///< opaque

  /// `gravity_W` in m/s^2.
  explicit BuiltinKinematics(const RobotModel& model, const Vec3& gravity_W = kStandardGravity);
  BuiltinKinematics(BuiltinKinematics&&) noexcept;
  ~BuiltinKinematics();

  int dimension() const;
  int linkCount() const;
  Workspace makeWorkspace() const;

  /// Poses X_WL of all links at q. O(links).
  void linkPoses(const VecX& q, Workspace& workspace, std::vector<Pose>& X_WL) const;

  /// Geometric Jacobian at the point p_WQ that moves with `link`, for the q of the last
  /// `linkPoses`: rows 0-2 velocity of Q [m/s], rows 3-5 angular velocity [rad/s], per unit of q̇.
  void pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ, Jacobian& J) const;

  /// Generalised forces τ(q, q̇, q̈) [N m or N], gravity included (recursive Newton-Euler).
  void inverseDynamics(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                       VecX& tau) const;

  /// τ and its analytic derivatives with respect to q, q̇ and q̈ (the mass matrix).
  void inverseDynamicsDerivatives(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                                  InverseDynamics& out) const;

  /// Centre of mass of the whole robot [m], for the q of the last `linkPoses`. Zero mass: the
  /// origin.
  Vec3 centerOfMass(const Workspace& workspace) const;
  /// Its Jacobian, 3 x dimension.
  void centerOfMassJacobian(const Workspace& workspace, Mat3X& J) const;

  /// Net force and moment about the world origin that the ground must supply for this motion.
  Wrench groundReaction(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace) const;

 private:
  std::unique_ptr<const Impl> impl_;
};

class BuiltinKinematics::Workspace {
 public:
  struct Impl;  ///< opaque

  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

 private:
  friend class BuiltinKinematics;
  explicit Workspace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allclear
