// Kinematics over pinocchio (J. Carpentier et al., "The Pinocchio C++ library", SII 2019); compiled
// only where CMake found it.
//
// Both backends work on the same `MotionTree`: here every node becomes one pinocchio joint with one
// degree of freedom, so floating, planar and mimic joints need no counterpart in pinocchio. With q
// by coordinate and x by node, x = E q + offsets: E has one entry per node, its multiplier. Forces
// and derivatives come back through its transpose: tau = E^T tau_x, dtau/dq = E^T (dtau_x/dx) E.
//
// The configuration that a workspace holds is `x` and the world poses `data.oMi`.
#include "allclear/robot_models/kinematics/pinocchio.h"

#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "allclear/core/assert.h"
#include "allclear/robot_models/kinematics/motion_tree.h"

namespace allclear {
namespace {

namespace pin = pinocchio;

pin::SE3 placement(const Pose& X) { return pin::SE3(X.R, X.p); }
Pose pose(const pin::SE3& M) { return {M.rotation(), M.translation()}; }

pin::JointModel jointModel(const MotionNode& node) {
  if (node.turns) {
    if (node.axis == 0) return pin::JointModelRX();
    if (node.axis == 1) return pin::JointModelRY();
    return pin::JointModelRZ();
  }
  if (node.axis == 0) return pin::JointModelPX();
  if (node.axis == 1) return pin::JointModelPY();
  return pin::JointModelPZ();
}

}  // namespace

/// One pinocchio joint per motion node, in the same order: joint i + 1 is node i.
struct PinocchioKinematics::Impl {
  Impl(const RobotModel& robot, const Vec3& gravity) : tree(robot) {
    for (const MotionNode& node : tree.nodes()) {
      const auto joint =
          model.addJoint(static_cast<pin::JointIndex>(node.parent + 1), jointModel(node),
                         placement(node.X_PF), "node" + std::to_string(model.njoints));
      const Inertia& body = node.inertia;
      model.appendBodyToJoint(joint, pin::Inertia(body.mass, body.p_LC, body.I_C),
                              pin::SE3::Identity());
    }
    model.gravity.linear() = gravity;
    spread = MatX::Zero(tree.nodeCount(), tree.dimension());
    offsets = VecX::Zero(tree.nodeCount());
    for (int i = 0; i < tree.nodeCount(); ++i) {
      spread(i, tree.nodes()[i].coordinate) = tree.nodes()[i].multiplier;
      offsets[i] = tree.nodes()[i].offset;
    }
  }

  MotionTree tree;
  pin::Model model;
  MatX spread;  ///< E: joint variables = spread * q + offsets
  VecX offsets;
};

struct PinocchioKinematics::Workspace::Impl {
  explicit Impl(const pin::Model& model) : data(model) {}

  /// Sets x, v and a, by node, from those by coordinate.
  void spread(const PinocchioKinematics::Impl& robot, const VecX& q, const VecX& coordinate_v,
              const VecX& coordinate_a) {
    x = robot.spread * q + robot.offsets;
    v = robot.spread * coordinate_v;
    a = robot.spread * coordinate_a;
  }

