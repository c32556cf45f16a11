#pragma once

#include <memory>
#include <vector>

#include "allclear/robot_models/kinematics.h"
#include "allclear/robot_models/robot_model.h"

namespace allclear {

/// The backend of `Kinematics` over pinocchio. See there for what the calls mean; the facade checks
/// that the workspace holds a configuration. Opaque, so that no header of pinocchio is seen here.
class PinocchioKinematics {
 public:
  class Workspace;

  PinocchioKinematics(const RobotModel& model, const Vec3& gravity_W);
  PinocchioKinematics(PinocchioKinematics&&) noexcept;
  ~PinocchioKinematics();

  int dimension() const;
  int linkCount() const;
  Workspace makeWorkspace() const;

  void linkPoses(const VecX& q, Workspace& workspace, std::vector<Pose>& X_WL) const;
  void pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ, Jacobian& J) const;
  void inverseDynamics(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                       VecX& tau) const;
  void inverseDynamicsDerivatives(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace,
                                  InverseDynamics& out) const;
  Vec3 centerOfMass(const Workspace& workspace) const;
  void centerOfMassJacobian(Workspace& workspace, Mat3X& J) const;
  Wrench groundReaction(const VecX& q, const VecX& v, const VecX& a, Workspace& workspace) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

class PinocchioKinematics::Workspace {
 public:
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

 private:
  friend class PinocchioKinematics;
  struct Impl;
  explicit Workspace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allclear