  pin::Data data;
  VecX x, v, a;
};

PinocchioKinematics::PinocchioKinematics(const RobotModel& model, const Vec3& gravity_W)
    : impl_(std::make_unique<const Impl>(model, gravity_W)) {}
PinocchioKinematics::PinocchioKinematics(PinocchioKinematics&&) noexcept = default;
PinocchioKinematics::~PinocchioKinematics() = default;

PinocchioKinematics::Workspace::Workspace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PinocchioKinematics::Workspace::Workspace(Workspace&&) noexcept = default;
PinocchioKinematics::Workspace& PinocchioKinematics::Workspace::operator=(Workspace&&) noexcept =
    default;
PinocchioKinematics::Workspace::~Workspace() = default;

int PinocchioKinematics::dimension() const { return impl_->tree.dimension(); }
int PinocchioKinematics::linkCount() const { return static_cast<int>(impl_->tree.mounts().size()); }

PinocchioKinematics::Workspace PinocchioKinematics::makeWorkspace() const {
  return Workspace(std::make_unique<Workspace::Impl>(impl_->model));
}

void PinocchioKinematics::linkPoses(const VecX& q, Workspace& workspace,
                                    std::vector<Pose>& X_WL) const {
  ALLCLEAR_ASSERT(q.size() == dimension());
  Workspace::Impl& w = *workspace.impl_;
  w.x.noalias() = impl_->spread * q;
  w.x += impl_->offsets;
  pin::forwardKinematics(impl_->model, w.data, w.x);
  X_WL.resize(impl_->tree.mounts().size());
  for (std::size_t l = 0; l < X_WL.size(); ++l) {
    const LinkMount& mount = impl_->tree.mounts()[l];
    const Pose X_WN = pose(w.data.oMi[static_cast<std::size_t>(mount.node + 1)]);
    X_WL[l] = mount.is_identity ? X_WN : X_WN * mount.X_NL;
  }
}

void PinocchioKinematics::pointJacobian(const Workspace& workspace, int link, const Vec3& p_WQ,
                                        Jacobian& J) const {
  J.setZero(6, dimension());
  const std::vector<MotionNode>& nodes = impl_->tree.nodes();
  for (int i = impl_->tree.mounts()[link].node; i >= 0; i = nodes[i].parent) {
    const pin::SE3& X_WN = workspace.impl_->data.oMi[static_cast<std::size_t>(i + 1)];
    const Vec3 z = X_WN.rotation().col(nodes[i].axis) * nodes[i].multiplier;
    auto column = J.col(nodes[i].coordinate);
    column.head<3>() += nodes[i].turns ? Vec3(z.cross(p_WQ - X_WN.translation())) : z;
    if (nodes[i].turns) column.tail<3>() += z;
  }
}

void PinocchioKinematics::inverseDynamics(const VecX& q, const VecX& v, const VecX& a,
                                          Workspace& workspace, VecX& tau) const {
  Workspace::Impl& w = *workspace.impl_;
  w.spread(*impl_, q, v, a);
  tau.noalias() = impl_->spread.transpose() * pin::rnea(impl_->model, w.data, w.x, w.v, w.a);
  // rnea leaves the poses relative to the parents: the workspace must hold those in the world.
  pin::updateGlobalPlacements(impl_->model, w.data);
}

void PinocchioKinematics::inverseDynamicsDerivatives(const VecX& q, const VecX& v, const VecX& a,
                                                     Workspace& workspace,
                                                     InverseDynamics& out) const {
  Workspace::Impl& w = *workspace.impl_;
  w.spread(*impl_, q, v, a);
  pin::computeRNEADerivatives(impl_->model, w.data, w.x, w.v, w.a);
  const MatX& E = impl_->spread;
  const MatX mass = w.data.M.selfadjointView<Eigen::Upper>();  // only that triangle is filled
  out.tau = E.transpose() * w.data.tau;
  out.dtau_dq = E.transpose() * w.data.dtau_dq * E;
  out.dtau_dv = E.transpose() * w.data.dtau_dv * E;
  out.dtau_da = E.transpose() * mass * E;
}

Vec3 PinocchioKinematics::centerOfMass(const Workspace& workspace) const {
  const Inertia& still = impl_->tree.worldInertia();
  double mass = still.mass;
  Vec3 sum = still.mass * still.p_LC;
  for (int i = 0; i < impl_->tree.nodeCount(); ++i) {
    const Inertia& body = impl_->tree.nodes()[i].inertia;
    mass += body.mass;
    sum += body.mass * workspace.impl_->data.oMi[static_cast<std::size_t>(i + 1)].act(body.p_LC);
  }
  return mass > 0.0 ? Vec3(sum / mass) : Vec3::Zero();
}

void PinocchioKinematics::centerOfMassJacobian(Workspace& workspace, Mat3X& J) const {
  double moving = 0.0;
  for (const MotionNode& node : impl_->tree.nodes()) moving += node.inertia.mass;
  const double total = moving + impl_->tree.worldInertia().mass;
  J.setZero(3, dimension());
  if (moving <= 0.0) return;
  // pinocchio knows the moving links only: the others hold the centre of mass back.
  Workspace::Impl& w = *workspace.impl_;
  J.noalias() =
      (moving / total) * pin::jacobianCenterOfMass(impl_->model, w.data, w.x) * impl_->spread;
}

Wrench PinocchioKinematics::groundReaction(const VecX& q, const VecX& v, const VecX& a,
                                           Workspace& workspace) const {
  VecX tau;
  inverseDynamics(q, v, a, workspace, tau);
  const Workspace::Impl& w = *workspace.impl_;
  pin::Force load = pin::Force::Zero();  // of the joints that stand on the world
  for (int i = 0; i < impl_->tree.nodeCount(); ++i) {
    if (impl_->tree.nodes()[i].parent >= 0) continue;
    const auto joint = static_cast<std::size_t>(i + 1);
    load += w.data.liMi[joint].act(w.data.f[joint]);
  }
  const Inertia& still = impl_->tree.worldInertia();
  const Vec3 weight = -still.mass * Vec3(impl_->model.gravity.linear());
  return {load.linear() + weight, load.angular() + still.p_LC.cross(weight)};
}

}  // namespace allclear
